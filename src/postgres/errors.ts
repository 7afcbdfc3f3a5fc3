// Turns failures of PostgreSQL and of the way to it into errors for an operator. No message has a password or a value.
import { DatabaseRefusedError, DatabaseUnavailableError, type StateError } from '../state/errors.ts';

/** Codes of Node for connections that could not be made or broke (https://nodejs.org/api/errors.html). */
const networkWords: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was cut'],
  ['EPIPE', 'the connection was cut'],
  ['ETIMEDOUT', 'the connection got no answer'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ENOTFOUND', 'the name of the host is not known'],
  ['EAI_AGAIN', 'the name of the host could not be looked up'],
  ['ENOENT', 'there is no socket of a server in this folder'],
  ['EACCES', 'this account may not use the socket of the server'],
]);

/** A host or port that is mistyped fails like this in each run, and so does a server that is down. */
const unfoundCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'ENOENT']);
const unfoundWords = 'Look whether host and port in `state:` are right';

interface Words {
  readonly what: string;
  readonly remedy: string;
}

export const laterWords = 'Nothing that was saved is lost, and the next run goes on. If this lasts, look at the server';

const onlyReadsWords: Words = {
  what: 'the server only lets read: it is a replica, or has become one',
  remedy: 'Set `state:` to the primary, or wait for the end of the failover',
};

/** SQLSTATE, or its first two characters, that pass by themselves (PostgreSQL, appendix A). */
const passing: ReadonlyMap<string, Words> = new Map([
  ['57P01', { what: 'the server ended the connection', remedy: laterWords }],
  ['57P02', { what: 'the server crashed', remedy: laterWords }],
  ['57P03', { what: 'the server is starting or stopping', remedy: laterWords }],
  ['57P05', { what: 'the server ended an idle connection', remedy: laterWords }],
  ['57014', { what: 'a statement took too long, or was cancelled', remedy: laterWords }],
  [
    '53100',
    {
      what: 'the disk of the server is full',
      remedy: 'Make room on the server. Nothing that was saved is lost, and the next run goes on',
    },
  ],
  ['53200', { what: 'the server is out of memory', remedy: laterWords }],
  [
    '53300',
    {
      what: 'the server has no connection left',
      remedy: 'Raise max_connections of the server, or lower `postgres.pool_size`',
    },
  ],
  ['55P03', { what: 'a lock was not given in time', remedy: laterWords }],
  ['25006', onlyReadsWords],
  ['25P03', { what: 'the server ended an idle transaction', remedy: laterWords }],
  ['40', { what: 'the server undid a transaction', remedy: laterWords }],
  ['08', { what: 'the connection broke', remedy: laterWords }],
  ['53', { what: 'the server is short of a resource', remedy: laterWords }],
  ['57', { what: 'the server ended the work', remedy: laterWords }],
  ['58', { what: 'the system of the server failed', remedy: laterWords }],
]);

/** The same, for failures that need a person. */
const lasting: ReadonlyMap<string, Words> = new Map([
  [
    '28P01',
    {
      what: 'the server refused user or password',
      remedy: 'Correct both in `state:`, or the password in `postgres.password_file`',
    },
  ],
  [
    '28000',
    {
      what: 'the server refuses this user from this host',
      remedy: 'Allow it in pg_hba.conf of the server, or correct the user in `state:`',
    },
  ],
  [
    '3D000',
    {
      what: 'the server has no database of this name',
      remedy: 'Make it: CREATE DATABASE, or correct the name in `state:`',
    },
  ],
  ['42501', { what: 'the user lacks a right', remedy: 'Grant it: docs/state.md lists the rights' }],
  [
    '42P01',
    {
      what: 'a table is missing',
      remedy: 'Run: leadsheet state migrate. If it stays missing, restore a backup: tables were dropped by hand',
    },
  ],
  ['42703', { what: 'a column is missing', remedy: 'Restore a backup: tables were changed by hand' }],
  [
    '42704',
    { what: 'something that the schema needs is missing', remedy: 'Restore a backup: the schema was changed by hand' },
  ],
]);

/** Classes whose messages may quote a value. */
const quotingClasses = new Set(['22', '23']);

