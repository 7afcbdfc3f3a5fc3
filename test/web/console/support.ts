// What stories of the console share: a console over the real daemon, its pages as text, and lists walked by their links.
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { connectState } from '../../../src/app-state.ts';
import { readConfigFile } from '../../../src/app-config.ts';
import type { StoredRun } from '../../../src/engine/stored/run.ts';
import { noRunCounts } from '../../support/run-counts.ts';
import type { HistoryLine, RunRecord, Store } from '../../../src/state/port.ts';

export const password = 'correct horse battery staple';
const withPassword = { authorization: `Basic ${btoa(`anybody:${password}`)}` };

export interface Browsing {
  readonly get: (path: string) => Promise<Response>;
  /** The text of a page that has to be there. */
  readonly page: (path: string) => Promise<string>;
  /** A download as its rows by column. */
  readonly csv: (path: string) => Promise<readonly Readonly<Record<string, string>>[]>;
}

/** `isKnown`: the requests carry the password. */
export function browsing(url: string, isKnown = true): Browsing {
  const get = (path: string) => fetch(`${url}${path}`, { headers: isKnown ? withPassword : {} });
  const page = async (path: string) => {
    const answer = await get(path);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text;
  };
  const csv = async (path: string) => {
    const answer = await get(path);
    const type = answer.headers.get('content-type');
    if (!answer.ok || type !== 'text/csv; charset=utf-8') throw new Error(`${path}: ${answer.status} ${type}`);
    return parse<Record<string, string>>(Buffer.from(await answer.arrayBuffer()), { columns: true, bom: true });
  };
  return { get, page, csv };
}

/** The address of a link by its words; undefined: the page has no such link. */
export function linkOf(page: string, words: string): string | undefined {
  const found = [...page.matchAll(/<a\s[^>]*href="([^"]+)"[^>]*>\s*([^<]*?)\s*<\/a>/g)];
  return found.find(([, , text]) => text === words)?.[1]?.replaceAll('&amp;', '&');
}

/** Every page from this one on, by one of its links. */
export async function walk({ page }: Browsing, from: string, words: 'Next' | 'Previous'): Promise<readonly string[]> {
  const pages: string[] = [];
  for (let path: string | undefined = from; path !== undefined; path = linkOf(pages.at(-1)!, words)) {
    pages.push(await page(path));
  }
  return pages;
}

/** All of the texts that a pattern finds, in the order of the pages. */
export function foundIn(pages: readonly string[], pattern: RegExp): readonly string[] {
  return pages.flatMap((text) => [...text.matchAll(pattern)].map(([whole, group]) => group ?? whole));
}

/** The store of a configuration, as a process of its own. */
export function storeOf(configFile: string): Store {
  const config = readConfigFile(configFile, { env: {}, readFile: (path) => readFileSync(path, 'utf8') });
  const world = {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => 0.5,
    randomId: () => crypto.randomUUID(),
    process: { pid: process.pid, probe: (pid: number) => process.kill(pid, 0) },
  };
  return connectState(config, world, (message) => {
    throw new Error(message);
  });
}

/** Puts runs of a job into the state, one a minute from `from` on, each with one line of the history. */
export async function addRuns(store: Store, job: string, count: number, from: number): Promise<readonly string[]> {
  await using lease = await store.sync(job).acquireLease();
  await lease.load();
  const lines: HistoryLine[] = [];
  const runs: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const time = new Date(from + index * 60_000).toISOString();
    const run = `${job}-${String(index).padStart(5, '0')}`;
    const stored: StoredRun = {
      sync: job,
      kind: 'sync',
      run,
      status: index % 10 === 0 ? 'failed' : 'succeeded',
      startedAt: time,
      endedAt: time,
      isFull: false,
      counts: { ...noRunCounts, set: 1 },
      cost: { crmCalls: 1, sheetReads: 1, sheetWrites: 1, seconds: 1 },
      problems: [],
      holds: [],
      planned: { creates: 0, changes: 1, blanks: 0, deletes: 0, missing: 0, enrolments: 0 },
      ...(index % 10 === 0 && { error: '=1+1, "quoted"\nand a second line' }),
    };
    await lease.appendRun({ ...stored } as RunRecord & StoredRun);
    lines.push({
      time,
      sync: job,
      run,
      side: index % 3 === 0 ? 'crm' : 'sheet',
      op: 'set',
      contact: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      row: index + 2,
      field: 'company_name',
      before: null,
      after: [`=HYPERLINK("http://evil.test")`, '+1', '-1', '@SUM(A1)', '\tx', '\ry', 'שלום, "עולם"\n2'][index % 7]!,
      rule: 'I2',
      reason: `reason ${index}`,
      outcome: 'done',
    });
    runs.push(run);
  }
  await lease.appendHistory(lines);
  return runs;
}
