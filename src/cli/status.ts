import type { Command } from 'commander';
import type * as z from 'zod';
import { type DaemonView, readDaemonView } from '../daemon/view.ts';
import { readStanding, type Standing } from '../engine/standing.ts';
import { lineText } from '../log/printable.ts';
import { problemToAnswer, type statusAnswer } from './answers.ts';
import type { GlobalOptions } from './globals.ts';
import { openState } from './open.ts';
import { countText, jsonText, timeText } from './print/lines.ts';
import { durationText } from './print/progress.ts';
import { problemsText, stoppedText } from './print/run.ts';
import { selectAll } from './select.ts';
import type { PlanCounts } from '../sync/input.ts';
import type { CliWorld } from './world.ts';

type Answer = z.infer<typeof statusAnswer>;

export function statusCommand(program: Command, world: CliWorld): void {
  program
    .command('status')
    .summary('how each sync stands')
    .description(
      'Shows how each sync stands, as its state and a running daemon tell, without asking either side: the last run that\n' +
        'had something to write, the next one, what is linked, waiting, in conflict, quarantined or held, and what to do.',
    )
    .argument('[name...]', 'syncs, feeds and outboxes; all if none is named')
    .action(async (names: string[], _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<GlobalOptions>();
      const { config, store } = openState(globals, world);
      const daemon = await readDaemonView(store, world.now());
      const syncs: Answer['syncs'] = [];
      const outboxes = new Set(config.outboxes.map(({ name }) => name));
      for (const name of selectAll(config, names)) {
        const isOutbox = outboxes.has(name);
        const standing = withSent(await readStanding(store.sync(name)), isOutbox);
        for (const notice of standing.notices) world.stderr.write(`leadsheet: ${name}: ${lineText(notice)}\n`);
        const answer = toAnswer(name, standing, daemon, world.now());
        syncs.push(answer);
        if (!globals.json) world.stdout.write(standingText(answer, standing, isOutbox));
      }
      if (globals.json) world.stdout.write(jsonText({ daemon: daemonToAnswer(daemon), syncs }));
      else world.stdout.write(daemonText(daemon));
    });
}

function toAnswer(
  name: string,
  { lastRun, held, counts, requests }: Standing,
  daemon: DaemonView | undefined,
  now: number,
): Answer['syncs'][number] {
  const seen = daemon?.syncs.find((each) => each.name === name);
  const stored = lastRun ? { run: lastRun.run, status: lastRun.status, ended_at: lastRun.endedAt, reason: null } : null;
  const told = seen?.last_run;
  const isDaemonsLater = told && (stored === null || told.ended_at > stored.ended_at);
  const lastSuccess = seen?.last_success_at;
  return {
    name,
    last_run: isDaemonsLater ? lastRunToAnswer(told) : stored,
    // The daemon's view is up to a minute old: what it called next may have been since.
    next_run: seen?.next_run_at && Date.parse(seen.next_run_at) > now ? seen.next_run_at : null,
    lag_secs: lastSuccess ? Math.max(0, Math.round((now - Date.parse(lastSuccess)) / 1000)) : null,
    counts,
    held_run: held?.run ?? null,
    requests: requests.length,
    problems: lastRun?.problems.map(problemToAnswer) ?? [],
  };
}

function lastRunToAnswer({ run, status, ended_at, reason }: NonNullable<DaemonView['syncs'][number]['last_run']>) {
  return { run, status, ended_at, reason };
}

function daemonToAnswer(daemon: DaemonView | undefined): Answer['daemon'] {
  if (!daemon || daemon.state === 'ended') return null;
  return { state: daemon.state, written_at: daemon.written_at, budget: daemon.budget };
}

/** Of an outbox: rows whose message was sent, by its ledger. */
function withSent(standing: Standing, isOutbox: boolean): Standing {
  if (!isOutbox) return standing;
  const linked = [...standing.messages.values()].filter(({ state }) => state === 'sent').length;
  return { ...standing, counts: { ...standing.counts, linked } };
}

function standingText(answer: Answer['syncs'][number], { held, lastRun }: Standing, isOutbox: boolean): string {
  const { name, last_run: run, next_run: next, lag_secs: lag, counts, requests } = answer;
  const parts = [
    held ? 'held' : (run?.status ?? 'has not run yet'),
    ...(run ? [`last run ${run.run}, ended ${timeText(run.ended_at)}`] : []),
    ...(next === null ? [] : [`next ${timeText(next)}`]),
    ...(lag === null ? [] : [`in sync ${durationText(lag)} ago`]),
  ];
  const open = Object.entries(counts).flatMap(([what, count]) =>
    count > 0 || what === 'linked'
      ? [`${count} ${isOutbox && what === 'linked' ? 'sent' : count === 1 && what === 'conflicts' ? 'conflict' : what}`]
      : [],
  );
  const reason = run?.reason ? `  ${lineText(run.reason)}\n` : '';
  const stopped = lastRun?.stopped && run?.run === lastRun.run ? `  ${stoppedText(lastRun.stopped)}\n` : '';
  const reasons = (held?.reasons ?? []).map((each) => `  ${whatWaits(held!.planned)}: ${lineText(each)}\n`).join('');
  const remedy = held ? `  to let it through: leadsheet approve ${name} --run ${held.run}\n` : '';
  const decisions = requests > 0 ? `  ${countText(requests, 'decision')} for the next run to carry out\n` : '';
  return `${name}: ${parts.join('; ')}\n  ${open.join(', ')}\n${reason}${stopped}${reasons}${remedy}${decisions}${problemsText(lastRun?.problems ?? [])}`;
}

/** A guard holds all that a run would write; a new state only what cannot be taken back (E6, P6). */
function whatWaits({ creates, changes, blanks, deletes, missing, messages = 0 }: PlanCounts): string {
  if (messages > 0) return 'nothing is sent';
  return creates + changes + blanks + deletes + missing === 0 ? 'nobody is enrolled' : 'nothing is written';
}

function daemonText(daemon: DaemonView | undefined): string {
  if (!daemon) return 'no daemon is known to run: leadsheet run starts one\n';
  const { crm, sheet_reads: reads, sheet_writes: writes } = daemon.budget;
  const share = ({ used, per_minute: most }: typeof crm, what: string) => `${used} of ${most} ${what}`;
  return `the daemon is ${daemon.state}; in the last minute ${share(crm, 'calls')}, ${share(reads, 'reads')}, ${share(writes, 'writes')}\n`;
}
