// Measures what a command costs before it does its work: the processor time of whole processes, from the sources and built,
// against an empty program, and for a sync against a bare program that makes the same calls (support/bare-sync.js).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { buildProgram } from '../test/support/build.ts';
import type { Bench } from './support/measure.ts';
import { startSync, type SyncBench, syncSpreadsheet } from './support/sync.ts';

/** START_ROUNDS: how often each command is started. */
const rounds = Number(process.env['START_ROUNDS'] ?? 9);
const firstMax = 2;
const contacts = 10_000;

/** Each with its bounds in seconds. */
const commands = [
  { name: '--version', args: ['--version'], built: 0.15, source: 0.25 },
  { name: 'the names of jobs, as a shell completes them', args: ['complete-line', '--', 'sync', ''] },
  { name: 'status', args: ['status'], built: 0.25 },
  {
    name: `sync of ${contacts.toLocaleString('en')} contacts, nothing changed`,
    args: ['sync'],
    built: 0.5,
    bare: 'unchanged',
  },
  {
    name: 'the same, 1 % changed in the service',
    args: ['sync'],
    built: 0.6,
    touched: contacts / 100,
    bare: 'changed',
  },
] as const satisfies readonly {
  readonly name: string;
  /** The bare program that it is compared with; left out: an empty one. */
  readonly bare?: 'unchanged' | 'changed';
  /** Contacts that change before each start. */
  readonly touched?: number;
  readonly args: readonly string[];
  readonly built?: number;
  readonly source?: number;
}[];

/** The process tells what it used, all its threads, when it ends. */
const tellCpu = `import { writeSync } from 'node:fs';
process.on('exit', () => { const { user, system } = process.cpuUsage(); writeSync(3, String(user + system)); });`;

/** In seconds. `env`: more of it. */
async function cpuSeconds(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  const options = ['--import', `data:text/javascript,${encodeURIComponent(tellCpu)}`];
  const child = spawn(process.execPath, [...options, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const [used, [code]] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'close')]);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
  return Number(used) / 1e6;
}

const bareProgram = join(import.meta.dirname, 'support', 'bare-sync.js');

function bareSync({ urls }: SyncBench, what: 'unchanged' | 'changed' | 'first'): Promise<number> {
  return cpuSeconds([bareProgram, what, urls.crm, urls.google, syncSpreadsheet]);
}

export const bench: Bench = {
  name: 'start',
  async run() {
    await using sync = await startSync(contacts, 'full');
    using program = buildProgram();
    const cache = mkdtempSync(join(tmpdir(), 'leadsheet-bench-'));
    const kinds = { built: program.main, source: join(import.meta.dirname, '..', 'src', 'main.ts') };
    // Compiled code is kept, as for every account.
    const start = (main: string, args: readonly string[], { configFile } = sync) =>
      cpuSeconds([main, '--config', configFile, ...args], { XDG_CACHE_HOME: cache });
    try {
      // Adopts all contacts, so that later runs find nothing to do.
      await start(kinds.built, ['sync', '--full']);
      const figures = [];
      let empty = Infinity;
      for (let round = 0; round < rounds; round += 1) empty = Math.min(empty, await cpuSeconds(['--eval', '']));
      figures.push({ name: `an empty program: CPU, the least of ${rounds}`, value: `${empty.toFixed(2)} s` });
      for (const { name, args, ...rest } of commands) {
        const { touched, bare, ...bounds } = { touched: undefined, bare: undefined, ...rest };
        const least = { built: Infinity, source: Infinity };
        let leastBare = bare === undefined ? empty : Infinity;
        for (let round = 0; round < rounds; round += 1) {
          for (const kind of ['built', 'source'] as const) {
            if (touched !== undefined) await sync.tell({ touch: touched });
            least[kind] = Math.min(least[kind], await start(kinds[kind], args));
          }
          if (bare !== undefined) leastBare = Math.min(leastBare, await bareSync(sync, bare));
        }
        for (const kind of ['built', 'source'] as const) {
          const bound = (bounds as Partial<Record<typeof kind, number>>)[kind];
          figures.push({
            name: `${name}, ${kind === 'built' ? 'built' : 'from the sources'}: CPU, the least of ${rounds}`,
            value: valueOf(least[kind], leastBare, bare !== undefined),
            ...(bound !== undefined && { target: `<= ${bound} s`, met: least[kind] <= bound }),
          });
        }
      }
      let [first, firstBare] = [Infinity, Infinity];
      for (let round = 0; round < rounds; round += 1) {
        await using fresh = await startSync(contacts, 'empty');
        first = Math.min(first, await start(kinds.built, ['sync'], fresh));
        await using other = await startSync(contacts, 'empty');
        firstBare = Math.min(firstBare, await bareSync(other, 'first'));
      }
      figures.push({
        name: `first sync of ${contacts.toLocaleString('en')} contacts into an empty tab, built: CPU, the least of ${rounds}`,
        value: valueOf(first, firstBare, true),
        target: `<= ${firstMax} s`,
        met: first <= firstMax,
      });
      return figures;
    } finally {
      rmSync(cache, { recursive: true });
    }
  },
};

function valueOf(seconds: number, least: number, isSync: boolean): string {
  const against = isSync ? 'a bare program with the same calls' : 'an empty program';
  return `${seconds.toFixed(2)} s, ${(seconds / least).toFixed(1)}x of ${against} (${least.toFixed(2)} s)`;
}
