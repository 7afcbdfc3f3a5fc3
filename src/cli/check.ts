// The command `check`: checks everything that a sync needs, and says what to do.
import { stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { ConfigError } from '../config/problems.ts';
import { check } from '../operator/check/check.ts';
import type { Finding } from '../operator/check/finding.ts';
import { assertWritableState, connectState } from '../app-state.ts';
import type { AccountConfig, Config } from '../config/config.ts';
import { areSeveral } from '../config/accounts.ts';
import { selectAccount } from '../operator/select-account.ts';
import { StateError } from '../state/errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { GlobalOptions } from './globals.ts';
import { readConfig, readWholeConfig } from './read-config.ts';
import { countText } from '../operator/words.ts';
import { jsonText } from './print/lines.ts';
import { createProgress } from './print/progress.ts';
import { bad, good, quiet, urgent } from './print/style.ts';
import { lineText } from '../log/printable.ts';
import { judgeToken } from './token-warning.ts';
import type { CliWorld, Finish } from './world.ts';

interface CheckOptions extends GlobalOptions {
  readonly offline?: true;
}

export async function runCheck(
  account: string | undefined,
  globals: CheckOptions,
  world: CliWorld,
  finish: Finish,
): Promise<void> {
  const findings: Finding[] = [];
  using progress = createProgress(world.stderr, world.elapsed);
  progress.begin('looking');
  const tell = (finding: Finding) => {
    findings.push(finding);
    progress.clear();
    progress.begin(`${countText(findings.length, 'thing')} looked at`);
    if (!globals.json) world.stdout.write(findingText(finding));
  };
  const { config, isWhole } = readOrTell(globals, world, tell);
  const only = config && account !== undefined ? selectAccount(config, account).name : undefined;
  if (config) await checkAll(config, { ...globals, only }, world, tell);
  progress.clear();
  const failed = findings.filter(({ verdict }) => verdict === 'failed').length;
  if (globals.json) world.stdout.write(jsonText({ findings }));
  else world.stdout.write(summary(findings, failed));
  if (failed > 0) finish(isWhole ? exitCodes.failed : exitCodes.config);
}

interface Read {
  /** What holds of the file. Undefined: nothing does. Every fault was reported. */
  readonly config: Config | undefined;
  readonly isWhole: boolean;
}

function readOrTell(globals: GlobalOptions, world: CliWorld, tell: (finding: Finding) => void): Read {
  try {
    const config = readWholeConfig(globals, world);
    const { syncs, feeds, outboxes } = config;
    const more = outboxes.length > 0 ? `, ${countText(outboxes.length, 'outbox', 'outboxes')}` : '';
    const accounts = areSeveral(config) ? `${countText(config.accounts.size, 'account')}, ` : '';
    const counts = `${accounts}${countText(syncs.length, 'sync')}, ${countText(feeds.length, 'feed')}${more}`;
    tell({ verdict: 'ok', about: 'file', what: 'options', detail: `${config.path}: ${counts}` });
    return { config, isWhole: true };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const detail of error.message.split('\n')) tell({ verdict: 'failed', about: 'file', what: 'options', detail });
    return { config: readWhatHolds(globals, world), isWhole: false };
  }
}

