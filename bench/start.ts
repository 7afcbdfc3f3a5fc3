// Measures what a command costs before it does its work: the processor time of whole processes, from the sources and built.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { buildProgram } from '../test/support/build.ts';
import type { Bench } from './support/measure.ts';
import { startSync } from './support/sync.ts';

/** START_ROUNDS: how often each command is started. */
const rounds = Number(process.env['START_ROUNDS'] ?? 9);
/** A first sync wants both sides anew. */
const firstRounds = Math.min(3, rounds);
const firstMax = 2;
const contacts = 10_000;

/** Each with its bounds in seconds. */
const commands = [
  { name: '--version', args: ['--version'], built: 0.15, source: 0.25 },
  { name: 'the names of jobs, as a shell completes them', args: ['complete-line', '--', 'sync', ''] },
  { name: 'status', args: ['status'], built: 0.25 },
  { name: `sync of ${contacts.toLocaleString('en')} contacts, nothing changed`, args: ['sync'], built: 0.5 },
  { name: 'the same, 1 % changed in the service', args: ['sync'], built: 0.6, touched: contacts / 100 },
] as const satisfies readonly {
  readonly name: string;
  /** Contacts that change before each start. */
  readonly touched?: number;
  readonly args: readonly string[];
  readonly built?: number;
  readonly source?: number;
}[];

/** The process tells what it used, all its threads, when it ends. */
const tellCpu = `import { writeSync } from 'node:fs';
process.on('exit', () => { const { user, system } = process.cpuUsage(); writeSync(3, String(user + system)); });`;

export const bench: Bench = {
  name: 'start',
  async run() {
    await using sync = await startSync(contacts, 'full');
    using program = buildProgram();
    const cache = mkdtempSync(join(tmpdir(), 'leadsheet-bench-'));
    const kinds = { built: program.main, source: join(import.meta.dirname, '..', 'src', 'main.ts') };
    const cpuSeconds = async (main: string, args: readonly string[], { configFile } = sync): Promise<number> => {
      const options = ['--import', `data:text/javascript,${encodeURIComponent(tellCpu)}`];
      const child = spawn(process.execPath, [...options, main, '--config', configFile, ...args], {
        stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
        // Compiled code is kept, as for every account.
        env: { PATH: process.env['PATH'] ?? '', XDG_CACHE_HOME: cache },
      });
      const [used, [code]] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'close')]);
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
      return Number(used) / 1e6;
    };
    try {
      // Adopts all contacts, so that later runs find nothing to do.
      await cpuSeconds(kinds.built, ['sync', '--full']);
      const figures = [];
      for (const { name, args, ...rest } of commands) {
        const { touched, ...bounds } = { touched: undefined, ...rest };
        const least = { built: Infinity, source: Infinity };
        for (let round = 0; round < rounds; round += 1) {
          for (const kind of ['built', 'source'] as const) {
            if (touched !== undefined) await sync.tell({ touch: touched });
            least[kind] = Math.min(least[kind], await cpuSeconds(kinds[kind], args));
          }
        }
        for (const kind of ['built', 'source'] as const) {
          const bound = (bounds as Partial<Record<typeof kind, number>>)[kind];
          figures.push({
            name: `${name}, ${kind === 'built' ? 'built' : 'from the sources'}: CPU, the least of ${rounds}`,
            value: `${least[kind].toFixed(2)} s`,
            ...(bound !== undefined && { target: `<= ${bound} s`, met: least[kind] <= bound }),
          });
        }
      }
      let first = Infinity;
      for (let round = 0; round < firstRounds; round += 1) {
        await using fresh = await startSync(contacts, 'empty');
        first = Math.min(first, await cpuSeconds(kinds.built, ['sync'], fresh));
      }
      figures.push({
        name: `first sync of ${contacts.toLocaleString('en')} contacts into an empty tab, built: CPU, the least of ${firstRounds}`,
        value: `${first.toFixed(2)} s`,
        target: `<= ${firstMax} s`,
        met: first <= firstMax,
      });
      return figures;
    } finally {
      rmSync(cache, { recursive: true });
    }
  },
};
