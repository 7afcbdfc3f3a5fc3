// Starts of calls that all workers share over PostgreSQL: each draws a few ahead, and makes calls from what it has drawn.
import delay from 'delay';
import { afterRunning } from '../lib/running-time.ts';
import type { Limit, SharedStarts } from './meter.ts';
import { createTableSql, drawSql, type Drawn, drawnOf, pauseSql } from './draw-sql.ts';

/**
 * What holds, whichever workers start, die, hesitate or sleep:
 * - The database decides on a draw after its statement was sent. So each call of a draw is made between that decision and
 *   the instant `validMs` after the statement was sent, by two clocks of the worker: the monotone one, and the one of the
 *   wall, which goes on while the machine sleeps. If either has moved on by more, or the second one was set back, what is
 *   left of the draw is lost.
 * - The database counts a draw until `validMs` and the length of the limit are over, by its own clock. So in no time of
 *   that length are there more calls than the limit.
 * - A worker without a draw makes no call. A database that is slow or away slows calls down, and never speeds them up.
 */
export interface SharedPostgresDep {
  /** One statement on any connection; returns its rows. */
  readonly query: (text: string, values?: readonly unknown[]) => Promise<readonly unknown[]>;
  /** The schema of the table, as an identifier. */
  readonly schema: string;
  /** Whether this process may make the table, and the schema, if they are not there. */
  readonly migrates: boolean;
  /** Unique among the processes that share. */
  readonly worker: string;
  /** Milliseconds from any fixed instant, never set back: performance.now. */
  readonly elapsed: () => number;
  /** Epoch milliseconds by the clock of the wall. */
  readonly now: () => number;
  /** Called once, until drawing works again. */
  readonly warn: (message: string) => void;
  /** Of limits by the minute. Left out: a minute. */
  readonly minuteMs?: number;
}

export type SharedPostgres = SharedStarts & Disposable;

/** At most one statement in this time for each budget. What was drawn is valid as long. */
const drawEveryMs = 1_000;
/** If statements take long, what they draw has to be valid for longer than they took. */
const validMsMax = 10_000;
/** A draw that is not answered by then counts as failed. Its answer is not used. */
const answerMsMax = 10_000;
/** A minute counts a little more, because calls arrive a little early or late: as the budgets of one process do. */
const slack = 1.01;
/** So many calls may be made at once; a budget of one call a second would otherwise do one after the other. */
const atOnce = 4;
/** Until it is looked again whether a draw was answered. */
const lookAgainMs = { least: 2, most: 200 };

/** By both clocks. */
interface Instant {
  readonly elapsed: number;
  readonly now: number;
}

interface Kept {
  granted: { left: number; readonly sent: Instant; readonly validMs: number } | undefined;
  /** For which the next draw is asked to be valid. */
  validMs: number;
  /** By `elapsed`; undefined: no statement is under way. */
  drawSentAt: number | undefined;
  nextDrawAt: number;
  pausedUntil: number;
  /** A pause, by `elapsed`, that the others have yet to be told of. */
  pauseToTell: number | undefined;
  used: { readonly count: number; readonly at: number } | undefined;
}

