// Measures reading 100,000 rows of 12 columns against `fetch` and `JSON.parse` of the same bytes: processor time, the
// cost of an unchanged read, and memory. The stand-in answers from another process. Its recorded answer goes to all
// contestants, compressed as Google sends it, each in a process of its own and without a limit to its heap. The adapter calls
// it as the program does, through `node:http`.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { runInNewContext } from 'node:vm';
import { fetchOverHttp } from '../src/sheets/google/over-http.ts';
import { createSheets } from '../src/sheets/google/table.ts';
import type { Snapshot, Table } from '../src/sheets/port.ts';
import { median } from './support/measure.ts';
import type { Bench } from './support/measure.ts';
import { benchCredentials } from './support/sheets.ts';

const rowCount = 100_000;
const roundCount = 5;
/** As the image and the unit of `leadsheet init` start the program. */
const shippedFlag = '--max-semi-space-size=16';

const columnCount = 12;
const spreadsheetId = 'bench-spreadsheet';
const columns = Array.from({ length: columnCount - 1 }, (_, index) => ({
  key: `column_${index}`,
  header: `Column ${index}`,
  format: 'text' as const,
}));

interface Measured {
  readonly cpuMs: number;
  readonly peakMegabytes: number;
  /** Growth of the heap, after collecting garbage. */
  readonly heldMegabytes: number;
  readonly rows: number;
  readonly bytes: number;
  readonly calls: number;
}

export const bench: Bench = {
  name: 'sheets-read',
  async run() {
    const server = startRole('server', []);
    try {
      const port = await firstMessage<number>(server);
      const rounds = [];
      for (let round = 0; round <= roundCount; round += 1) {
        const reader = await measure('reader', port);
        const baseline = await measure('baseline', port);
        const shipped = await measure('reader', port, [shippedFlag]);
        const [idle, keeper] = [await measure('idle', port), await measure('keeper', port)];
        rounds.push({ reader, baseline, shipped, idle, keeper });
      }
      // The first fills the server's memory.
      const counted = rounds.slice(1);
      const [{ reader, baseline, idle }] = [counted.at(-1)!];
      if (reader.rows !== rowCount) throw new Error(`${reader.rows} rows were read, not ${rowCount}`);
      const ratio = (each: (round: (typeof counted)[number]) => number) => {
        const ratios = counted.map(each);
        return {
          at: median(ratios),
          text: `${median(ratios).toFixed(2)}x (${ratios.map((one) => one.toFixed(2)).join(' ')})`,
        };
      };
      const reading = ratio((round) => round.reader.cpuMs / round.baseline.cpuMs);
      const looking = ratio((round) => round.idle.cpuMs / round.baseline.cpuMs);
      const keeping = ratio((round) => round.reader.cpuMs / round.keeper.cpuMs);
      const peakOf = (pick: (round: (typeof counted)[number]) => Measured) =>
        Math.max(...counted.map((round) => pick(round).peakMegabytes));
      const [peak, shippedPeak] = [peakOf((round) => round.reader), peakOf((round) => round.shipped)];
      const seconds = (pick: (round: (typeof counted)[number]) => number) =>
        `${(median(counted.map(pick)) / 1_000).toFixed(2)} s`;
      return [
        {
          name: `reading 100,000 x 12 cells, ${Math.round(baseline.bytes / 1e6)} MB in ${reader.calls} call, CPU`,
          value: seconds((round) => round.reader.cpuMs),
        },
        {
          name: 'against fetch + JSON.parse of the same bytes',
          value: reading.text,
          target: '<= 1.5x',
          met: reading.at <= 1.5,
        },
        { name: 'against the same, what was parsed being kept to the end as rows are', value: keeping.text },
        {
          name: `looking again when nothing changed, ${idle.calls} call, CPU`,
          value: seconds((round) => round.idle.cpuMs),
        },
        {
          name: 'against fetch + JSON.parse of the same bytes',
          value: looking.text,
          target: '<= 1.5x',
          met: looking.at <= 1.5,
        },
        {
          name: 'held by a snapshot, after collecting garbage',
          value: `${reader.heldMegabytes} MB`,
          target: '< 150 MB',
          met: reader.heldMegabytes < 150,
        },
        {
          name: 'resident memory of the process at its peak, two reads, the heap not limited',
          value: `${peak} MB`,
          target: '<= 300 MB',
          met: peak <= 300,
        },
        {
          name: `the same with ${shippedFlag}, as the image and the unit of init set it`,
          value: `${shippedPeak} MB`,
          target: '<= 300 MB',
          met: shippedPeak <= 300,
        },
        {
          name: 'without it, the second being a look when nothing changed',
          value: `${peakOf((round) => round.idle)} MB`,
        },
      ];
    } finally {
      server.kill();
    }
  },
};

async function measure(role: string, port: number, flags: readonly string[] = []): Promise<Measured> {
  const child = startRole(role, [`${port}`], flags);
  const measured = await firstMessage<Measured>(child);
  child.kill();
  return measured;
}

function startRole(role: string, args: readonly string[], flags: readonly string[] = []): ChildProcess {
  return fork(fileURLToPath(import.meta.url), [role, ...args], { stdio: 'inherit', execArgv: [...flags] });
}

