// The plan that takes back what people did through the control cell of a feed (S8): automations that a run started are
// stopped, and the other way round. Rows are the service's: the feed mirrors them again.
import { type Change, type Problem, problem } from '../change.ts';
import type { Cell } from '../value/kinds.ts';
import type { Reading } from '../value/value.ts';
import type { FeedInput, FeedLink } from './input.ts';
import { sortFeedRows } from './rows.ts';
import { isSameInCell } from './value.ts';

/** One automation that a run started or stopped. */
export interface PastControl {
  readonly uuid: string;
  readonly before: Reading;
  readonly after: Reading;
}

export interface FeedUndo {
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
}

/** `mirrored`: rows that the run wrote, by what it did with them. `run`: the run that is taken back, for people. */
export function planFeedUndo(
  input: Pick<FeedInput, 'records' | 'rows' | 'fields' | 'controlled' | 'links'>,
  past: readonly PastControl[],
  mirrored: Readonly<Record<'set' | 'append' | 'remove', number>>,
  run: string,
): FeedUndo {
  const by = `undo of ${run}`;
  const index = input.fields.findIndex(({ name }) => name === input.controlled);
  const changes: Change[] = [];
  const problems: Problem[] = [];
  const { keeperByUuid, copiesByUuid } = sortFeedRows(input);
  for (const { uuid, before, after } of latest(past)) {
    const row = keeperByUuid.get(uuid);
    const isInDoubt = !row && copiesByUuid.has(uuid);
    const about = { uuid, row: row?.number ?? null };
    const truth = input.records.find((record) => record.uuid === uuid)?.values[index];
    const was = onOrOff(before);
    const why = whyNot(input, index, { uuid, truth, was, wanted: onOrOff(after), cell: row?.cells[index], isInDoubt });
    if (why !== undefined || was === undefined || truth === undefined || input.controlled === undefined) {
      problems.push(problem('held', about, 'S7', `${by}: not taken back: ${why ?? unknown}`));
      continue;
    }
    const fields = [{ field: input.controlled, before: truth, after: was, rule: 'S7', reason: by } as const];
    changes.push({ side: 'crm', op: 'update', ...about, fields, rule: 'S7', reason: by });
  }
  const parts = [
    ...(mirrored.set > 0 ? [`${mirrored.set} set`] : []),
    ...(mirrored.append > 0 ? [`${mirrored.append} appended`] : []),
    ...(mirrored.remove > 0 ? [`${mirrored.remove} deleted`] : []),
  ];
  if (parts.length > 0) {
    const reason = `${by}: rows of a feed are not taken back (${parts.join(', ')}): the next run would mirror them again`;
    problems.push(problem('ignored', {}, 'S7', reason));
  }
  return { changes, problems };
}

/**
 * L10: the links to store before the calls of an undo. What a cell says that shows the service's value is no wish any more,
 * whatever was asked for before: the next run finds another value in the service, should the process end after the call.
 */
export function undoIntents(
  { links, rows, fields, controlled }: Pick<FeedInput, 'links' | 'rows' | 'fields' | 'controlled'>,
  changes: readonly Change[],
): ReadonlyMap<string, FeedLink> {
  const index = fields.findIndex(({ name }) => name === controlled);
  return new Map(
    changes.flatMap(({ uuid, row, fields: [change] }): [string, FeedLink][] => {
      const cell = rows.find(({ number }) => number === row)?.cells[index];
      const truth = change?.before;
      if (uuid === null || truth === undefined || cell === undefined || !isSameInCell(fields[index]!, truth, cell)) {
        return [];
      }
      const { asked: _asked, isRefused: _isRefused, writing: _writing, ...rest } = links.get(uuid) ?? {};
      return [[uuid, { ...rest, agreed: truth }]];
    }),
  );
}

const unknown = 'what it was before is not known';

interface Now {
  readonly uuid: string;
  readonly truth: Reading;
  readonly was: 'on' | 'off' | undefined;
  readonly wanted: 'on' | 'off' | undefined;
  /** Undefined: the record has no row, or the column was not found. */
  readonly cell: Cell | undefined;
  /** I4: several rows have its ID, and which of them is its row is not known. */
  readonly isInDoubt: boolean;
}

function whyNot(
  { fields, links }: Pick<FeedInput, 'fields' | 'links'>,
  index: number,
  { uuid, truth, was, wanted, cell, isInDoubt }: Now,
): string | undefined {
  const field = fields[index];
  if (!field) return 'the feed has no control column any more';
  if (truth === undefined) return 'the service does not list it any more';
  if (was === undefined) return unknown;
  if (onOrOff(truth) === was) return 'it is so again';
  if (onOrOff(truth) !== wanted) return 'changed since in the CRM';
  if (isInDoubt) return 'several rows have its ID, and its row cannot be told from a copy: delete all but one of them';
  // A cell that shows neither the service's value nor what both sides agreed on is a wish that waits (E7).
  const agreed = links.get(uuid)?.agreed;
  const isAsKnown = [truth, agreed].some(
    (value) => value !== undefined && cell !== undefined && isSameInCell(field, value, cell),
  );
  return cell === undefined || isAsKnown ? undefined : 'its cell was changed since';
}

/** A run that started and stopped one automation is taken back once. */
function latest(past: readonly PastControl[]): readonly PastControl[] {
  const byUuid = new Map<string, PastControl>();
  for (const each of past) byUuid.set(each.uuid, { ...each, before: (byUuid.get(each.uuid) ?? each).before });
  return [...byUuid.values()];
}

function onOrOff(value: Reading): 'on' | 'off' | undefined {
  const text = String(value).toLowerCase();
  return text === 'on' || text === 'off' ? text : undefined;
}
