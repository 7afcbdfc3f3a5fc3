// Measures how much a console beside a run costs the run: 20 open pages and a page a second, in turns with none.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { readConfigFile } from '../src/app-config.ts';
import { startDaemon } from '../src/daemon.ts';
import { type Bench, cpuMs, median } from './support/measure.ts';
import { answerOf, startSync, type SyncBench } from './support/sync.ts';

const streams = 20;
/** Issue 17: the time of a run at full speed does not change by more than this. */
const shareMax = 0.03;

interface Ran {
  readonly wallMs: number;
  /** Of the whole process, pages and streams included. */
  readonly cpuMs: number;
}

export const bench: Bench = {
  name: `console: a run beside ${streams} open pages and a page a second`,
  async run() {
    return [...(await atTheBudget()), ...(await asFastAsItCan())];
  },
};

/** As runs are against the service: the budget of calls is what a run waits for. */
async function atTheBudget() {
  const perMinute = 600;
  const runs: Record<'alone' | 'beside', Ran[]> = { alone: [], beside: [] };
  for (const how of ['alone', 'beside', 'alone', 'beside'] as const) {
    await using sync = await startSync(0, 'empty', perMinute);
    await using daemon = await startServed(sync);
    await sync.tell({ rows: 150 });
    await using _readers = how === 'beside' ? await startReaders(daemon.url) : undefined;
    runs[how].push(await daemon.run(true));
  }
  return figures(`150 creates at ${perMinute} calls a minute`, runs, true);
}

/** Without a limit of calls and with both stand-ins on this machine a run waits for the processor alone. */
async function asFastAsItCan() {
  await using sync = await startSync(20_000, 'full');
  await using daemon = await startServed(sync);
  const runs: Record<'alone' | 'beside', Ran[]> = { alone: [], beside: [] };
  await daemon.run(true);
  for (let round = 0; round < 7; round += 1) {
    runs.alone.push(await daemon.run(true));
    await using _readers = await startReaders(daemon.url);
    runs.beside.push(await daemon.run(true));
  }
  return figures('full scan over 20,000 unchanged records, without a budget', runs, false);
}

function figures(
  name: string,
  { alone, beside }: Readonly<Record<'alone' | 'beside', readonly Ran[]>>,
  isBound: boolean,
) {
  const share = (of: (ran: Ran) => number) => median(beside.map(of)) / median(alone.map(of)) - 1;
  const list = (runs: readonly Ran[], of: (ran: Ran) => number) =>
    runs.map((ran) => (of(ran) / 1_000).toFixed(2)).join(' ');
  const wall = ({ wallMs }: Ran) => wallMs;
  const cpu = (ran: Ran) => ran.cpuMs;
  const text = (of: (ran: Ran) => number) =>
    `${(share(of) * 100).toFixed(1)} % more (alone ${list(alone, of)}; beside ${list(beside, of)} s)`;
  return [
    {
      name: `${name}: time`,
      value: text(wall),
      ...(isBound && { target: `<= ${shareMax * 100} %`, met: share(wall) <= shareMax }),
    },
    { name: `${name}: CPU of the process`, value: text(cpu) },
  ];
}

interface Served extends AsyncDisposable {
  readonly url: string;
  run(isFull: boolean): Promise<Ran>;
}

async function startServed(sync: SyncBench): Promise<Served> {
  const file = parse(readFileSync(sync.configFile, 'utf8')) as { syncs: Record<string, Record<string, unknown>> };
  // The schedule never comes: runs are asked for.
  file.syncs['bench']!['schedule'] = '0 0 29 2 *';
  const server = { listen: '127.0.0.1:0', console: 'read' };
  writeFileSync(sync.configFile, stringify({ ...file, server }));
  const child = fork(import.meta.filename, ['serve', sync.configFile]);
  // Each answer is awaited with listeners of its own.
  child.setMaxListeners(0);
  const { url } = await answerOf<{ readonly url: string }>(child);
  return {
    url,
    async run(isFull) {
      child.send({ isFull });
      return answerOf<Ran>(child);
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

async function startReaders(url: string): Promise<AsyncDisposable> {
  const child = fork(new URL('support/console-readers.ts', import.meta.url), [url, String(streams)]);
  await answerOf<string>(child);
  return {
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

if (process.argv[2] === 'serve') {
  const config = readConfigFile(process.argv[3]!, { env: {}, readFile: (path) => readFileSync(path, 'utf8') });
  const stop = new AbortController();
  const running = await startDaemon(config, {
    transport: fetch,
    stop: stop.signal,
    out: { write: () => {} },
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => randomInt(2 ** 32) / 2 ** 32,
    randomId: randomUUID,
    process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
  });
  process.on('message', ({ isFull }: { readonly isFull: boolean }) => void measure(isFull));
  process.on('disconnect', () => {
    stop.abort(new Error('the bench is over'));
    void running.end().then(() => process.exit());
  });
  process.send?.({ url: running.url });

  async function measure(isFull: boolean): Promise<void> {
    const began = performance.now();
    const cpu = await cpuMs(async () => {
      const ran = await running.daemon.ask('bench', isFull)?.ended;
      if (ran?.kind !== 'ran' || ran.report.status !== 'succeeded')
        throw new Error(`a run ended as ${JSON.stringify(ran)}`);
    });
    process.send?.({ wallMs: performance.now() - began, cpuMs: cpu } satisfies Ran);
  }
}
