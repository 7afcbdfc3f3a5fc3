// Reads the address of a PostgreSQL database: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE`.
import { isLoopback } from '../lib/loopback.ts';
import { Secret } from '../lib/secret.ts';

export interface PostgresAddress {
  /** A name, an IP address without brackets, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Undefined: the address has none. */
  readonly password?: Secret;
  readonly tls: TlsMode;
}

/**
 * verify: encrypted, and the certificate is checked with its host name. encrypt: encrypted to any server.
 * off: in plain text. libpq's `prefer` and `allow` are not offered, because they send the password in plain text to a
 * server that offers no TLS.
 */
export type TlsMode = 'verify' | 'encrypt' | 'off';

const tlsBySslmode: ReadonlyMap<string, TlsMode> = new Map([
  ['verify-full', 'verify'],
  ['require', 'encrypt'],
  ['disable', 'off'],
]);

const portDefault = 5432;

/** PostgreSQL cuts longer names off without an error (NAMEDATALEN is 64). */
const nameBytesMax = 63;

const postgresForm = 'postgres://USER:PASSWORD@HOST/DATABASE';

/** Whether a text is intended as the address of a database, valid or not. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:/i.test(text);
}

/** The address, or why it is none, without any part of it that may be secret. */
export function parsePostgresAddress(text: string): PostgresAddress | { readonly fault: string } {
  if (!isPostgresAddress(text))
    return { fault: `${postgresForm}, such as postgres://leadsheet@db.example.com/leadsheet` };
  const url = /^postgres(?:ql)?:\/\//i.test(text) ? URL.parse(text) : null;
  // A host is missing, a port is no number, or several hosts are given.
  if (url === null || url.hostname === '') return { fault: `an address with one host: ${postgresForm}` };
  const [host, user, password, database] = [url.hostname, url.username, url.password, url.pathname.slice(1)].map(
    decoded,
  );
  if (host === undefined || user === undefined || password === undefined || database === undefined) {
    return { fault: 'an address in which % begins a code of two digits; write %25 for % itself' };
  }
  if (host.includes(','))
    return { fault: 'an address with one host; a name that follows a failover is the way to several' };
  if (user === '') return { fault: `an address with a user: ${postgresForm}` };
  if (database === '') return { fault: `an address with the name of a database behind the host: ${postgresForm}` };
  if (database.includes('/') || Buffer.byteLength(database) > nameBytesMax || url.hash !== '') {
    return { fault: 'an address whose special characters in user, password and database are written as %XX, # as %23' };
  }
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'sslmode');
  if (unknown !== undefined)
    return { fault: 'an address with no other parameter than sslmode; others are options of `postgres:`' };
  const mode = url.searchParams.get('sslmode');
  const tls = mode === null ? (isOnThisMachine(host) ? 'off' : 'verify') : tlsBySslmode.get(mode);
  if (tls === undefined) return { fault: 'an address with sslmode=verify-full, sslmode=require or sslmode=disable' };
  return {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? portDefault : Number(url.port),
    database,
    user,
    ...(password !== '' && { password: new Secret(password) }),
    tls,
  };
}

/** The database in words for people: never the user, the password or a parameter. */
export function describePostgres({ host, port, database }: PostgresAddress): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return `postgres://${shown}${port === portDefault ? '' : `:${port}`}/${database}`;
}

function isOnThisMachine(host: string): boolean {
  return host.startsWith('/') || isLoopback(host);
}

/** Undefined: not in the form of a URL. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
