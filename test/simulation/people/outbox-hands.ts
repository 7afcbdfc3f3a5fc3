// What people's hands do in the tab of the outbox of a story beside typing: they sort, cut, copy, empty, type over and merge.
import type { OutboxHandsAct } from '../scenario/scenario.ts';
import { outboxTab } from '../world/setting.ts';
import type { Sides } from '../world/sides.ts';
import { type MessageLog, type MessageRow, messageRows, type Parts, saysYes, writtenCells } from './outbox-acts.ts';
import { createTabHands, hasMerges } from './tab-hands.ts';
import { pick } from './typing.ts';

/** What leadsheet writes into a row. */
const stateHeaders = ['Message', 'Sent at', 'Delivery', 'Sync', 'Outbox ID'] as const;
const mergedHeaders = [
  'To',
  'Text',
  'Text',
  'Send',
  'Subject',
  'Subject',
  'Subject',
  ...stateHeaders,
  'Sync',
  'Outbox ID',
] as const;

/** Nobody sorts, copies or cuts over merged cells: the spreadsheet refuses it. */
const movingActs: ReadonlySet<OutboxHandsAct> = new Set([
  'sort all messages',
  'sort message cells',
  'cut message',
  'copy message over',
  'copy cells over',
]);

/** Returns what was done; undefined: nothing could be. */
export function actOnOutboxByHand(
  sides: Sides,
  log: MessageLog,
  what: OutboxHandsAct,
  parts: Parts,
): string | undefined {
  const before = messageRows(sides.file.content);
  if (movingActs.has(what) && hasMerges(sides.file.content, outboxTab)) return undefined;
  const told = move(sides, log, what, { ...parts, rows: before });
  if (told !== undefined) noteMoved(log, before, messageRows(sides.file.content));
  return told;
}

function move(
  sides: Sides,
  log: MessageLog,
  what: OutboxHandsAct,
  { a, b, c, rows }: Parts & { readonly rows: readonly MessageRow[] },
): string | undefined {
  const { person } = sides;
  const hands = createTabHands(sides, outboxTab);
  const [row, other] = [pick(rows, a), pick(rows, b)];
  // What people fill stands in the first columns.
  const lastOfPeople = hands.has('Subject') ? 'E' : 'D';
  if (!row || !other) return undefined;
  const bottom = Math.max(...rows.map(({ number }) => number));
  const { number, tag } = row;
  const told = `outbox: ${what}, row ${number} ${tag}`;
  const onto = number === other.number ? undefined : `${told} onto row ${other.number} ${other.tag}`;
  const order = c < 500 ? 'ASCENDING' : 'DESCENDING';
  switch (what) {
    case 'sort all messages':
      person.sort(outboxTab, pick(['A', 'C', 'D', 'E', 'H'], b)!, order);
      return told;
    case 'sort message cells':
      if (rows.length < 2) return undefined;
      person.sortRange(hands.areaOf(2, bottom, 'A', lastOfPeople), pick(['A', 'C', 'D'], b)!, order);
      return told;
    case 'cut message':
      person.cutPaste(hands.rowArea(number), `'${outboxTab}'!A${bottom + 1 + (b % 2)}`);
      return told;
    case 'copy message over':
      if (onto) person.copyPaste(hands.rowArea(number), hands.rowArea(other.number));
      return onto;
    case 'copy cells over': {
      const [from, to] = [number, other.number].map((each) => hands.areaOf(each, each, 'A', lastOfPeople));
      if (onto) person.copyPaste(from!, to!);
      return onto;
    }
    case 'empty message':
      person.clear(hands.areaOf(number, number, 'A', lastOfPeople));
      return told;
    case 'clear message row':
      person.clear(hands.rowArea(number));
      return told;
    case 'refill message': {
      const cells = writtenCells(sides, log, { a, b, c });
      person.paste(hands.areaOf(number, number, 'A', lastOfPeople), [cells]);
      return `${told}: ${JSON.stringify(cells)}`;
    }
    case 'paste message state': {
      const header = pick(stateHeaders, c)!;
      const text = onto === undefined ? '' : hands.read(other.number, header);
      return text !== '' && hands.put(number, header, text) ? `${onto}: its ${header} ${text}` : undefined;
    }
    case 'type message state': {
      const header = pick(stateHeaders, c)!;
      return hands.put(number, header, `typed ${b}`) ? `${told}: ${header}` : undefined;
    }
    case 'merge messages': {
      const merged = hands.merge(number, 2 + (b % 2), pick(mergedHeaders, c)!);
      if (merged !== undefined) log.hasMerged = true;
      return merged && `${told}: ${merged}`;
    }
    case 'unmerge messages': {
      const unmerged = hands.unmerge(c);
      return unmerged && `outbox: ${what} ${unmerged}`;
    }
  }
}

/** What the judge of messages has to know: whose Send was emptied, and of which text nothing says any more whose message it is. */
export function noteMoved(log: MessageLog, before: readonly MessageRow[], after: readonly MessageRow[]): void {
  const rowsBefore = Map.groupBy(before, ({ tag }) => tag);
  for (const [tag, now] of Map.groupBy(after, (row) => row.tag)) {
    const known = rowsBefore.get(tag);
    if (tag === '' || !known) continue;
    if (known.some(saysYes) && !now.some(saysYes)) log.unsaid.set(tag, (log.unsaid.get(tag) ?? 0) + 1);
    const isKnown = (row: MessageRow) => known.some((each) => isSameMessage(each, row));
    if (now.length > known.length || !now.every(isKnown)) log.loosened.add(tag);
  }
}

/** P2: by its ID, else by the uuid. */
function isSameMessage(was: MessageRow, is: MessageRow): boolean {
  if (was.id === is.id) return is.id !== '' || was.uuid === is.uuid;
  return is.uuid !== '' && was.uuid === is.uuid;
}
