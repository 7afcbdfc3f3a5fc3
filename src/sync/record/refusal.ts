// W5: what a side refused is left alone for a while that grows, and then until a person says `retry`.
import { lastSeen, type Link, type Refusal, type RefusableOp } from './base.ts';
import { type Problem, problem } from '../change.ts';
import type { Packed, RowRecord } from './record.ts';

/** Of every kind of write: a minute, five, thirty, two hours; then a person has to look. */
const pausesMs = [60_000, 300_000, 1_800_000, 7_200_000];

/** `held`: what was refused; the same again is not a new try. */
export function nextRefusal(
  known: Refusal | undefined,
  message: string,
  { values: held }: Pick<RowRecord, 'values'>,
  now: number,
): Refusal {
  const times = known?.sheet === held ? known.times + 1 : 1;
  return { message, times, retryAt: refusalEnd(times, now), sheet: held };
}

/**
 * Until when a change that was refused so many times is left alone, epoch milliseconds; null: until a person says `retry`.
 * `isEndless`: nobody can say it, and the last pause is repeated.
 */
export function refusalEnd(times: number, now: number, isEndless = false): number | null {
  const pause = isEndless ? pausesMs[Math.min(times, pausesMs.length) - 1] : pausesMs[times - 1];
  return pause === undefined ? null : now + pause;
}

/** The contact is as it was when this change of it was refused. */
export function refusedBefore(link: Link, op: RefusableOp): Refusal | undefined {
  const refusal = link.refusals?.[op];
  return refusal?.sheet === lastSeen(link, 'crm') ? refusal : undefined;
}

/** The row and the contact are as they were when the spreadsheet refused to take what was to be set. */
export function refusedSet(link: Link | undefined, row: Packed, crm: Packed): Refusal | undefined {
  const refusal = link?.refusals?.set;
  return refusal?.sheet === bothHeld(row, crm) ? refusal : undefined;
}

/** `before`: the link as the run found it. */
export function withRefusedSet(link: Link, before: Link | undefined, message: string, now: number): Link {
  const held = { values: bothHeld(lastSeen(link, 'sheet'), lastSeen(link, 'crm')) };
  return withRefusal(link, nextRefusal(before?.refusals?.set, message, held, now));
}

export function withRefusal(link: Link, set: Refusal | undefined): Link {
  return set ? { ...link, isOpen: true, refusals: { ...link.refusals, set } } : link;
}

function bothHeld(row: Packed, crm: Packed): Packed {
  return `${row}\n${crm}` as Packed;
}

/** The time of a run, and the retries that people asked for. */
interface Asking {
  readonly requests: { readonly retry: ReadonlySet<string> };
  /** Epoch milliseconds on the service's clock. */
  readonly now: number;
}

/** Its pause is over, or a person asked for it: by uuid or row. */
export function isDue(
  { requests, now }: Asking,
  retryAt: number | null,
  { uuid, row }: { readonly uuid: string; readonly row: number | null },
): boolean {
  const isAsked = requests.retry.has(uuid) || (row !== null && requests.retry.has(`row:${row}`));
  return isAsked || (retryAt !== null && now >= retryAt);
}

/** L12: why the change is not planned; undefined when there is no refusal, or its pause is over. */
export function pausedBy(
  input: Asking,
  refusal: Pick<Refusal, 'message' | 'retryAt'> | undefined,
  about: { readonly uuid: string; readonly row: number | null },
  what: string,
): Problem | undefined {
  if (!refusal || isDue(input, refusal.retryAt, about)) return undefined;
  return problem(pausedKind(refusal), about, 'W5', `${what}: ${refusal.message}`);
}

/** Told as quarantined once only a person has it tried again. */
export function pausedKind({ retryAt }: Pick<Refusal, 'retryAt'>): 'quarantined' | 'refused' {
  return retryAt === null ? 'quarantined' : 'refused';
}
