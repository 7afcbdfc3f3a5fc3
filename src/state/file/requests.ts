// The files of people's requests.
import { join } from 'node:path';
import type { Json, JsonObject, Notice } from '../port.ts';
import {
  makeFolder,
  namesIn,
  namesNow,
  readIfThere,
  renameIfThere,
  syncFolder,
  unlinkIfThere,
  writeWhole,
} from './disk.ts';
import type { Disk } from './disk.ts';
import { seal, unseal } from './seal.ts';

/**
 * The requests that people made by command, a file each, so that adding one needs no lease.
 * A batch that completes one stores its id under `consumed` together with the effects. Then the file is removed, and a
 * later batch drops the id. So a request is carried out once, wherever the process stops.
 */
export interface Requests {
  /** Durable when resolved. The id sorts by time. */
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

export function createRequests(disk: Disk, syncFolderPath: string, createId: () => string): Requests {
  const folder = join(syncFolderPath, 'requests');
  const fileOf = (id: string) => join(folder, `${id}.json`);
  async function read(): Promise<ReadRequests> {
    const requests = new Map<string, JsonObject>();
    const unusable: string[] = [];
    for (const name of await namesIn(disk, folder)) {
      if (!name.endsWith('.json')) continue;
      const id = name.slice(0, -'.json'.length);
      const bytes = await readIfThere(disk, fileOf(id));
      // Another process carried it out and removed it since the folder was listed.
      if (bytes === undefined) continue;
      const stored = unseal(bytes) as { readonly request: JsonObject } | undefined;
      if (stored) requests.set(id, stored.request);
      else unusable.push(fileOf(id));
    }
    return { requests, unusable, notices: unusable.map((file) => describeDamage(file)) };
  }

  return {
    async add(request) {
      await makeFolder(disk, syncFolderPath);
      await makeFolder(disk, folder);
      const id = createId();
      const draft = join(folder, `${id}.tmp`);
      await writeWhole(disk, draft, [seal({ request })]);
      await disk.rename(draft, fileOf(id));
      await syncFolder(disk, folder);
      return id;
    },

    read,
    readIfAny: async () =>
      namesNow(folder).length === 0 ? { requests: new Map(), unusable: [], notices: [] } : await read(),

    async remove(ids) {
      for (const id of ids) await unlinkIfThere(disk, fileOf(id));
      if (ids.length > 0) await syncFolder(disk, folder);
    },

    setAside: (file, name) => renameIfThere(disk, file, name),
  };
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
