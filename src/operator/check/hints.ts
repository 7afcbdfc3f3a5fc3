// Checks the hints of an account: whether Drive tells about its spreadsheets, or whether switching them on would pay.
import type { AccountConfig, Config } from '../../config/config.ts';
import type { JobConfig } from '../../config/jobs.ts';
import { scheduleIntervalMs } from '../../engine/interval.ts';
import type { Hints } from '../../sheets/port.ts';
import { countText } from '../words.ts';
import { aboutSide, type Finding } from './finding.ts';
import type { FoundTab } from './tabs.ts';

/** A read of a tab of so many rows and twelve columns is some 5 MB (docs/performance.md). */
const rowsMany = 20_000;
/** Of the reads that Google allows a minute: the others are for commands, retries and runs that write. */
const shareMuch = 0.5;

interface OfAccount {
  readonly config: Config;
  readonly account: AccountConfig;
  readonly jobs: readonly JobConfig[];
}

/** One line for the account. Without hints every run reads its tab: a refusal stops nothing. */
export async function* checkHints({ config, account, jobs }: OfAccount, hints: Hints): AsyncGenerator<Finding> {
  const spreadsheets = [...new Set(jobs.map((job) => job.config.sheet.spreadsheetId))];
  const about = { about: aboutSide(config, account.name, 'google'), what: 'hints' } as const;
  for (const spreadsheet of spreadsheets) {
    const why = await hints.whyNot(spreadsheet);
    if (why === undefined) continue;
    const effect = 'every run reads its tab as without google.hints';
    yield { ...about, verdict: 'warning', detail: `spreadsheet ${spreadsheet}: ${why}; until then ${effect}` };
    return;
  }
  const shown = `Drive tells about ${countText(spreadsheets.length, 'spreadsheet')}, by ${account.google.hints}`;
  const longer = adviseLongerLook(jobs, account.google.readsPerMinute);
  yield longer === undefined
    ? { ...about, verdict: 'ok', detail: shown }
    : { ...about, verdict: 'warning', detail: `${shown}; ${longer}` };
}

/** Undefined: the full looks of all tabs leave reads for the rest. */
function adviseLongerLook(jobs: readonly JobConfig[], perMinute: number): string | undefined {
  const reading = jobs.filter((job) => job.kind !== 'outbox');
  const looks = reading.reduce((sum, job) => sum + 60_000 / job.config.sheet.fullLookMs, 0);
  if (looks <= perMinute * shareMuch) return undefined;
  const minutes = Math.min(60, Math.ceil(reading.length / (perMinute * shareMuch)));
  return `full looks read ${Math.round(looks)} times a minute, of ${perMinute}: full_look: ${minutes}m`;
}

/** Jobs whose hints are off although they would pay. `tabs`: those that were found. `now`: epoch milliseconds. */
export function* checkNoHints(
  { config, account, jobs, now }: OfAccount & { readonly now: number },
  tabs: readonly FoundTab[],
): Generator<Finding> {
  const reading = jobs.filter(({ kind }) => kind !== 'outbox');
  const names = new Set(reading.map(({ name }) => name));
  const readsAMinute = readsAMinuteOf(reading, now);
  const perMinute = account.google.readsPerMinute;
  const detail = adviseHints({ tabs: tabs.filter(({ owner }) => names.has(owner)), readsAMinute, perMinute });
  if (detail === undefined) return;
  const verdict = readsAMinute > perMinute ? 'warning' : 'ok';
  yield { about: aboutSide(config, account.name, 'google'), what: 'hints', verdict, detail };
}

/** One read for each run. */
function readsAMinuteOf(jobs: readonly JobConfig[], now: number): number {
  return jobs.reduce((sum, job) => sum + 60_000 / scheduleIntervalMs(job.config.schedule, now), 0);
}

interface ReadTabs {
  /** Tabs of syncs and feeds. An outbox always reads its tab. */
  readonly tabs: readonly FoundTab[];
  /** Reads by their schedules, while nothing changes. */
  readonly readsAMinute: number;
  /** Reads of the account that are allowed a minute. */
  readonly perMinute: number;
}

/** Undefined: there is nothing to gain, or little. */
function adviseHints({ tabs, readsAMinute, perMinute }: ReadTabs): string | undefined {
  const [longest] = tabs.toSorted((a, b) => b.rowCount - a.rowCount);
  if (!longest) return undefined;
  const isOften = tabs.length > 1 && readsAMinute > perMinute * shareMuch;
  const isLong = longest.rowCount >= rowsMany;
  if (!isOften && !isLong) return undefined;
  const why = [
    ...(isOften ? [`${tabs.length} tabs are read ${Math.round(readsAMinute)} times a minute, of ${perMinute}`] : []),
    ...(isLong ? [`"${longest.title}" has ${countText(longest.rowCount, 'row')}, which every run reads`] : []),
  ];
  const mode = new Set(tabs.map(({ spreadsheetId }) => spreadsheetId)).size > 1 ? 'changes' : 'version';
  return `${why.join('; ')}. Google Drive can be asked first whether they changed: google: { hints: ${mode} } (docs/spreadsheet.md)`;
}