/** Whether the statement may have been applied although it failed: its answer is lost. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && error.isOutcomeUnknown;
}

/** What a write would fail with. */
export function onlyReads(place: string): DatabaseUnavailableError {
  return new DatabaseUnavailableError(place, onlyReadsWords.what, onlyReadsWords.remedy);
}

/** `place`: the database in words (address.ts). `wasSent`: a statement was on its way. StateErrors stay as they are. */
export function toStateError(error: unknown, place: string, wasSent: boolean): StateError {
  if (error instanceof DatabaseRefusedError || error instanceof DatabaseUnavailableError) return error;
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const code = codeOf(cause);
  const text = cause instanceof Error ? cause.message : String(cause);
  const isSqlState = /^[\dA-Z]{5}$/.test(code) && !networkWords.has(code);
  if (isSqlState) return serverError(code, text, place, wasSent, error);
  if (isTlsFault(code, text)) {
    const { what, remedy } = tlsWords(code, text);
    return new DatabaseRefusedError(place, `the TLS connection was not made: ${what}`, remedy, { cause: error });
  }
  const what = networkWords.get(code) ?? timeoutWords(text) ?? `the connection failed (${code === '' ? text : code})`;
  const remedy = unfoundCodes.has(code) ? `${unfoundWords}. ${laterWords}` : laterWords;
  return new DatabaseUnavailableError(place, what, remedy, { cause: error, isOutcomeUnknown: wasSent });
}

function serverError(code: string, text: string, place: string, wasSent: boolean, cause: unknown): StateError {
  const passes = passing.get(code);
  const lasts = lasting.get(code);
  const group = code.slice(0, 2);
  const detail = quotingClasses.has(group) ? `SQLSTATE ${code}` : `${text}, SQLSTATE ${code}`;
  // A line of pg_hba.conf that begins with `hostssl`.
  if (code === '28000' && /no encryption/.test(text)) {
    const remedy = 'Add sslmode=verify-full to the address, and set `postgres.ca_file` (docs/state.md)';
    return new DatabaseRefusedError(place, `the server wants TLS (${detail})`, remedy, { cause });
  }
  if (lasts) return new DatabaseRefusedError(place, `${lasts.what} (${detail})`, lasts.remedy, { cause });
  const words = passes ?? passing.get(group);
  if (words) {
    // A server that ends a connection may have committed before (PostgreSQL, "synchronous_commit").
    const mayBeDone = wasSent && (code.startsWith('57P') || group === '08');
    return new DatabaseUnavailableError(place, `${words.what} (${detail})`, words.remedy, {
      cause,
      isOutcomeUnknown: mayBeDone,
    });
  }
  return new DatabaseRefusedError(
    place,
    `the server refused a statement (${detail})`,
    'This is a fault of leadsheet, or tables were changed by hand',
    { cause },
  );
}

/** Codes of OpenSSL and Node for certificates; and a server without TLS, which `pg` says in words alone. */
function isTlsFault(code: string, text: string): boolean {
  return /CERT|ISSUER|SIGNATURE|SSL|TLS_|ALTNAME/.test(code) || /does not support SSL|SSL connections/i.test(text);
}

function tlsWords(code: string, text: string): Words {
  if (/does not support SSL/i.test(text)) {
    const remedy = 'Turn it on in the server (ssl = on), or add sslmode=disable to the address, in a private network';
    return { what: 'the server offers no TLS', remedy };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const remedy = 'Set `state:` to a name of the certificate, or give the server a certificate for this one';
    return { what: 'the certificate is for another host', remedy };
  }
  if (code === 'CERT_HAS_EXPIRED') return { what: 'the certificate has expired', remedy: 'Renew it in the server' };
  return {
    what: `the certificate cannot be checked (${code === '' ? text : code})`,
    remedy: 'Set `postgres.ca_file` to the authority of the server, or add sslmode to the address (docs/state.md)',
  };
}

/** `pg` says these in words alone. */
function timeoutWords(text: string): string | undefined {
  if (/timeout/i.test(text)) return 'no connection was made in time';
  if (/connection terminated|client has encountered a connection error|not queryable/i.test(text))
    return 'the connection was cut';
  return undefined;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