export function createSharedPostgres(dep: SharedPostgresDep): SharedPostgres {
  const { query, schema, migrates, worker, elapsed, now, warn, minuteMs = 60_000 } = dep;
  const budgets = new Map<string, Kept>();
  const ending = new AbortController();
  let isTold = false;
  let hasTable = false;

  function keptOf(budget: string): Kept {
    const known = budgets.get(budget);
    if (known) return known;
    const fresh: Kept = {
      granted: undefined,
      pauseToTell: undefined,
      validMs: drawEveryMs,
      drawSentAt: undefined,
      nextDrawAt: -Infinity,
      pausedUntil: -Infinity,
      used: undefined,
    };
    budgets.set(budget, fresh);
    return fresh;
  }

  /** False: nothing is left that may still be used. */
  function useOne({ granted }: Kept): boolean {
    if (!granted || granted.left === 0) return false;
    const aged = [elapsed() - granted.sent.elapsed, now() - granted.sent.now];
    if (!aged.every((ms) => ms >= 0 && ms < granted.validMs)) granted.left = 0;
    if (granted.left === 0) return false;
    granted.left -= 1;
    return true;
  }

  async function draw(budget: string, kept: Kept, limit: Limit, wanted: number): Promise<void> {
    kept.granted = undefined;
    const sent: Instant = { elapsed: elapsed(), now: now() };
    kept.drawSentAt = sent.elapsed;
    const { validMs } = kept;
    const minute = toMinute(limit, minuteMs);
    const secondsWorth = Math.max(1, minute.startsMax / (minute.lengthMs / 1_000));
    const most = Math.max(atOnce, Math.floor(secondsWorth));
    try {
      const drawn = await inTime(async () => {
        await makeTable();
        // `sent` is earlier if the table has to be made: what is drawn ends the sooner.
        return await query(drawSql(schema), [
          budget,
          worker,
          Math.min(wanted, most),
          Math.floor(secondsWorth),
          most,
          validMs,
          minute.startsMax,
          minute.lengthMs,
          minute.startsMax / (minute.lengthMs + validMs),
          // A budget that is counted by the minute may be used up at once, and one by the second within two of them.
          limit.lengthMs >= minuteMs ? minute.startsMax : Math.max(1, 2 * secondsWorth),
        ]);
      });
      const answer = drawn.map(drawnOf)[0];
      if (!answer) throw new Error('PostgreSQL answered a draw with no row');
      keep(kept, answer, sent, validMs);
      isTold = false;
    } catch (error) {
      kept.nextDrawAt = elapsed() + drawEveryMs;
      tellFailure(error);
    } finally {
      kept.drawSentAt = undefined;
    }
  }

  function keep(kept: Kept, answer: Drawn, sent: Instant, validMs: number): void {
    const at = elapsed();
    kept.granted = { left: answer.granted, sent, validMs };
    kept.used = { count: answer.used, at };
    // A pause that this worker was told of meanwhile counts on.
    if (answer.pausedMs > 0) kept.pausedUntil = Math.max(kept.pausedUntil, at + answer.pausedMs);
    const isNew = answer.granted === 0 && answer.waitMs === 0;
    kept.nextDrawAt = isNew ? at : Math.max(sent.elapsed + drawEveryMs, at + answer.waitMs);
    // The answer to the draw took so long; the next one is valid for twice as long.
    kept.validMs = Math.min(validMsMax, Math.max(drawEveryMs, Math.ceil((at - sent.elapsed) * 2)));
  }

  /** Tells the others, until that works or the pause is over. */
  async function tellPause(budget: string, kept: Kept): Promise<void> {
    while (kept.pauseToTell !== undefined) {
      const until = kept.pauseToTell;
      const ms = until - elapsed();
      if (ms <= 0 || ending.signal.aborted) break;
      try {
        await inTime(async () => {
          await makeTable();
          await query(pauseSql(schema), [budget, ms]);
        });
        if (kept.pauseToTell === until) break;
      } catch (error) {
        tellFailure(error);
        await delay(drawEveryMs, { signal: ending.signal }).catch(() => undefined);
      }
    }
    kept.pauseToTell = undefined;
  }

  async function makeTable(): Promise<void> {
    if (!hasTable && migrates) await query(createTableSql(schema));
    hasTable = true;
  }

  function tellFailure(error: unknown): void {
    hasTable = false;
    if (isTold || ending.signal.aborted) return;
    isTold = true;
    const why = error instanceof Error ? error.message : String(error);
    warn(`no calls can be drawn from the budgets in PostgreSQL, so that calls wait (${why}). It goes on by itself`);
  }

  /** The query is not cancelled: what it draws is counted, and lost. */
  async function inTime<Value>(work: () => Promise<Value>): Promise<Value> {
    ending.signal.throwIfAborted();
    const late = Promise.withResolvers<never>();
    const timer = afterRunning(answerMsMax, () => {
      late.reject(new Error(`PostgreSQL did not answer within ${answerMsMax / 1_000} s`));
    });
    const end = () => late.reject(ending.signal.reason);
    ending.signal.addEventListener('abort', end);
    try {
      return await Promise.race([work(), late.promise]);
    } finally {
      timer.end();
      ending.signal.removeEventListener('abort', end);
    }
  }

  return {
    take(budget, limit, wanted = 1) {
      const kept = keptOf(budget);
      const at = elapsed();
      if (kept.pausedUntil > at) return Math.ceil(kept.pausedUntil - at);
      if (useOne(kept)) return 0;
      if (kept.drawSentAt === undefined && at >= kept.nextDrawAt) void draw(budget, kept, limit, wanted);
      if (kept.drawSentAt === undefined) return Math.max(1, Math.ceil(kept.nextDrawAt - at));
      // A statement takes a few milliseconds; one that hesitates is looked at less often.
      const forMs = at - kept.drawSentAt;
      return Math.min(lookAgainMs.most, Math.max(lookAgainMs.least, Math.ceil(forMs / 4)));
    },
    lastMinute(budget) {
      const used = budgets.get(budget)?.used;
      return used && elapsed() - used.at < minuteMs ? used.count : 0;
    },
    pause(budget, ms) {
      const kept = keptOf(budget);
      const until = elapsed() + ms;
      kept.pausedUntil = Math.max(kept.pausedUntil, until);
      const isUnderWay = kept.pauseToTell !== undefined;
      kept.pauseToTell = Math.max(kept.pauseToTell ?? -Infinity, until);
      if (!isUnderWay) void tellPause(budget, kept);
    },
    pausedMs: (budget) => Math.max(0, (budgets.get(budget)?.pausedUntil ?? -Infinity) - elapsed()),
    [Symbol.dispose]: () => ending.abort(new Error('the budget is no longer in use')),
  };
}

/** The limit as the calls of a minute: what is drawn is valid for longer than a window of a second is. */
function toMinute({ startsMax, lengthMs }: Limit, minuteMs: number): Limit {
  if (lengthMs >= minuteMs) return { startsMax, lengthMs };
  const longMs = minuteMs * slack;
  return { startsMax: Math.max(1, Math.floor((startsMax * longMs) / lengthMs + 1e-6)), lengthMs: longMs };
}
