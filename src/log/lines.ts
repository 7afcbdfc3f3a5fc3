// Turns the events of the engine into log lines: a static message, and the rest as fields. Lines have ids; they have
// the contents of contacts only with `log.contact_details: shown`.
import type { DaemonEvent } from '../daemon/daemon.ts';
import type { LeftOut } from '../config/left-out.ts';
import type { EngineEvent } from '../engine/events.ts';
import { reasonOf } from '../engine/last-run.ts';
import { ruleWords } from '../engine/rule-words.ts';
import type { RunReport } from '../engine/report.ts';
import type { HookAnswer } from '../daemon/queue/port.ts';
import type { Problem } from '../sync/change.ts';
import type { Side } from '../sync/value/value.ts';
import type { Log } from './logger.ts';
import { hideAddresses } from './mask.ts';

export interface LineOptions {
  readonly areDetailsShown: boolean;
  /** Removes quotes of cells and answers from a sentence. */
  readonly hideQuotes: (text: string) => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The jobs of the same account, itself included. */
  readonly siblingsOf: (sync: string) => readonly string[];
  /** A stop was requested: a run that stops then did not fail. */
  readonly isStopping: () => boolean;
}

/** What became of a changed configuration. */
export interface Reloaded {
  readonly outcome: 'taken up' | 'refused';
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Accounts. */
  readonly same_token: readonly string[];
  readonly restart: readonly string[];
  readonly problems: readonly string[];
}

export interface Lines {
  engine(event: EngineEvent): void;
  daemon(event: DaemonEvent): void;
  hook(answer: HookAnswer, sync?: string): void;
  wrongPassword(): void;
  leftOut(what: LeftOut): void;
  reloaded(answer: Reloaded): void;
}

/** While nothing happens, a sync logs a line this often; the runs between are at `debug`. */
const idleLineEveryMs = 10 * 60_000;
/** Problems logged for one run; `leadsheet status` shows the rest. */
const problemLinesMax = 20;
/** A script with an old secret calls at every edit; a guessing client calls more often. */
const refusalLineEveryMs = 10 * 60_000;

/** The last lines of a sync, so that they are not repeated. */
interface Said {
  notices: Set<string>;
  noticesNow: Set<string>;
  problems: Set<string>;
  failures: Set<string>;
  failuresNow: Set<string>;
  status?: string;
  /** The side that refused the credentials of its account in its last run. */
  refused?: Side;
  lineAt: number;
  idleRuns: number;
}

