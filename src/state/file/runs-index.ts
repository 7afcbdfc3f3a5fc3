// The index over the reports of runs: the names of their files in the order of pages, with the status of each. It follows
// the folders: each question first compares the names in them with what is indexed.
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { FileDriverDep } from './dep.ts';
import { namesNow } from './disk.ts';
import { folderStamp, isSettledNow } from './folder-names.ts';
import { type IndexConnection, inTransaction, keptPerDatabase, statement } from './index-connection.ts';
import { type NamedRun, namedRun, readReport, runsFolder } from './runs.ts';
import type { OrderedRun, OrderedRunsQuery, RunOrder, RunsIndex } from './runs-page.ts';

/** A folder of reports as it was when its names were compared with the index. */
interface Seen {
  /** Changes whenever a file is added or removed, but not twice within the grain of the clock of the disk. */
  readonly stamp: string;
  /** Milliseconds of this process at which the folder first had this stamp. */
  readonly since: number;
  /** The names were compared later than a grain after that: without another stamp there is no other name. */
  readonly isSettled: boolean;
  /** The last runs, by how many were asked for. */
  readonly lastRuns: Map<number, readonly IndexedRun[]>;
}

type IndexedRun = OrderedRun & { readonly status: string };

export function createRunsIndex(
  root: string,
  dep: Pick<FileDriverDep, 'disk' | 'warn'>,
  { attempt }: IndexConnection,
): RunsIndex & { keep(folders: readonly string[]): Promise<void> } {
  const seenIn = keptPerDatabase(() => new Map<string, Seen>());

  async function catchUp(open: DatabaseSync, folders: readonly string[]): Promise<void> {
    const seenByFolder = seenIn(open);
    for (const folder of folders) {
      const seen = seenByFolder.get(folder);
      const stamp = folderStamp(runsFolder(join(root, folder)));
      if (seen?.isSettled && seen.stamp === stamp) continue;
      const at = performance.now();
      const since = seen?.stamp === stamp ? seen.since : at;
      seenByFolder.delete(folder);
      await compare(open, folder);
      seenByFolder.set(folder, { stamp, since, isSettled: isSettledNow(stamp, at - since), lastRuns: new Map() });
    }
  }

  /** On a disk of this machine, where a list of a thousand names takes less than the detour through another thread. */
  async function compare(open: DatabaseSync, folder: string): Promise<void> {
    const path = runsFolder(join(root, folder));
    const present = new Set(namesNow(path));
    const known = new Set(
      statement(open, 'SELECT name FROM runs WHERE folder = ?')
        .all(folder)
        .map(({ name }) => String(name)),
    );
    const gone = [...known].filter((name) => !present.has(name));
    const added: (NamedRun & { readonly status: string | null })[] = [];
    for (const name of present) {
      const named = known.has(name) ? undefined : namedRun(name);
      if (named) added.push({ ...named, status: (await readReport(dep, path, named))?.status ?? null });
    }
    if (gone.length === 0 && added.length === 0) return;
    inTransaction(open, () => {
      const remove = open.prepare('DELETE FROM runs WHERE folder = ? AND name = ?');
      for (const name of gone) remove.run(folder, name);
      const add = open.prepare(
        'INSERT OR REPLACE INTO runs (folder, name, instant, place, id, status) VALUES (?, ?, ?, ?, ?, ?)',
      );
      for (const { name, instant, place, id, status } of added) add.run(folder, name, instant, place, id, status);
    });
  }

  function lastRunsOf(open: DatabaseSync, folder: string, limit: number): readonly IndexedRun[] {
    const seen = seenIn(open).get(folder);
    const before = seen?.lastRuns.get(limit);
    if (before) return before;
    const runs = statement(
      open,
      `${select} WHERE folder = ? AND status IS NOT NULL ORDER BY instant DESC, place DESC LIMIT ?`,
    )
      .all(folder, limit)
      .map(toRun);
    seen?.lastRuns.set(limit, runs);
    return runs;
  }

  return {
    runs: (query) =>
      attempt(async (open) => {
        await catchUp(open, query.folders);
        return findRuns(open, query);
      }),
    lastRuns: (folders, limit) =>
      attempt(async (open) => {
        await catchUp(open, folders);
        return new Map(folders.map((folder) => [folder, lastRunsOf(open, folder, limit)]));
      }),
    keep: async (folders) => {
      await attempt((open) => catchUp(open, folders));
    },
  };
}

const select = 'SELECT folder, name, instant, place, id, status FROM runs';

function findRuns(
  db: DatabaseSync,
  { folders, status, id, after, before, limit = -1 }: OrderedRunsQuery,
): readonly OrderedRun[] {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (condition: string, ...given: readonly SQLInputValue[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (folders.length === 1) add('folder = ?', folders[0]!);
  else add('+folder IN (SELECT value FROM json_each(?))', JSON.stringify(folders));
  if (status !== undefined) add('+status = ?', status);
  if (id !== undefined) add('id = ?', id);
  if (after) addBeyond(after, ['<', '>', '<']);
  if (before) addBeyond(before, ['>', '<', '>']);
  const order = before ? ['ASC', 'DESC', 'ASC'] : ['DESC', 'ASC', 'DESC'];
  const sql = `${select} WHERE ${conditions.join(' AND ')}
    ORDER BY ${['instant', 'folder', 'place'].map((column, index) => `${column} ${order[index]}`).join(', ')} LIMIT ?`;
  return db
    .prepare(sql)
    .all(...values, limit)
    .map(toRun);

  function addBeyond({ instant, folder, place }: RunOrder, [first, second, third]: readonly [string, string, string]) {
    add(`instant ${first}= ?`, instant);
    add(
      `(instant ${first} ? OR folder ${second} ? OR (folder = ? AND place ${third} ?))`,
      instant,
      folder,
      folder,
      place,
    );
  }
}

function toRun({ folder, name, instant, place, id, status }: Record<string, unknown>): IndexedRun {
  return {
    folder: String(folder),
    name: String(name),
    instant: String(instant),
    place: Number(place),
    id: String(id),
    status: String(status),
  };
}
