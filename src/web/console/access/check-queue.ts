// Checks of password hashes one after the other: each takes much memory and a thread for a while.

export interface CheckQueue {
  /**
   * Undefined: there is no room, and the check was not begun. `client`: one client has two checks at most. `failures`: when
   * the queue is full, the client with the most failures gives its place to one with fewer.
   */
  run<Result>(client: string, failures: number, check: () => Promise<Result>): Promise<Result | undefined>;
}

/** At a few tenths of a second each, the last one waits for some seconds. */
const waitingMax = 20;
const byClientMax = 2;

interface Waiting {
  readonly failures: number;
  readonly begin: (mayBegin: boolean) => void;
}

export function createCheckQueue(): CheckQueue {
  const waiting: Waiting[] = [];
  const countByClient = new Map<string, number>();
  let isBusy = false;

  function turn(failures: number): Promise<boolean> {
    if (!isBusy) {
      isBusy = true;
      return Promise.resolve(true);
    }
    if (waiting.length >= waitingMax) {
      const worst = waiting.toSorted((a, b) => b.failures - a.failures)[0]!;
      if (worst.failures <= failures) return Promise.resolve(false);
      waiting.splice(waiting.indexOf(worst), 1);
      worst.begin(false);
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    waiting.push({ failures, begin: resolve });
    return promise;
  }

  return {
    async run(client, failures, check) {
      const count = countByClient.get(client) ?? 0;
      if (count >= byClientMax) return undefined;
      countByClient.set(client, count + 1);
      try {
        if (!(await turn(failures))) return undefined;
        try {
          return await check();
        } finally {
          const next = waiting.shift();
          if (next) next.begin(true);
          else isBusy = false;
        }
      } finally {
        const left = countByClient.get(client)! - 1;
        if (left === 0) countByClient.delete(client);
        else countByClient.set(client, left);
      }
    },
  };
}
