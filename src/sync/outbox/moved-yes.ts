// Whether words in Send stand in other rows than before (P8): the column was sorted alone, or cells of it were deleted or inserted. What
// nobody wanted sent would be sent, and nothing takes a message back.
import { movedShareMin, movedWishesMin } from '../guard/moved-wishes.ts';
import { isBlankCell } from './cells.ts';
import type { Agreed } from './again.ts';
import type { OutboxInput } from './input.ts';
import { isDone, type Keepers, type Known, saidOf } from './known.ts';
import { type Message, type OutboxRow, readSend } from './message.ts';

export interface MovedYes {
  /** Numbers of the rows whose yes waits until somebody puts it back or approves it. */
  readonly moved: ReadonlySet<number>;
  /** A person let others through, which an earlier run had found. */
  readonly isMovedApproved: boolean;
}

/**
 * The rows that say yes and did not, while in about as many others a yes is gone, and those that an earlier run found so. A message that
 * a person wants tried again counts as said.
 */
export function findMovedYes(input: OutboxInput, keepers: Keepers, known: Known, { retried }: Agreed): MovedYes {
  // W11: while a column is missing nothing is sent, and nothing is known of the rows.
  const sides = input.missing.length > 0 ? [] : input.rows.map((row) => sideOf(input, keepers, known, row));
  const numbers = (side: Side) =>
    sides.flatMap(([each, id], index) => (each === side && !retried.has(id ?? '') ? [input.rows[index]!.number] : []));
  const count = (...wanted: readonly Side[]) => sides.filter(([side]) => wanted.includes(side)).length;
  const noted = numbers('moved');
  // For each row that waits, another one lost its yes, and that is noted only once none waits: these are counted already.
  const [appeared, left] = [count('new', 'again after it was sent'), count('gone') - noted.length];
  const areMost = Math.min(appeared, left) >= Math.max(movedWishesMin, Math.max(appeared, left) * movedShareMin);
  // P6: a state that may be an old one does not tell what a row said last, and all that says yes is held.
  const isMoved = input.isTrusted && areMost;
  const found = isMoved ? numbers('new') : [];
  // An approval is about what the held run showed: a row that is found only now was not among it. `leadsheet plan` shows all rows.
  const shown = input.isDryRun ? [...noted, ...found] : noted;
  const isMovedApproved = input.isTrusted && shown.length > 0 && shown.length <= input.approved;
  const isLetThrough = (number: number) => isMovedApproved && shown.includes(number);
  return { moved: new Set([...noted, ...found].filter((number) => !isLetThrough(number))), isMovedApproved };
}

/**
 * What became of the yes of a row since a run last read it. `new`: it says yes, and did not. `moved`: an earlier run found that its yes
 * came from elsewhere, and it says yes still. `gone`: it said yes, and does not.
 */
type Side = 'new' | 'again after it was sent' | 'moved' | 'gone' | 'as before';

/** With the ID of the message, if it has one. */
function sideOf(
  input: OutboxInput,
  { keepers, doubted }: Keepers,
  { idsBySaid }: Known,
  row: OutboxRow,
): readonly [Side, string?] {
  if (doubted.has(row.id)) return ['as before'];
  const isYes = readSend(row) === 'yes';
  const keeper = keepers.get(row.id);
  if (keeper === row) {
    const message = input.messages.get(row.id);
    return [message ? sideOfKnown(message, isYes) : 'as before', row.id];
  }
  // Of a row that shows that it was sent, nothing is sent.
  if (!isYes || !isBlankCell(row.uuid) || !isBlankCell(row.sentAt)) return ['as before'];
  const ids = keeper ? [] : (idsBySaid.get(saidOf(input, row)) ?? []);
  // The row lost its ID; or its cells were moved without it, and its words are released as they were.
  const known = ids.find((id) => !keepers.has(id)) ?? ids[0];
  return known === undefined ? ['new'] : [sideOfKnown(input.messages.get(known)!, true), known];
}

function sideOfKnown(message: Message, isYes: boolean): Side {
  if (!isYes) return message.isWithdrawn || message.isMoved ? 'as before' : 'gone';
  if (message.isMoved) return 'moved';
  if (!message.isWithdrawn) return 'as before';
  return isDone(message) ? 'again after it was sent' : 'new';
}

/** The entry of a row that says yes, with or without the note that this yes moved there. */
export function withMoved(message: Message, isMoved: boolean): Message {
  if (isMoved === (message.isMoved ?? false)) return message;
  const { isMoved: _noted, ...rest } = message;
  return isMoved ? { ...rest, isMoved } : rest;
}
