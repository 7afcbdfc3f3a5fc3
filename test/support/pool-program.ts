// A process with a pool of one connection, for tests that stop it: `pool-program.ts URL`. Says what became of each statement.
import { openDatabase } from './postgres-server.ts';

const [url = ''] = process.argv.slice(2);
const database = openDatabase(url, { poolMax: 1, connectTimeoutMs: 1_000, statementTimeoutMs: 1_000 });

async function outcome(what: string, work: Promise<unknown>): Promise<void> {
  const said = await work.then(
    () => 'done',
    (error: unknown) => String(error),
  );
  process.stdout.write(`${what}: ${said}\n`);
}

process.stdin.once('data', () => {
  // The first one has the connection, and the server answers it while the process is stopped. The second one waits in line.
  const all = [outcome('first', database.query('SELECT pg_sleep(0.5)')), outcome('second', database.query('SELECT 1'))];
  process.stdout.write('sent\n');
  void Promise.all(all).then(() => database.end());
  process.stdin.destroy();
});
process.stdout.write('ready\n');
