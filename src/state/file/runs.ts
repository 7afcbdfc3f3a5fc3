// The reports of a job's runs, a file each: damage affects one report, and the oldest can be deleted one by one.
import { join } from 'node:path';
import type { RunQuery, RunRecord } from '../port.ts';
import { makeFolder, namesIn, onDisk, readIfThere, syncFolder, unlinkIfThere, writeWhole } from './disk.ts';
import type { Disk } from './disk.ts';
import type { FileDriverDep } from './dep.ts';
import { draftForm, renameDraft } from './fence.ts';
import type { Fence } from './fence.ts';
import { seal, unseal } from './seal.ts';

export interface Runs {
  append(record: RunRecord, fence: Fence): Promise<void>;
  read(query: RunQuery): Promise<readonly RunRecord[]>;
  find(run: string): Promise<RunRecord | undefined>;
}

const dayMs = 86_400_000;
type RunsDep = Pick<FileDriverDep, 'disk' | 'now' | 'warn' | 'runsMax' | 'runDays'>;

/** The parts of a file name: `0000000017.2026-01-31T09-00-00-000Z.RUN.json`. */
export interface NamedRun {
  readonly name: string;
  /** Counts the reports of the job: names sort in the order of writing, also if the clock is set back. */
  readonly place: number;
  /** The instant of the end, as `instantPart` writes it. */
  readonly instant: string;
  /** As `idPart` writes it. */
  readonly id: string;
}

export function runsFolder(folderOfJob: string): string {
  return join(folderOfJob, 'runs');
}

/** The reports of a job, the one stored first first. */
export async function listRuns(disk: Disk, folder: string): Promise<readonly NamedRun[]> {
  return (await namesIn(disk, folder)).flatMap((name) => namedRun(name) ?? []);
}

/** Undefined: no report has this file name. */
export function namedRun(name: string): NamedRun | undefined {
  const [, place, instant = '', id = ''] = /^(\d+)\.([^.]+)\.(.*)\.json$/.exec(name) ?? [];
  return place === undefined ? undefined : { name, place: Number(place), instant, id };
}

/** Undefined: it is gone since the folder was listed, or damaged. */
export async function readReport(
  { disk, warn }: Pick<RunsDep, 'disk' | 'warn'>,
  folder: string,
  { name }: Pick<NamedRun, 'name'>,
): Promise<RunRecord | undefined> {
  const file = join(folder, name);
  const readOnce = async (): Promise<{ readonly report: RunRecord } | 'damaged' | undefined> => {
    const bytes = await readIfThere(disk, file);
    if (bytes === undefined) return undefined;
    return (unseal(bytes) as { readonly report: RunRecord } | undefined) ?? 'damaged';
  };
  let stored = await readOnce();
  // A single read may be wrong, and the disk right (S10).
  if (stored === 'damaged') stored = await readOnce();
  if (stored !== 'damaged') return stored?.report;
  warn({ kind: 'damaged', file, message: `the report ${file} is damaged and is left out: delete the file` });
  return undefined;
}

export function createRuns(folderOfJob: string, { disk, now, warn, runsMax, runDays }: RunsDep): Runs {
  const folder = runsFolder(folderOfJob);
  let isFolderMade = false;
  const list = () => listRuns(disk, folder);
  const read = (run: NamedRun) => readReport({ disk, warn }, folder, run);

  async function prune(kept: readonly NamedRun[]): Promise<void> {
    const oldest = instantPart(new Date(now() - runDays * dayMs).toISOString());
    for (const [index, { name, instant }] of kept.entries()) {
      if (index < kept.length - runsMax || instant < oldest) await unlinkIfThere(disk, join(folder, name));
    }
  }

  async function write(report: RunRecord, fence: Fence): Promise<void> {
    const known = await list();
    const place = known.find(({ id }) => id === idPart(report.run))?.place ?? (known.at(-1)?.place ?? 0) + 1;
    const parts = [String(place).padStart(placeDigits, '0'), instantPart(report.endedAt), idPart(report.run), 'json'];
    // Those of killed runs.
    for (const name of await namesIn(disk, folder)) {
      if (draftForm.test(name)) await unlinkIfThere(disk, join(folder, name));
    }
    const draft = fence.draftOf(join(folder, 'draft'));
    await writeWhole(disk, draft, [seal({ report })]);
    await fence.look();
    await renameDraft(disk, draft, join(folder, parts.join('.')), fence);
    await syncFolder(disk, folder);
    await prune(await list());
  }

  return {
    async append(report, fence) {
      if (!isFolderMade) {
        await makeFolder(disk, folderOfJob);
        await makeFolder(disk, folder);
        isFolderMade = true;
      }
      try {
        await write(report, fence);
      } catch (error) {
        // The folder may have been removed.
        isFolderMade = false;
        throw error;
      }
    },

    read: ({ before, limit }) =>
      onDisk(folder, async () => {
        const named = await list();
        const end = before === undefined ? named.length : named.findIndex(({ id }) => id === idPart(before));
        const found: RunRecord[] = [];
        for (const each of named.slice(0, Math.max(0, end)).toReversed()) {
          if (found.length >= limit) break;
          const record = await read(each);
          if (record) found.push(record);
        }
        return found;
      }),

    find: (run) =>
      onDisk(folder, async () => {
        const named = (await list()).find(({ id }) => id === idPart(run));
        return named && read(named);
      }),
  };
}

/** For ten billion reports. */
const placeDigits = 10;

export function instantPart(iso: string): string {
  return iso.replaceAll(/[:.]/g, '-');
}

/** The engine makes the ids, which may have any characters; the name of a file may not. */
export function idPart(run: string): string {
  return encodeURIComponent(run);
}
