// Keeps a partition for each month of the history and of the runs, and deletes what is older than it is kept.
import type { Database, Query } from '../../postgres/pool.ts';
import { DatabaseRefusedError } from '../errors.ts';
import type { PostgresDriverDep } from './dep.ts';
import type { Tables } from './migrate.ts';
import { tablesIn } from './schema.ts';

const dayMs = 86_400_000;
/** The instant by which the rows of a table are in the partition of their month. */
const partitioned = { history: 'at', runs: 'ended_at' } as const;

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

  /** A partition that this user may not make, or of which a row comes meanwhile, is left out. */
  const ahead: Query = async (text, values) => {
    try {
      return await database.query(text, values);
    } catch (error) {
      if (error instanceof DatabaseRefusedError) return [];
      throw error;
    }
  };

  async function prune(table: keyof typeof partitioned, days: number): Promise<void> {
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
    await database.query(`DELETE FROM "${schema}".${table} WHERE ${partitioned[table]} < $1`, [oldest]);
  }

  async function keepNow(today: string): Promise<void> {
    const [claimed] = await database.query(
      `INSERT INTO ${t.meta} AS m VALUES ('kept_on', $1)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE m.value <> excluded.value RETURNING 1 AS one`,
      [today],
    );
    if (!claimed) return;
    if (database.migrates) await makePartitions(schema, dep.now(), ahead);
    await prune('history', dep.historyDays);
    await prune('runs', dep.runDays);
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

/**
 * Makes the partitions of this month and the next. Rows of other months go to the partition `..._other`. A month of which rows are there
 * gets none: the server refuses it, which would undo the migration that it is a part of.
 */
export async function makePartitions(schema: string, at: number, query: Query): Promise<void> {
  const now = new Date(at);
  for (const [table, column] of Object.entries(partitioned)) {
    for (const ahead of [0, 1]) {
      const [from, to] = [ahead, ahead + 1].map((months) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months));
      const [row] = await query(
        `SELECT EXISTS (SELECT FROM "${schema}".${table}_other WHERE ${column} >= ${from} AND ${column} < ${to}) AS others`,
      );
      if (row?.['others'] === true) continue;
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
