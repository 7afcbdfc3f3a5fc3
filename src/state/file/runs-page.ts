// Lists the reports of several jobs by the instant at which their runs ended: from the index, or from the names of the files.
import { join } from 'node:path';
import type { LastRunsQuery, RunBrief, RunPlace, RunsPage, RunsPageQuery } from '../port.ts';
import type { FileDriverDep } from './dep.ts';
import { idPart, instantPart, listRuns, readReport, runsFolder } from './runs.ts';

/** What the order of pages depends on. Texts are as in the names of folders and files: ASCII. */
export interface RunOrder {
  readonly instant: string;
  /** The name of the folder of the job. */
  readonly folder: string;
  /** The place among the reports of the job. */
  readonly place: number;
}

export interface OrderedRun extends RunOrder {
  readonly id: string;
  /** The name of the file. */
  readonly name: string;
}

/** A query with places as the names of files have them. */
export interface OrderedRunsQuery {
  readonly folders: readonly string[];
  /** Left out: all of them. */
  readonly limit?: number;
  readonly status?: string;
  readonly id?: string;
  readonly after?: RunOrder;
  readonly before?: RunOrder;
}

export interface RunsIndex {
  /**
   * The reports in order; with `before` the nearest ones, the nearest first. Undefined: the index is not up to date, or
   * failed; the files are read instead.
   */
  runs(query: OrderedRunsQuery): Promise<readonly OrderedRun[] | undefined>;
  /** The last reports of each job by the name of its folder; undefined: as above. */
  lastRuns(
    folders: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, readonly (OrderedRun & { readonly status: string })[]> | undefined>;
}

interface PageDep extends Pick<FileDriverDep, 'disk' | 'warn'> {
  readonly root: string;
  /** The name of the folder of a job. */
  readonly folderName: (job: string) => string;
}

export async function readRunsPage(
  query: RunsPageQuery,
  dep: PageDep,
  index: RunsIndex | undefined,
): Promise<RunsPage> {
  const { jobs, limit, status, run, after, before } = query;
  const jobByFolder = new Map(jobs.map((job) => [dep.folderName(job), job]));
  const ordered: OrderedRunsQuery = {
    folders: [...jobByFolder.keys()],
    ...(status !== undefined && { status }),
    ...(run !== undefined && { id: idPart(run) }),
    ...(after && { after: toOrdered(after, dep) }),
    ...(before && { before: toOrdered(before, dep) }),
  };
  const found: RunsPage['runs'][number][] = [];
  // A damaged report leaves a gap, which the next ones fill.
  const places = (await index?.runs({ ...ordered, limit: limit + spareReports })) ?? (await listInOrder(ordered, dep));
  for (const at of places) {
    if (found.length > limit) break;
    const record = await readReport(dep, runsFolder(join(dep.root, at.folder)), at);
    if (!record || (status !== undefined && record.status !== status)) continue;
    const place = { endedAt: isoOf(at.instant), job: jobByFolder.get(at.folder)!, order: at.place };
    found.push({ place, record });
  }
  const shown = found.slice(0, limit);
  return { runs: before ? shown.toReversed() : shown, hasMore: found.length > limit };
}

/** One more says that there is another page; the rest stands in for reports that cannot be read. */
const spareReports = 20;

export async function readLastRuns(
  { jobs, limit }: LastRunsQuery,
  dep: PageDep,
  index: RunsIndex | undefined,
): Promise<ReadonlyMap<string, readonly RunBrief[]>> {
  const folders = jobs.map((job) => dep.folderName(job));
  const indexed = await index?.lastRuns(folders, limit);
  const runsByJob = new Map<string, readonly RunBrief[]>();
  for (const [place, job] of jobs.entries()) {
    const folder = folders[place]!;
    const ofIndex = indexed?.get(folder);
    const runs = ofIndex ? briefsOf(ofIndex) : indexed ? [] : await readBriefs(folder, limit, dep);
    if (runs.length > 0) runsByJob.set(job, runs);
  }
  return runsByJob;
}

async function readBriefs(folder: string, limit: number, dep: PageDep): Promise<readonly RunBrief[]> {
  const briefs: RunBrief[] = [];
  for (const place of await listInOrder({ folders: [folder] }, dep)) {
    if (briefs.length >= limit) break;
    const record = await readReport(dep, runsFolder(join(dep.root, folder)), place);
    if (record) briefs.push({ run: record.run, endedAt: record.endedAt, status: record.status });
  }
  return briefs;
}

async function listInOrder(
  { folders, id, after, before }: OrderedRunsQuery,
  { disk, root }: PageDep,
): Promise<readonly OrderedRun[]> {
  const all: OrderedRun[] = [];
  for (const folder of folders) {
    for (const named of await listRuns(disk, runsFolder(join(root, folder)))) {
      const place: OrderedRun = { folder, ...named };
      if (id !== undefined && place.id !== id) continue;
      if (after && compareRuns(place, after) <= 0) continue;
      if (before && compareRuns(place, before) >= 0) continue;
      all.push(place);
    }
  }
  const direction = before ? -1 : 1;
  return all.toSorted((a, b) => direction * compareRuns(a, b));
}

/** The one that ended last first. */
function compareRuns(a: RunOrder, b: RunOrder): number {
  return compareTexts(b.instant, a.instant) || compareTexts(a.folder, b.folder) || b.place - a.place;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function toOrdered({ endedAt, job, order }: RunPlace, { folderName }: PageDep): RunOrder {
  return { instant: instantPart(endedAt), folder: folderName(job), place: order };
}

function briefOf({ id, instant, status }: OrderedRun & { readonly status: string }): RunBrief {
  return { run: decodeURIComponent(id), endedAt: isoOf(instant), status };
}

/** The reverse of `instantPart`. */
function isoOf(instant: string): string {
  return instant.replace(/T(\d{2})-(\d{2})-(\d{2})-(\d{3}Z)$/, 'T$1:$2:$3.$4');
}

/** An index that answers from memory gives the same list while nothing has changed. */
const briefsByRuns = new WeakMap<readonly object[], readonly RunBrief[]>();

function briefsOf(runs: readonly (OrderedRun & { readonly status: string })[]): readonly RunBrief[] {
  const known = briefsByRuns.get(runs) ?? runs.map(briefOf);
  briefsByRuns.set(runs, known);
  return known;
}
