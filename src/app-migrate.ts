// Makes all tables of a database, or brings them to this version: those of the state, of the budgets and of the queue.
import { migrateState } from './app-state.ts';
import type { Config } from './config/config.ts';
import { migrateBoss } from './daemon/queue/postgres/boss.ts';
import { makeQueueTables } from './daemon/queue/postgres/book.ts';
import { budgetsSchema, createTableSql } from './limits/draw-sql.ts';
import { sharedDatabase } from './postgres/pool.ts';

/**
 * For processes that may not make tables by themselves, too. Returns the versions of the tables of the state. Undefined: the state is in
 * files, which have none. Safe to repeat. Throws StateErrors.
 */
export async function migrateAll(
  state: Config['state'],
  now: () => number,
): Promise<{ readonly before: number; readonly after: number } | undefined> {
  const versions = await migrateState(state, now);
  if (!versions || state.kind !== 'postgres') return undefined;
  const database = { ...sharedDatabase(state), migrates: true };
  await database.query(createTableSql(budgetsSchema(database.schema)));
  await makeQueueTables(database);
  await migrateBoss(database);
  return versions;
}
