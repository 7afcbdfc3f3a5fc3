// The files of people's requests.
import { join } from 'node:path';
import type { Json, JsonObject, Notice } from '../port.ts';
import { makeFolder, namesIn, readIfThere, renameIfThere, syncFolder, unlinkIfThere, writeWhole } from './disk.ts';
import type { Disk } from './disk.ts';
import { createFolderNames } from './folder-names.ts';
import { seal, unseal } from './seal.ts';

/**
 * The requests that people made by command, a file each, so that adding one needs no lease.
 * A batch that completes one stores its id under `consumed` together with the effects. Then the file is removed, and a
 * later batch drops the id. So a request is carried out once, wherever the process stops.
 */
export interface Requests {
  /**
   * Durable when resolved. The id sorts after those of all requests that were durable before, of any process, also if the
   * clock went back.
   */
  add(request: JsonObject): Promise<string>;
  /** Oldest first. */
  read(): Promise<ReadRequests>;
  /** The same on a disk of this machine, where a look at an empty folder takes less than the detour through a thread. */
  readIfAny(): Promise<ReadRequests>;
  /** For good when resolved. Only then may their ids be dropped: otherwise a power loss would restore the requests. */
  remove(ids: readonly string[]): Promise<void>;
  setAside(file: string, name: string): Promise<boolean>;
}

export interface ReadRequests {
  readonly requests: ReadonlyMap<string, JsonObject>;
  readonly unusable: readonly string[];
  readonly notices: readonly Notice[];
}

export interface RequestsDep {
  readonly disk: Disk;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly randomId: () => string;
}

export function createRequests({ disk, now, randomId }: RequestsDep, syncFolderPath: string): Requests {
  const folder = join(syncFolderPath, 'requests');
  const namesThere = createFolderNames();
  const fileOf = (id: string) => join(folder, `${id}.json`);
  /** The time and sequence of the last id of this process. */
  let last: string | undefined;
  /** Additions of this process take turns: each sees the id before it. */
  let turn: Promise<unknown> = Promise.resolve();

  /** Two processes that add at the same time may get the same place: then their random parts decide. */
  async function nextPlace(): Promise<string> {
    const waiting = (await namesIn(disk, folder)).flatMap((name) => placeForm.exec(name)?.[0] ?? []);
    const latest = [...(last === undefined ? [] : [last]), ...waiting].toSorted().at(-1);
    last = placeAfter(latest, now());
    return last;
  }

  /** Undefined: another process carried it out and removed it since the folder was listed. */
  async function readOne(id: string): Promise<JsonObject | 'damaged' | undefined> {
    const bytes = await readIfThere(disk, fileOf(id));
    if (bytes === undefined) return undefined;
    const stored = unseal(bytes) as { readonly request: JsonObject } | undefined;
    return stored?.request ?? 'damaged';
  }

  async function read(): Promise<ReadRequests> {
    const requests = new Map<string, JsonObject>();
    const unusable: string[] = [];
    for (const name of await namesIn(disk, folder)) {
      if (!name.endsWith('.json')) continue;
      const id = name.slice(0, -'.json'.length);
      let stored = await readOne(id);
      // A single read may be wrong, and the disk right.
      if (stored === 'damaged') stored = await readOne(id);
      if (stored === 'damaged') unusable.push(fileOf(id));
      else if (stored) requests.set(id, stored);
    }
    return { requests, unusable, notices: unusable.map((file) => describeDamage(file)) };
  }

  return {
    async add(request) {
      await makeFolder(disk, syncFolderPath);
      await makeFolder(disk, folder);
      const place = turn.then(nextPlace);
      turn = place.catch(() => {});
      const id = `${await place}-${randomId().slice(0, 8)}`;
      const draft = join(folder, `${id}.tmp`);
      await writeWhole(disk, draft, [seal({ request })]);
      await disk.rename(draft, fileOf(id));
      await syncFolder(disk, folder);
      return id;
    },

    read,
    readIfAny: async () =>
      namesThere(folder).length === 0 ? { requests: new Map(), unusable: [], notices: [] } : await read(),

    async remove(ids) {
      for (const id of ids) await unlinkIfThere(disk, fileOf(id));
      if (ids.length > 0) await syncFolder(disk, folder);
    },

    setAside: (file, name) => renameIfThere(disk, file, name),
  };
}

const sequenceDigits = 4;
const sequenceMax = 9_999;

/** Of a name, or a place by itself. Earlier versions wrote no sequence: there the random part follows, of eight digits. */
const placeForm = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2})-(\d{3})Z(?:-(\d{4})(?=-|$))?/;

function placeText(at: number, sequence: number): string {
  const time = new Date(at).toISOString().replaceAll(/[:.]/g, '-');
  return `${time}-${String(sequence).padStart(sequenceDigits, '0')}`;
}

/** The first place of this instant, or the one after `latest` if that is not earlier. undefined: there is none yet. */
function placeAfter(latest: string | undefined, now: number): string {
  const fresh = placeText(now, 0);
  const [, untilHour, minute, second, ms, sequence] = placeForm.exec(latest ?? '') ?? [];
  if (latest === undefined || untilHour === undefined || latest < fresh.slice(0, -1 - sequenceDigits)) return fresh;
  const at = Date.parse(`${untilHour}:${minute}:${second}.${ms}Z`);
  // Without a sequence the random part decides within the millisecond.
  const isNext = sequence !== undefined && Number(sequence) < sequenceMax;
  return isNext ? placeText(at, Number(sequence) + 1) : placeText(at + 1, 0);
}

function describeDamage(file: string): Notice {
  return {
    kind: 'damaged',
    file,
    message: `the request ${file} is damaged and cannot be carried out: give the command again`,
  };
}

/** Requests that no commit has declared done. */
export function pending(
  requests: ReadonlyMap<string, JsonObject>,
  consumed: ReadonlyMap<string, Json>,
): ReadonlyMap<string, JsonObject> {
  return new Map([...requests].filter(([id]) => !consumed.has(id)));
}