export function createLines(log: Log, options: LineOptions): Lines {
  const { areDetailsShown, hideQuotes, siblingsOf, now, isStopping } = options;
  const saidBySync = new Map<string, Said>();
  const refusedHooks = { count: 0, lineAt: -Infinity };
  const wrongPasswords = { count: 0, lineAt: -Infinity };
  const safe = (text: string) => (areDetailsShown ? text : hideAddresses(hideQuotes(text)));

  function saidOf(sync: string): Said {
    const said = saidBySync.get(sync) ?? {
      notices: new Set<string>(),
      noticesNow: new Set<string>(),
      problems: new Set<string>(),
      failures: new Set<string>(),
      failuresNow: new Set<string>(),
      lineAt: -Infinity,
      idleRuns: 0,
    };
    saidBySync.set(sync, said);
    return said;
  }

  function notice(sync: string, message: string): void {
    const said = saidOf(sync);
    if (!said.notices.has(message) && !said.noticesNow.has(message)) {
      log.warn({ ...(sync && { sync }), notice: safe(message) }, 'notice');
    }
    said.noticesNow.add(message);
  }

  function change(event: EngineEvent & { readonly type: 'change-done' }): void {
    const { change: done, outcome, run, sync } = event;
    const fields = done.fields.map(({ field }) => field);
    const rules = [...new Set([done.rule, ...done.fields.map(({ rule }) => rule)])];
    const about = {
      sync,
      run,
      side: done.side,
      op: done.op,
      contact: done.uuid ?? (outcome.kind === 'done' ? (outcome.contact?.uuid ?? null) : null),
      row: done.row,
      fields,
      rules,
      ...('automation' in done && { automation: done.automation }),
      ...('enrol' in done && { automation: done.enrol }),
      ...(areDetailsShown && { values: done.fields.map(({ before, after }) => ({ before: before ?? null, after })) }),
    };
    if (outcome.kind === 'done') return log.info(about, 'change done');
    const why = 'message' in outcome ? safe(outcome.message) : 'changed meanwhile; planned again';
    const said = saidOf(sync);
    const key = `${about.contact} ${done.row} ${done.op} ${outcome.kind} ${why}`;
    // It is tried in each run, and fails for the same reason until a person acts.
    const level = said.failures.has(key) ? 'debug' : 'warn';
    log[level]({ ...about, outcome: outcome.kind, why }, 'change not done');
    said.failuresNow.add(key);
  }

  function newProblems(said: Said, { sync, run, problems }: RunReport): readonly Problem[] {
    const open = new Set(problems.map(problemKey));
    const fresh = problems.filter((problem) => problem.kind !== 'waiting' && !said.problems.has(problemKey(problem)));
    said.problems = open;
    for (const { id, kind, uuid, row, field, rule, reason } of fresh.slice(0, problemLinesMax)) {
      const rule_words = ruleWords[rule];
      log.warn({ sync, run, id, kind, contact: uuid, row, field, rule, rule_words, reason: safe(reason) }, 'problem');
    }
    if (fresh.length > problemLinesMax) {
      log.warn({ sync, run, more: fresh.length - problemLinesMax }, 'more problems; see leadsheet status');
    }
    return fresh;
  }

  function summary(report: RunReport): void {
    const { sync, run, status, isFull, counts, cost, stopped } = report;
    const said = saidOf(sync);
    if (isStopping() && (status === 'failed' || stopped)) {
      return log.info({ sync, run, ...stopped }, 'run stopped before its end');
    }
    said.notices = said.noticesNow;
    said.noticesNow = new Set();
    if (status !== 'failed') said.failures = said.failuresNow;
    said.failuresNow = new Set();
    const reason = reasonOf(report);
    const about = {
      sync,
      run,
      status,
      ...(isFull && { full_scan: true }),
      counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
      crm_calls: cost.crmCalls,
      sheet_reads: cost.sheetReads,
      sheet_writes: cost.sheetWrites,
      seconds: cost.seconds,
      ...(reason !== undefined && { reason: safe(reason) }),
      ...(report.approvable !== undefined && { approve: report.approvable }),
    };
    // A failed run detected no problems: earlier ones are still open.
    const fresh = status === 'failed' ? [] : newProblems(said, report);
    const isNews = fresh.length > 0 || status !== said.status || isWriting(report);
    said.status = status;
    if (report.refused) {
      refusedAccount(sync, report.refused, about.reason);
      return log.debug(about, 'run ended');
    }
    if (status !== 'failed') delete said.refused;
    if (status === 'failed') return log.error(about, 'run ended');
    if (isNews) {
      said.lineAt = now();
      said.idleRuns = 0;
      return status === 'succeeded' ? log.info(about, 'run ended') : log.warn(about, 'run ended');
    }
    said.idleRuns += 1;
    if (now() - said.lineAt < idleLineEveryMs) return log.debug(about, 'run ended');
    log.info({ ...about, idle_runs: said.idleRuns }, 'nothing new');
    said.lineAt = now();
    said.idleRuns = 0;
  }

  /** One line for all jobs of the account. */
  function refusedAccount(sync: string, side: Side, reason: string | undefined): void {
    const jobs = siblingsOf(sync);
    const isTold = jobs.some((job) => saidBySync.get(job)?.refused === side);
    saidOf(sync).refused = side;
    if (!isTold) log.error({ sync, jobs, reason }, refusals[side]);
  }

  /** A line at intervals, with the number of calls since the one before. */
  function refusal(refused: { count: number; lineAt: number }, message: string): void {
    refused.count += 1;
    if (now() - refused.lineAt < refusalLineEveryMs) return;
    log.warn({ times: refused.count }, message);
    Object.assign(refused, { count: 0, lineAt: now() });
  }

  return {
    engine(event) {
      switch (event.type) {
        case 'run-started':
          return log.debug({ sync: event.sync, run: event.run, full_scan: event.isFull }, 'run started');
        case 'lease-taken':
          return log.debug({ sync: event.sync, run: event.run, epoch: event.epoch }, 'run has its lease');
        case 'progress':
          return log.trace(event, 'progress');
        case 'change-done':
          return change(event);
        case 'notice':
          return notice(event.sync, event.message);
        case 'run-ended':
          return summary(event.report);
      }
    },
    hook(answer, sync) {
      if (answer !== 'refused') return log.debug({ ...(sync !== undefined && { sync }), answer }, 'hook');
      refusal(refusedHooks, 'a hook came without the right secret');
    },
    leftOut({ kind, name, reason, jobs }) {
      log.error({ left_out: kind, name, reason, jobs: kind === 'job' ? undefined : jobs }, 'left out');
    },
    reloaded({ outcome, added, changed, removed, same_token: sameToken, restart, problems }) {
      // Such a job may have another account, or other credentials, and what a removed one met says nothing of its account later.
      for (const job of [...added, ...changed, ...removed]) delete saidBySync.get(job)?.refused;
      if (outcome === 'refused')
        return log.error({ problems }, 'configuration not taken up; the old one stays in force');
      const sections = restart.length === 0 ? {} : { needs_restart: restart };
      log.info({ added, changed, removed, ...sections }, 'configuration taken up');
      if (sameToken.length > 0)
        log.warn({ accounts: sameToken }, 'the token is still the one that the service refused');
    },
    wrongPassword: () => refusal(wrongPasswords, 'a request came with a wrong password'),
    daemon(event) {
      switch (event.type) {
        case 'sync-ran':
          return;
        case 'backing-off': {
          const { sync, failures, pauseMs } = event;
          return log.warn({ sync, failures, pause_secs: Math.round(pauseMs / 1_000) }, 'backing off');
        }
        case 'sync-stopped':
          // A refusal of its account was told for all jobs of the account.
          return log[saidBySync.get(event.sync)?.refused ? 'debug' : 'error'](
            { sync: event.sync, reason: safe(event.reason) },
            'sync stopped until its cause is removed; then run leadsheet reload',
          );
        case 'crashed':
          return log.error({ sync: event.sync, err: event.error }, 'a fault of leadsheet ended the run');
        case 'clock-set':
          return log.warn({ by_secs: Math.round(event.byMs / 1_000) }, 'the clock was set; schedules begin anew');
      }
    },
  };
}

const refusals = {
  crm: 'the service refuses the token of the account; its jobs stop until it is replaced; then run leadsheet reload',
  sheet: 'Google refuses the credentials of the account; its jobs fail until they are replaced',
} as const;

function problemKey({ id, kind, reason }: Problem): string {
  return `${kind} ${id} ${reason}`;
}

function isWriting({ counts }: RunReport): boolean {
  const { created, updated, appended, set, deleted, removed, enrolled, cancelled, sent } = counts;
  return created + updated + appended + set + deleted + removed + enrolled + cancelled + sent > 0;
}
