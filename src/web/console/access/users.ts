// The users of the configuration, read again when the file changes: a removed user is out within seconds.
import { stat } from 'node:fs/promises';
import type { UserConfig } from '../../../config/config.ts';
import { userKey } from '../../../config/users.ts';

export interface Users {
  /** By `userKey`, as of the file at most a second ago. */
  current(): Promise<ReadonlyMap<string, UserConfig>>;
}

export interface UsersDep {
  readonly initial: readonly UserConfig[];
  /** The path of the configuration. */
  readonly path: string;
  /** Reads the users from the file. Throws ConfigError. Undefined: they stay as they are. */
  readonly reread: (() => readonly UserConfig[]) | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  readonly onChange: () => void;
  /** The file cannot be read: the users stay as they were. Called once for each fault. */
  readonly onFailure: (error: unknown) => void;
}

const lookEveryMs = 1_000;

export function createUsers({ initial, path, reread, elapsed, onChange, onFailure }: UsersDep): Users {
  let users = byKey(initial);
  let stamp: string | undefined;
  let lookedAt = -Infinity;
  let looking: Promise<void> | undefined;
  let lastFault = '';

  async function look(): Promise<void> {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const found = `${mtimeMs} ${size} ${ino}`;
      if (found === stamp) return;
      const isFirst = stamp === undefined;
      const read = byKey(reread!());
      stamp = found;
      lastFault = '';
      users = read;
      if (!isFirst) onChange();
    } catch (error) {
      const fault = String(error);
      if (fault !== lastFault) onFailure(error);
      lastFault = fault;
    }
  }

  return {
    async current() {
      if (reread && elapsed() - lookedAt >= lookEveryMs) {
        lookedAt = elapsed();
        looking = look();
      }
      await looking;
      return users;
    },
  };
}

function byKey(users: readonly UserConfig[]): ReadonlyMap<string, UserConfig> {
  return new Map(users.map((user) => [userKey(user.name), user]));
}
