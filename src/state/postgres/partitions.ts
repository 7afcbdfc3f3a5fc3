// Keeps a partition for each month of the history and of the runs, and deletes what is older than it is kept.
import type { Database, Query } from '../../postgres/pool.ts';
import { DatabaseRefusedError } from '../errors.ts';
import type { PostgresDriverDep } from './dep.ts';
import type { Tables } from './migrate.ts';
import { tablesIn } from './schema.ts';

const dayMs = 86_400_000;
const partitioned = ['history', 'runs'] as const;

export interface Partitions {
  /** Once a day and database: makes partitions, and deletes what is too old. Nothing where there are no tables. Never throws. */
  keepDaily(): Promise<void>;
}

export function createPartitions(
  database: Database,
  made: Pick<Tables, 'areThere'>,
  dep: PostgresDriverDep,
): Partitions {
  const { schema } = database;
  const t = tablesIn(schema);
  let doneOn = '';

  /** Rows of a month that came before its partition stay in the partition for others, and the month with them. */
  const ahead: Query = async (text, values) => {
    try {
      return await database.query(text, values);
    } catch (error) {
      if (error instanceof DatabaseRefusedError) return [];
      throw error;
    }
  };

  async function prune(table: (typeof partitioned)[number], column: string, days: number): Promise<void> {
    const oldest = dep.now() - days * dayMs;
    const rows = await database.query(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = $1::regclass`,
      [`"${schema}".${table}`],
    );
    for (const name of rows.map((row) => String(row['name']))) {
      const [, year, month] = /_(\d{4})_(\d{2})$/.exec(name) ?? [];
      if (year === undefined || Date.UTC(Number(year), Number(month)) > oldest) continue;
      if (database.migrates) await database.query(`DROP TABLE IF EXISTS "${schema}"."${name}"`);
    }
    // The oldest month is kept in part, and rows of any month may be in the partition for others.
    await database.query(`DELETE FROM "${schema}".${table} WHERE ${column} < $1`, [oldest]);
  }

  async function keepNow(today: string): Promise<void> {
    const [claimed] = await database.query(
      `INSERT INTO ${t.meta} AS m VALUES ('kept_on', $1)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE m.value <> excluded.value RETURNING 1 AS one`,
      [today],
    );
    if (!claimed) return;
    if (database.migrates) await makePartitions(schema, dep.now(), ahead);
    await prune('history', 'at', dep.historyDays);
    await prune('runs', 'ended_at', dep.runDays);
  }

  return {
    async keepDaily() {
      const today = new Date(dep.now()).toISOString().slice(0, 'YYYY-MM-DD'.length);
      if (today === doneOn) return;
      try {
        if (!(await made.areThere())) return;
        // Set before the work: what fails is tried again tomorrow, or by the next process.
        doneOn = today;
        await keepNow(today);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        const message = `the history could not be tidied up today, and grows: ${why}`;
        dep.warn({ kind: 'unfinished', file: database.place, message });
      }
    },
  };
}

/** Makes the partitions of this month and the next. Rows of other months go to the partition `..._other`. */
export async function makePartitions(schema: string, at: number, query: Query): Promise<void> {
  const now = new Date(at);
  for (const table of partitioned) {
    for (const ahead of [0, 1]) {
      const [from, to] = [ahead, ahead + 1].map((months) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months));
      const name = `"${schema}".${table}_${monthName(from!)}`;
      await query(
        `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF "${schema}".${table} FOR VALUES FROM (${from}) TO (${to})`,
      );
    }
  }
}

function monthName(time: number): string {
  return new Date(time).toISOString().slice(0, 'YYYY-MM'.length).replace('-', '_');
}
