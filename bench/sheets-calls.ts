// Counts the calls, at the stand-in, for updating cells in 1,000 rows, appending 1,000 rows, and an idle read.
import { createSheets } from '../src/sheets/google/table.ts';
import type { Bench } from './support/measure.ts';
import { benchCredentials } from './support/sheets.ts';
import { createSheetsStandin } from '../src/standin/sheets/standin.ts';

interface Calls {
  readonly reads: number;
  readonly writes: number;
}

export const bench: Bench = {
  name: 'sheets-calls',
  async run() {
    const { update, append, again, idle, first } = await countCalls();
    const text = ({ reads, writes }: Calls) => `${reads} reads + ${writes} writes`;
    return [
      {
        name: 'updating cells in 1,000 rows, the snapshot included',
        value: text(update),
        target: '<= 2 reads + 3 writes',
        met: update.reads <= 2 && update.writes <= 3,
      },
      {
        name: 'appending 1,000 rows',
        value: text(append),
        target: '<= 1 write',
        met: append.reads === 0 && append.writes <= 1,
      },
      {
        name: 'looking at 1,000 rows again, changed',
        value: text(again),
        target: '1 read',
        met: again.reads === 1 && again.writes === 0,
      },
      {
        name: 'looking at 1,000 rows again, unchanged',
        value: text(idle),
        target: '1 read',
        met: idle.reads === 1 && idle.writes === 0,
      },
      { name: 'first read of a process, nothing remembered', value: text(first) },
    ];
  },
};

const rowCount = 1_000;
const spreadsheetId = 'bench-spreadsheet';
const columns = Array.from({ length: 11 }, (_, index) => ({
  key: `column_${index}`,
  header: `Column ${index}`,
  format: 'text' as const,
}));

async function countCalls() {
  const standin = createSheetsStandin({ now: Date.now, random: createRandom(), access: 'open', quotas: 'none' });
  const header = ['Contact ID', ...columns.map((column) => column.header)];
  const values = Array.from({ length: rowCount }, (_, row) => [
    `id ${row}`,
    ...columns.map(({ key }) => `${key} ${row}`),
  ]);
  standin.model.create({ id: spreadsheetId, tabs: [{ title: 'Bench', values: [header, ...values] }] });
  const sheets = createSheets({
    credentials: benchCredentials,
    time: { elapsed: () => performance.now(), sleep: () => Promise.resolve(), random: createRandom() },
    fetch: standin.fetch,
    readsPerMinute: Infinity,
    writesPerMinute: Infinity,
  });
  const spec = {
    spreadsheet: spreadsheetId,
    tab: 'Bench',
    headerRow: 1,
    idHeader: 'Contact ID',
    columns,
    owner: 'bench',
  };
  const table = sheets.openTable(spec);
  await table.ensure(await table.read(), []);

  const count = async (work: () => Promise<unknown>): Promise<Calls> => {
    standin.log.clear();
    await work();
    const { reads, writes } = standin.log.counters;
    return { reads, writes };
  };
  const update = await count(async () => {
    const snapshot = await table.read();
    const set = Object.fromEntries(columns.map(({ key }) => [key, `new ${key}`]));
    const outcomes = await table.update(
      snapshot,
      snapshot.rows.map((row) => ({ row, set })),
    );
    if (!outcomes.every(({ kind }) => kind === 'written')) throw new Error('not all rows were written');
  });
  const snapshot = await table.read();
  const append = await count(async () => {
    const rows = Array.from({ length: rowCount }, (_, row) => ({ id: `new ${row}`, set: { column_0: 'x' } }));
    const outcomes = await table.append(snapshot, rows);
    if (!outcomes.every(({ kind }) => kind === 'appended')) throw new Error('not all rows were appended');
  });
  let unless: string | undefined;
  const again = await count(async () => (unless = (await table.read()).fingerprint));
  const idle = await count(async () => {
    if ((await table.read({ unless })) !== 'unchanged') throw new Error('nothing changed, and it was not told');
  });
  const first = await count(() => sheets.openTable(spec).read());
  return { update, append, again, idle, first };
}

/** The same each time, so that the figures are repeatable. */
function createRandom(): () => number {
  let state = 1;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}
