// Judges a pull that was not whole: which part is a problem of the run, and which is only noted for the next (L12, G5).
import type { Facts } from './stored/facts.ts';
import type { StoredLastRun } from './stored/facts.ts';
import type { CollectionReading, ScanReport } from '../crm/port.ts';
import { type Problem, problem } from '../sync/change.ts';

/** The things that are read. Each has one problem, with the same id from run to run for status and alerts. */
export type PullOf = 'contacts' | 'records' | 'deliveries' | 'senders' | 'automations';

/** `how`: how many of how many were read, and why. */
export function incomplete(what: PullOf, how: string): Problem {
  return { ...problem('incomplete', {}, 'G5', how), id: `pull:${what}` };
}

/** "200 of 600 contacts were read: ...". `of`: undefined if the other side does not tell. */
function howMany(what: string, read: number, of: number | undefined, why: string): string {
  const count =
    of === undefined
      ? `${read} ${what} were read, and it is not known of how many`
      : `${read} of ${of} ${what} were read`;
  return `${count}: ${why}. Nothing is concluded about the others`;
}

export interface ScanVerdict {
  readonly problems: readonly Problem[];
  readonly notices: readonly string[];
  /** Facts for later runs; a part that is left out stays as it was. */
  readonly noted: Noted;
}

/**
 * Facts about pulls. A fact that becomes worse is written at once; a fact that becomes better goes along with another write
 * (W9).
 */
export interface Noted {
  /** Modes of scans whose last one drifted. If the next one drifts too, that is a problem. */
  readonly drifted: readonly ScanReport['mode'][];
  /** About the last full scan: contacts that no query returns. Runs between full scans rely on that scan. */
  readonly limited: string | null;
}

type Read = Pick<ScanReport, 'mode' | 'whole' | 'lack' | 'reasons' | 'contacts' | 'expected'>;

/** `failure`: why the scan ended early. */
export function judgeScan(scan: Read, failure: string | undefined, known: Noted): ScanVerdict {
  const { mode, lack, reasons, contacts, expected } = scan;
  const told = (why: string) => incomplete('contacts', howMany('contacts', contacts, expected, why));
  const standing = mode === 'full' || known.limited === null ? [] : [incomplete('contacts', known.limited)];
  if (failure !== undefined) return { problems: [told(failure)], notices: [], noted: known };
  const why = reasons.join('; ');
  switch (lack) {
    case undefined:
      break;
    case 'drift': {
      const isRepeated = known.drifted.includes(mode);
      if (isRepeated) return { problems: [told(`${why}, as the time before`)], notices: [], noted: known };
      return { problems: standing, notices: reasons, noted: { ...known, drifted: [...known.drifted, mode] } };
    }
    case 'short':
    case 'unreadable':
      return { problems: [told(why)], notices: [], noted: known };
    case 'limit': {
      const limit = told(why);
      const limited = mode === 'full' ? limit.reason : known.limited;
      return { problems: [limit], notices: [], noted: { ...known, limited } };
    }
  }
  const noted = mode === 'full' ? noneNoted : { ...known, drifted: known.drifted.filter((each) => each !== mode) };
  return { problems: standing, notices: [], noted };
}

/** The same for a listing. Records that came or went during one listing are a notice; during two in a row, a problem. */
export function judgeListing(
  { notice, isDrifted }: Pick<CollectionReading, 'notice' | 'isDrifted'>,
  known: Noted,
): ScanVerdict {
  if (notice !== undefined) return { problems: [incomplete('records', notice)], notices: [], noted: known };
  if (!isDrifted) return { problems: [], notices: [], noted: noneNoted };
  const why = 'records kept coming and going while they were listed';
  return known.drifted.length > 0
    ? { problems: [incomplete('records', `${why}, as the time before`)], notices: [], noted: known }
    : { problems: [], notices: [why], noted: { ...known, drifted: ['full'] } };
}

export const noneNoted: Noted = { drifted: [], limited: null };

export function notedIn({ drifted, limited }: Facts): Noted {
  return { drifted: drifted ?? [], limited: limited ?? null };
}

/** Facts that are written even if nothing else is: a pull is worse than the state says. */
export function worse(facts: Facts, { drifted, limited }: Noted): Pick<Facts, 'drifted' | 'limited'> {
  const known = notedIn(facts);
  return {
    ...(drifted.some((mode) => !known.drifted.includes(mode)) && { drifted }),
    ...(limited !== null && known.limited === null && { limited }),
  };
}

/** The notes as facts, if the state has other ones. */
export function noteFacts(facts: Facts, { drifted, limited }: Noted): Pick<Facts, 'drifted' | 'limited'> {
  const known = notedIn(facts);
  return {
    ...(known.drifted.join(' ') !== drifted.join(' ') && { drifted }),
    ...(known.limited !== limited && { limited }),
  };
}

/** `status` reads what the last run wrote. Whether pulls are whole, and which columns are lost, is news; how much is missing today is not (W9). */
export function isPullNews(before: Pick<StoredLastRun, 'problems'> | undefined, problems: readonly Problem[]): boolean {
  const ids = (of: readonly Pick<Problem, 'id' | 'kind' | 'rule'>[]) =>
    of.flatMap(({ id, kind, rule }) => (kind === 'incomplete' || rule === 'W11' ? [id] : [])).join(' ');
  return ids(before?.problems ?? []) !== ids(problems);
}
