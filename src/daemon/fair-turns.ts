// Shares the runs that one process does at once among accounts: an account whose calls hang holds up no other.

/**
 * Runs at once. One account alone uses all of them, which is enough to keep its budgets busy; more of them would hold what they
 * have read so far, and none would end sooner.
 */
export const runsAtOnce = 20;
/** Runs of one account at once, where there are several. */
const ofOneAccountMax = 10;
/** Runs more, for accounts of which nothing runs. */
const besides = 20;

export interface FairTurns {
  /**
   * Does the run when its turn comes. First are runs of the account of which the fewest go on, then those that have waited longest.
   * undefined: the process was asked to end before. `account` is undefined where there is one.
   */
  run<Result>(account: string | undefined, work: () => Promise<Result>): Promise<Result | undefined>;
}

interface Waiting {
  readonly account: string | undefined;
  readonly begin: () => void;
}

export function createFairTurns(stop: AbortSignal): FairTurns {
  const waiting: Waiting[] = [];
  const running = new Map<string | undefined, number>();
  let all = 0;

  const runningOf = (account: string | undefined) => running.get(account) ?? 0;

  function mayBegin({ account }: Waiting): boolean {
    const own = runningOf(account);
    if (own === 0 && all < runsAtOnce + besides) return true;
    return all < runsAtOnce && own < (account === undefined ? runsAtOnce : ofOneAccountMax);
  }

  function beginNext(): void {
    for (;;) {
      const able = waiting.filter(mayBegin);
      if (able.length === 0) return;
      const next = able.reduce((best, each) => (runningOf(each.account) < runningOf(best.account) ? each : best));
      waiting.splice(waiting.indexOf(next), 1);
      next.begin();
    }
  }

  function count(account: string | undefined, by: number): void {
    all += by;
    running.set(account, runningOf(account) + by);
    if (runningOf(account) === 0) running.delete(account);
  }

  return {
    async run(account, work) {
      if (stop.aborted) return undefined;
      const { promise: turn, resolve } = Promise.withResolvers<boolean>();
      const own: Waiting = {
        account,
        begin() {
          count(account, 1);
          resolve(true);
        },
      };
      stop.addEventListener('abort', giveUp, { once: true });
      waiting.push(own);
      beginNext();
      const hasBegun = await turn;
      stop.removeEventListener('abort', giveUp);
      if (!hasBegun) return undefined;
      try {
        return stop.aborted ? undefined : await work();
      } finally {
        count(account, -1);
        beginNext();
      }

      function giveUp(): void {
        const place = waiting.indexOf(own);
        if (place < 0) return;
        waiting.splice(place, 1);
        resolve(false);
      }
    },
  };
}