async function firstMessage<T>(child: ChildProcess): Promise<T> {
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`a bench process ended with ${String(code)}`))),
  ])) as [T];
  return message;
}

/** Passes the adapter's calls to the stand-in, keeps the answers, and serves the largest at `/largest`. */
async function serveRole(): Promise<void> {
  const text = (row: number, column: number) => `value ${column} of row ${row}`;
  // Only in this process: the measured processes hold none of it.
  const { createSheetsStandin } = await import('../src/standin/sheets/standin.ts');
  const standin = createSheetsStandin({ now: Date.now, random: () => 0.5, access: 'open', quotas: 'none' });
  standin.model.create({
    id: spreadsheetId,
    tabs: [
      {
        title: 'Bench',
        rowCount: rowCount + 1,
        columnCount,
        values: [
          ['Contact ID', ...columns.map(({ header }) => header)],
          ...Array.from({ length: rowCount }, (_, row) => [
            `00000000-0000-4000-8000-${`${row}`.padStart(12, '0')}`,
            ...columns.map((_column, column) => (column % 4 === 3 ? row * column : text(row, column))),
          ]),
        ],
      },
    ],
  });
  let largest: Buffer = Buffer.alloc(0);
  const answers = new Map<string, Buffer>();
  const packed = new Map<Buffer, Buffer>();
  const answerOne = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const question = url.pathname + url.search + body.toString();
    let answer = url.pathname === '/largest' ? largest : answers.get(question);
    if (answer === undefined) {
      const request = new Request(url, {
        method: incoming.method ?? 'GET',
        headers: { 'content-type': incoming.headers['content-type'] ?? '' },
        ...(body.length > 0 && { body }),
      });
      answer = Buffer.from(await (await standin.app.fetch(request)).arrayBuffer());
      answers.set(question, answer);
      if (answer.length > largest.length) largest = answer;
    }
    // Google compresses for whoever asks for it; its client and `fetch` both do.
    if (!packed.has(answer)) packed.set(answer, gzipSync(answer));
    outgoing.writeHead(200, { 'content-type': 'application/json; charset=UTF-8', 'content-encoding': 'gzip' });
    outgoing.end(packed.get(answer));
  };
  const server = createServer((incoming, outgoing) => void answerOne(incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
}

/** The first read warms up; the second is measured. */
async function readerRole(port: number, isIdle: boolean): Promise<void> {
  let calls = 0;
  const sheets = createSheets({
    credentials: benchCredentials,
    time: { elapsed: () => performance.now(), sleep: () => Promise.resolve(), random: () => 0.5 },
    fetch: (url, init) => {
      calls += 1;
      return fetchOverHttp(url.href, init);
    },
    endpoint: `http://127.0.0.1:${port}`,
    readsPerMinute: Infinity,
  });
  const table = sheets.openTable({
    spreadsheet: spreadsheetId,
    tab: 'Bench',
    headerRow: 1,
    idHeader: 'Contact ID',
    columns,
    owner: 'bench',
  });
  const heapBefore = heapMegabytes();
  // Only this is kept of the first snapshot, like one whose rows were merged into a base.
  const unless = await firstRead(table);
  calls = 0;
  const before = process.cpuUsage();
  const second: Snapshot | 'unchanged' = isIdle ? await table.read({ unless }) : await table.read();
  const cpu = process.cpuUsage(before);
  const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  if ((second === 'unchanged') !== isIdle) throw new Error('not what was to be measured');
  const rows = second === 'unchanged' ? 0 : second.rows.length;
  report(cpu, { peakMegabytes, heldMegabytes: heapMegabytes() - heapBefore, rows, calls, bytes: 0 });
  // Held until now.
  if (second !== 'unchanged' && second.rows.length === 0) throw new Error('nothing was read');
}

async function firstRead(table: Table): Promise<string> {
  const { fingerprint } = await table.read();
  return fingerprint;
}

function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
  return Math.round(process.memoryUsage().heapUsed / 2 ** 20);
}

async function baselineRole(port: number, isKept: boolean): Promise<void> {
  let kept: unknown;
  const readAll = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/largest`)).text();
    const parsed: unknown = JSON.parse(text);
    if (isKept) kept = parsed;
    return text.length;
  };
  await readAll();
  kept = undefined;
  const before = process.cpuUsage();
  const bytes = await readAll();
  const cpu = process.cpuUsage(before);
  report(cpu, { peakMegabytes: 0, heldMegabytes: 0, rows: kept === undefined ? 0 : 1, calls: 1, bytes });
}

function report({ user, system }: NodeJS.CpuUsage, rest: Omit<Measured, 'cpuMs'>): void {
  process.send?.({ cpuMs: Math.round((user + system) / 1000), ...rest } satisfies Measured);
}

// A child process with one of the roles above.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [role, port] = process.argv.slice(2);
  if (role === 'server') await serveRole();
  else if (role === 'reader' || role === 'idle') await readerRole(Number(port), role === 'idle');
  else if (role === 'keeper') await baselineRole(Number(port), true);
  else if (role === 'baseline') await baselineRole(Number(port), false);
}
