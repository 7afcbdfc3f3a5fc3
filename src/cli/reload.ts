// The command `reload`: has a running daemon take the changed configuration up.
import { hostname } from 'node:os';
import { workersOf } from '../app-state.ts';
import { areSeveral } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import { askSocket, NoAnswer } from '../lib/socket-http.ts';
import { lineText } from '../log/printable.ts';
import { type ReloadAnswer, reloadAnswer } from '../operator/answers/reload.ts';
import { contactDaemon, parsed } from './contact.ts';
import { CommandFailed } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { GlobalOptions } from './globals.ts';
import type { Operator } from '../operator/operator.ts';
import { pauseWords, readPaused } from '../operator/pause.ts';
import { openOperator } from './open.ts';
import { printAnswer } from './print/lines.ts';
import { readConfig } from './read-config.ts';
import type { CliWorld, Finish } from './world.ts';

/** The daemon reads up to ten thousand files. */
const reloadMs = 60_000;

export async function runReload(globals: GlobalOptions, world: CliWorld, finish: Finish): Promise<void> {
  // Its state says where the daemon listens. A file that is wrong as a whole is told as by every command.
  const config = readConfig(globals, world);
  const reply = await contactDaemon(config, { silentMs: reloadMs, signal: world.stop });
  if (reply.kind === 'silent') throw new CommandFailed(`the daemon ${reply.why}: ask again, or restart leadsheet run`);
  if (reply.kind === 'other-version') {
    throw new CommandFailed('the daemon is of another version: restart it, and it reads the file: leadsheet run');
  }
  if (reply.kind !== 'told') {
    throw new CommandFailed('no daemon runs on this state; one that starts reads the file: leadsheet run');
  }
  const answer = await ask(reply.path, world.stop);
  printAnswer(answer, (each) => reloadText(each, config), globals, world);
  await tellRemovedPauses(answer, openOperator(globals, world, config).operator, world);
  if (answer.outcome === 'taken up') await tellOthers(config, reply.told.heartbeat.pid, world);
  if (answer.outcome === 'refused') finish(exitCodes.config);
}

/** W13: a pause holds for the name of its job. One that was renamed runs. */
async function tellRemovedPauses(
  { added, removed }: ReloadAnswer,
  operator: Operator,
  { stderr }: CliWorld,
): Promise<void> {
  if (added.length === 0) return;
  for (const name of removed) {
    const paused = await readPaused(operator, name).catch(() => null);
    if (!paused) continue;
    const [first, ...more] = added;
    const runs = more.length === 0 ? `${first} runs` : `those that were added run: ${listed(added)}`;
    const command = `leadsheet pause ${more.length === 0 ? first : 'NAME'}`;
    const text = `${name} was ${pauseWords(paused)}, and is removed. A pause holds for one name: ${runs}. To pause it: ${command}`;
    stderr.write(`leadsheet: ${lineText(text)}\n`);
  }
}

/** Each worker reads its own files: of several, this command reaches the one that has the socket of this machine. */
async function tellOthers(config: Config, pid: number, world: CliWorld): Promise<void> {
  const workers = (await workersOf(config)?.().catch(() => [])) ?? [];
  const others = workers.filter((worker) => worker.state === 'running' && !worker.isGone);
  const names = others
    .filter((worker) => worker.pid !== pid || worker.host !== hostname())
    .map(({ id }) => lineText(id));
  if (names.length === 0) return;
  const [who, goes, it] = names.length === 1 ? ['worker', 'goes', 'it has'] : ['workers', 'go', 'they have'];
  const each = names.length === 1 ? 'it' : 'each';
  world.stderr.write(
    `leadsheet: ${names.length} other ${who} ${goes} on with the files that ${it}: ${listed(names)}. Send ${each} SIGHUP, or restart it\n`,
  );
}

async function ask(path: string, signal: AbortSignal): Promise<ReloadAnswer> {
  try {
    const { lines } = await askSocket({ path, method: 'POST', target: '/v1/reload', silentMs: reloadMs, signal });
    const answer = reloadAnswer.safeParse(parsed((await Array.fromAsync(lines)).join('\n'))).data;
    if (answer) return answer;
    throw new CommandFailed('the daemon cannot read its file anew: restart it after an upgrade: leadsheet run');
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new CommandFailed(`the daemon ${error.message}; how it stands: leadsheet status`, { cause: error });
  }
}

/** More names than a person reads at a terminal. */
const namesShown = 10;

function reloadText(answer: ReloadAnswer, config: Config): string {
  const { outcome, added, changed, removed, unchanged, restart, left_out: leftOut, problems } = answer;
  if (outcome === 'refused') {
    const lines = problems.map((problem) => `${lineText(problem)}\n`).join('');
    return `${lines}nothing was taken up: the old configuration stays in force. Correct it, then leadsheet reload\n`;
  }
  const part = (what: string, names: readonly string[]) => (names.length === 0 ? [] : [`${what} ${listed(names)}`]);
  const parts = [...part('added', added), ...part('changed', changed), ...part('removed', removed)];
  const summary = parts.length === 0 ? 'nothing has changed' : parts.join('; ');
  const rest = restart.map((section) => `${section}: the change holds after a restart of leadsheet run\n`).join('');
  const tokens = answer.same_token.map((name) => `${sameTokenText(name, config)}\n`).join('');
  const out = leftOut.map(({ kind, name, reason }) => `${kind} ${lineText(name)} is left out: ${lineText(reason)}\n`);
  return `taken up: ${summary}; ${unchanged} as before\n${tokens}${rest}${out.join('')}`;
}

/** A reload reads `.env` of its folder, and no environment: that of a container is made with the container. */
function sameTokenText(name: string, config: Config): string {
  const whose = areSeveral(config) ? ` of account ${lineText(name)}` : '';
  const file = config.accounts.get(name)?.tokenFile;
  const from =
    file === undefined
      ? 'the environment of the daemon has the old one: start the daemon anew, in a container by docker compose up -d --force-recreate'
      : `${lineText(file)} has the old one`;
  return `the token${whose} is still the one that the service refused. If you replaced it, ${from}`;
}

function listed(names: readonly string[]): string {
  const more = names.length - namesShown;
  return `${names.slice(0, namesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
