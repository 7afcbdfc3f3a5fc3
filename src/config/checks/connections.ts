// The token, and who may look at the status page.
import { isLoopback, parseListen } from '../address.ts';
import { nearestWord } from '../nearest.ts';
import { keysOf, schemaAt } from '../schema-walk.ts';
import { configFile } from '../schema/file.ts';
import type { Fault, SalvagedFile } from './check.ts';

/** `given` is the file as it came: a secret that did not pass is there all the same. */
export function checkConnections({ server }: SalvagedFile, given: GivenFile): readonly Fault[] {
  return [...checkToken(given), ...checkPassword(server?.listen, given)];
}

interface GivenFile {
  readonly crm?: unknown;
  readonly server?: unknown;
}

function checkToken({ crm }: GivenFile): readonly Fault[] {
  if (typeof crm !== 'object' || crm === null) return [];
  if ('token' in crm && 'token_file' in crm) return [both(['crm', 'token_file'], 'token')];
  const known = keysOf(schemaAt(configFile, ['crm'])) ?? [];
  // One that is misspelt is named as that.
  const meant = new Set(Object.keys(crm).map((key) => nearestWord(key, known)));
  if (meant.has('token') || meant.has('token_file')) return [];
  const allowed = 'token: ${OUTREACH_TOKEN}, or token_file with the path of a file that holds it';
  return [{ path: ['crm'], part: 'key', found: 'no token', allowed }];
}

function checkPassword(listen: string | undefined, { server }: GivenFile): readonly Fault[] {
  const given = typeof server === 'object' && server !== null ? server : {};
  if ('password' in given && 'password_file' in given) return [both(['server', 'password_file'], 'password')];
  const host = parseListen(listen ?? '')?.host;
  if (host === undefined || isLoopback(host) || 'password' in given || 'password_file' in given) return [];
  return [
    {
      path: ['server', 'listen'],
      part: 'value',
      found: 'an address that others can reach, and no password',
      allowed: 'password: ${...} or password_file beside it, or an address of this machine such as 127.0.0.1:4000',
    },
  ];
}

function both(path: readonly string[], other: string): Fault {
  return { path, part: 'key', found: `this beside ${other}`, allowed: 'one of the two' };
}