function readWhatHolds(globals: GlobalOptions, world: CliWorld): Config | undefined {
  try {
    return readConfig(globals, world);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Checks a configuration that was read. */
export async function checkAll(
  config: Config,
  { offline, only }: Pick<CheckOptions, 'offline'> & { readonly only?: string | undefined },
  world: CliWorld,
  tell: (finding: Finding) => void,
): Promise<void> {
  const store = connectState(config, world, () => {});
  const { shareBudgets } = await import('../app-world.ts');
  const { connectCrm, connectSheets } = await import('../app-connections.ts');
  const all = [...config.accounts.values()].filter(({ name }) => only === undefined || name === only);
  const tokenOf = ({ crm }: AccountConfig) => judgeToken(crm.token, world.now());
  const stateFault = await faultOf(config);
  if (stateFault !== undefined) tell({ verdict: 'failed', about: 'state', what: 'database', detail: stateFault });
  if (offline || stateFault !== undefined) {
    const accounts = all.map((account) => ({
      account,
      token: tokenOf(account),
      connectSheets: () => connectSheets(account, world),
    }));
    const withoutState = stateFault === undefined ? undefined : withoutDatabase;
    const alone = { config, store, modeOf, accounts, now: world.now, ...(withoutState && { withoutState }) };
    for await (const finding of check(alone)) tell(finding);
    return;
  }
  /**
   * Without the database no call is made: a daemon waits until calls can be drawn again, a person who asks what is wrong does not.
   * Without the file calls are made, and counted by this process alone.
   */
  const isDatabase = config.state.kind === 'postgres';
  const withoutCalls = new AbortController();
  const warn = (detail: string) => {
    if (withoutCalls.signal.aborted) return;
    tell({ verdict: isDatabase ? 'failed' : 'warning', about: 'state', what: 'budget', detail });
    if (isDatabase) withoutCalls.abort();
  };
  using resources = new DisposableStack();
  const shared = resources.use(shareBudgets(config, world, warn));
  const accounts = all.map((account) => ({
    account,
    token: tokenOf(account),
    connectSheets: () => connectSheets(account, shared.world),
    // A person waits: two repeats, not the daemon's four.
    crm: resources.use(connectCrm(account.crm, shared.world, { retriesMax: 2 })),
  }));
  const signal = AbortSignal.any([world.stop, withoutCalls.signal]);
  const asking = { isStandin: (address: string) => isStandin(address, world), signal };
  const online = { config, store, modeOf, accounts, asking, now: world.now };
  try {
    for await (const finding of check(online)) {
      // After the stop no call is made: a finding would be about the stop and not about a side.
      signal.throwIfAborted();
      tell(finding);
    }
  } catch (error) {
    world.stop.throwIfAborted();
    if (!withoutCalls.signal.aborted) throw error;
    tell({ verdict: 'skipped', about: 'both sides', what: 'everything else', detail: withoutDatabase });
  }
}

const withoutDatabase = 'not looked at: the budgets are in the database, and no call is made without them';

/** Why the database cannot be worked on. Nothing is made in it: budgets would be. */
async function faultOf({ state }: Config): Promise<string | undefined> {
  try {
    await assertWritableState(state);
    return undefined;
  } catch (error) {
    if (error instanceof StateError) return error.message;
    throw error;
  }
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    const { mode } = await stat(path);
    // Windows has no permission bits: the ones that Node computes there say nothing about other accounts.
    return sep === '/' ? mode & 0o777 : undefined;
  } catch {
    return undefined;
  }
}

/** Only loopback addresses are asked: a stand-in listens nowhere else. */
async function isStandin(address: string, { transport, stop }: CliWorld): Promise<boolean> {
  const { hostname } = new URL(address);
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return false;
  try {
    const answer = await transport(new URL('/_standin/faults', address).href, { signal: stop });
    return answer.ok;
  } catch {
    return false;
  }
}

export function findingText({ verdict, about, what, detail }: Finding): string {
  return `${verdictStyle[verdict](verdict.padEnd(8))} ${lineText(`${about}: ${what}`).padEnd(28)}  ${lineText(detail)}\n`;
}

const verdictStyle: Readonly<Record<Finding['verdict'], (text: string) => string>> = {
  ok: good,
  warning: urgent,
  failed: bad,
  skipped: quiet,
};

function summary(findings: readonly Finding[], failed: number): string {
  const warnings = findings.filter(({ verdict }) => verdict === 'warning').length;
  const notes = warnings > 0 ? `, ${countText(warnings, 'warning')}` : '';
  return failed > 0 ? `\n${countText(failed, 'thing')} to correct${notes}\n` : `\nall is well${notes}\n`;
}
