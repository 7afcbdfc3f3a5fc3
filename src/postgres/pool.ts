// Opens the pool of connections to PostgreSQL: one a process, which the store, the queue and the budgets share.
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { Pool, PoolClient } from 'pg';
import { afterRunning } from '../lib/running-time.ts';
import type { Secret } from '../lib/secret.ts';
import { DatabaseRefusedError, DatabaseUnavailableError, type StateError } from '../state/errors.ts';
import { describePostgres, parsePostgresAddress, type PostgresAddress } from './address.ts';
import { isOutcomeUnknown, laterWords, toStateError } from './errors.ts';
import type { Line } from './line.ts';

export interface PostgresSettings {
  /** The address; see address.ts. Has been checked. */
  readonly url: Secret;
  /** Set also where the address has one. */
  readonly password?: Secret;
  /** The schema of all tables; in lower case, letters, digits and underscores. */
  readonly schema: string;
  /** Connections of this process at most. */
  readonly poolMax: number;
  /** The file of the authority that signed the certificate of the server. Undefined: those of Node. */
  readonly caFile?: string;
  readonly connectTimeoutMs: number;
  /** The server cancels a statement that takes longer. */
  readonly statementTimeoutMs: number;
  /** Whether this process may make and change the tables. */
  readonly migrates: boolean;
}

/** Runs one statement; returns its rows. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export type Row = Readonly<Record<string, unknown>>;

/** All calls throw StateErrors that name host and database. */
export interface Database {
  /** In words, without user and password: `postgres://db.example.com/leadsheet`. */
  readonly place: string;
  readonly schema: string;
  readonly migrates: boolean;
  /**
   * One statement on any connection, with the answers of `pg`: bigint is text. A connection that broke
   * before the answer came leaves the outcome unknown (`isOutcomeUnknown`).
   */
  readonly query: Query;
  /** A statement that may be carried out twice: sent once more, on another connection, if its answer is lost. */
  readonly queryRepeatable: Query;
  /** Like `query`, before all that wait for a connection: a sign of life, which others wait for. */
  readonly queryUrgent: Query;
  /**
   * Statements on one connection, between BEGIN and COMMIT; ROLLBACK if `work` throws. If a statement failed and `work` went on,
   * nothing is committed, and its failure is thrown.
   */
  transaction<Value>(work: (query: Query) => Promise<Value>): Promise<Value>;
  /** Closes all connections. A later call opens new ones. */
  end(): Promise<void>;
}

interface Opened {
  readonly pool: Pool;
  readonly line: Line;
}

interface Session {
  readonly send: (
    text: string,
    values?: readonly unknown[],
  ) => Promise<{ readonly rows: readonly Row[]; readonly command: string }>;
  /** The first one of this session. */
  readonly failure: () => StateError | undefined;
}

/** What is given to the server as `application_name`; cut at 63 bytes there. */
const applicationName = 'leadsheet';

/** The server answers a cancelled statement itself. Only a connection that is silent takes longer. */
const silentExtraMs = 5_000;

const idleMs = 30_000;

const databases = new Map<string, Database>();

/** The database of these settings: the same one for all who ask in this process. Opens no connection yet. */
export function sharedDatabase(settings: PostgresSettings): Database {
  const { url, password, ...rest } = settings;
  const key = JSON.stringify([url.reveal(), password?.reveal(), rest]);
  const known = databases.get(key) ?? createDatabase(settings);
  databases.set(key, known);
  return known;
}

/** Closes the connections of all shared databases of this process. */
export async function endSharedDatabases(): Promise<void> {
  await Promise.all([...databases.values()].map((database) => database.end()));
}

/** A database with a pool of its own. Opens no connection yet. */
function createDatabase(settings: PostgresSettings): Database {
  const address = checkedAddress(settings);
  const place = describePostgres(address);
  let opened: Promise<Opened> | undefined;

  function open(): Promise<Opened> {
    opened ??= openPool(settings, address, place).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  async function withClient<Value>(work: (session: Session) => Promise<Value>, isUrgent = false): Promise<Value> {
    const { pool, line } = await open().catch((error: unknown) => {
      throw toStateError(error, place, false);
    });
    return line.run(() => withClientOf(pool, line, work), isUrgent);
  }

  /** A connection from which no answer comes in time fails, with an unknown outcome. `query_timeout` of `pg` is a plain timer. */
  async function answerOf(
    client: PoolClient,
    text: string,
    values: readonly unknown[] = [],
  ): ReturnType<Session['send']> {
    const silent = Promise.withResolvers<never>();
    const timer = afterRunning(settings.statementTimeoutMs + silentExtraMs, () => silent.reject(noAnswer(place)));
    try {
      return await Promise.race([client.query<Record<string, unknown>>(text, [...values]), silent.promise]);
    } finally {
      timer.end();
    }
  }

  /** The connection goes back to the pool, unless it broke, and outside of any transaction. */
  async function withClientOf<Value>(
    pool: Pool,
    line: Line,
    work: (session: Session) => Promise<Value>,
  ): Promise<Value> {
    const client = await pool.connect().catch((error: unknown) => {
      throw toStateError(error, place, false);
    });
    /** The first: within a transaction the others follow from it. */
    let failure: StateError | undefined;
    let isBroken = false;
    const send: Session['send'] = async (text, values = []) => {
      try {
        return await answerOf(client, text, values);
      } catch (error) {
        const told = toStateError(error, place, true);
        failure ??= told;
        isBroken ||= told.retryable;
        throw told;
      }
    };
    try {
      return await work({ send, failure: () => failure });
    } finally {
      const isSound = !isBroken && (await isOutsideTransaction(client, failure));
      client.release(!isSound);
      if (isSound) line.moved();
    }
  }

  /**
   * After a failure, or a BEGIN that was not ended, what was begun is undone. The status that `pg` has of the connection is
   * that of before the failure.
   */
  async function isOutsideTransaction(client: PoolClient, failure: StateError | undefined): Promise<boolean> {
    if (!failure && client.getTransactionStatus() === 'I') return true;
    return answerOf(client, 'ROLLBACK').then(
      () => true,
      () => false,
    );
  }

  const run: Query = (text, values) => withClient(async ({ send }) => (await send(text, values)).rows);
  return {
    place,
    schema: settings.schema,
    migrates: settings.migrates,
    query: run,
    queryUrgent: (text, values) => withClient(async ({ send }) => (await send(text, values)).rows, true),
    async queryRepeatable(text, values) {
      try {
        return await run(text, values);
      } catch (error) {
        // A connection that lay idle while the server restarted fails at its first use.
        if (!isOutcomeUnknown(error)) throw error;
        return run(text, values);
      }
    },
    transaction: (work) =>
      withClient(async ({ send, failure }) => {
        await send('BEGIN');
        const value = await work(async (text, values) => (await send(text, values)).rows);
        // PostgreSQL answers so, and reports no error, if a statement failed.
        if ((await send('COMMIT')).command === 'ROLLBACK') throw failure() ?? transactionUndone(place);
        return value;
      }),
    async end() {
      const ending = opened;
      opened = undefined;
      await (await ending)?.pool.end();
    },
  };
}

function noAnswer(place: string): DatabaseUnavailableError {
  return new DatabaseUnavailableError(place, 'a statement got no answer in time', laterWords, {
    isOutcomeUnknown: true,
  });
}

function transactionUndone(place: string): DatabaseUnavailableError {
  return new DatabaseUnavailableError(place, 'the server undid a transaction', 'Nothing was changed. Try again');
}

function checkedAddress({ url }: PostgresSettings): PostgresAddress {
  const address = parsePostgresAddress(url.reveal());
  if ('fault' in address) throw new Error(`an address that was not checked; allowed: ${address.fault}`);
  return address;
}

async function openPool(settings: PostgresSettings, address: PostgresAddress, place: string): Promise<Opened> {
  // Loaded here, so that a state on files starts without them.
  const [{ default: pg }, { clientWithin }, { createLine }] = await Promise.all([
    import('pg'),
    import('./client.ts'),
    import('./line.ts'),
  ]);
  const password = settings.password ?? address.password;
  const pool = new pg.Pool({
    host: address.host,
    port: address.port,
    user: address.user,
    database: address.database,
    ...(password && { password: password.reveal() }),
    ssl: tlsOptions(settings, address, place),
    max: settings.poolMax,
    Client: clientWithin(settings.connectTimeoutMs),
    statement_timeout: settings.statementTimeoutMs,
    // The locks of a process that hangs within a transaction are given back.
    idle_in_transaction_session_timeout: settings.statementTimeoutMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    application_name: applicationName,
    // An idle connection does not keep a command from ending.
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is dropped by the pool. Without a listener it would end the process.
  pool.on('error', () => {});
  // The same for one in use: its statement fails with the error.
  pool.on('connect', (client) => client.on('error', () => {}));
  const stillMs = Math.max(settings.connectTimeoutMs, settings.statementTimeoutMs + silentExtraMs);
  const line = createLine({ max: settings.poolMax, stillMs, stuck: () => noConnectionFree(place, stillMs) });
  return { pool, line };
}

function noConnectionFree(place: string, stillMs: number): DatabaseUnavailableError {
  const remedy = `${laterWords}, or raise \`postgres.pool_size\``;
  return new DatabaseUnavailableError(place, `no connection came free in ${Math.round(stillMs / 1_000)} s`, remedy);
}

function tlsOptions({ caFile }: PostgresSettings, { tls }: PostgresAddress, place: string): ConnectionOptions | false {
  if (tls === 'off') return false;
  if (tls === 'encrypt') return { rejectUnauthorized: false };
  return { rejectUnauthorized: true, ...(caFile !== undefined && { ca: readAuthority(caFile, place) }) };
}

function readAuthority(file: string, place: string): string {
  const remedy = 'Correct `postgres.ca_file`';
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new DatabaseRefusedError(place, `${file} cannot be read (${code})`, remedy, { cause: error });
  }
  // Node trusts no authority of such a file, and says nothing.
  if (!/^-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/m.test(text))
    throw new DatabaseRefusedError(place, `${file} has no certificate in the form of PEM`, remedy);
  return text;
}
