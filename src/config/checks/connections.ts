// Checks the access to the server, and the secrets of its hooks.
import { parseListen } from '../address.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { hookSecretCharsMin, hookSecretCharsMinBeyond, isHookSecret, passwordCharsMinBeyond } from '../secret-file.ts';
import { userKey } from '../users.ts';
import type { Fault, SalvagedFile } from './check.ts';

/** `given` is the file before checks: it also has secrets that did not pass. */
export function checkConnections({ server }: SalvagedFile, given: GivenFile): readonly Fault[] {
  return [
    ...checkPassword(server?.listen, given),
    ...checkHookSecret(server?.listen, given),
    ...checkUsers(server?.users ?? []),
    ...checkProxy(given),
    ...checkDatabase(given),
  ];
}

interface GivenFile {
  readonly server?: unknown;
  readonly postgres?: unknown;
}

function checkDatabase({ postgres }: GivenFile): readonly Fault[] {
  const given = typeof postgres === 'object' && postgres !== null ? postgres : {};
  return 'password' in given && 'password_file' in given ? [both(['postgres', 'password_file'], 'password')] : [];
}

function checkPassword(listen: string | undefined, { server }: GivenFile): readonly Fault[] {
  const given = typeof server === 'object' && server !== null ? server : {};
  if ('password' in given && 'password_file' in given) return [both(['server', 'password_file'], 'password')];
  const host = parseListen(listen ?? '')?.host;
  if (host === undefined || isLoopback(host) || 'password_file' in given) return [];
  if (!('password' in given) && isLoginGiven(given)) return [];
  if ('password' in given) {
    // An invalid password is reported already.
    const fault = typeof given.password === 'string' && given.password !== '' && passwordFault(listen, given.password);
    return fault ? [{ path: ['server', 'password'], part: 'value', ...fault }] : [];
  }
  return [
    {
      path: ['server', 'listen'],
      part: 'value',
      found: 'an address that others can reach, and no password',
      allowed:
        'password: ${...}, password_file, users (leadsheet user add) or trusted_proxy with a header beside it, or an address of this machine such as 127.0.0.1:4000',
    },
  ];
}

/** Users, or a proxy that names people. Invalid ones are reported already. */
function isLoginGiven(given: object): boolean {
  if ('users' in given && Array.isArray(given.users) && given.users.length > 0) return true;
  const proxy = 'trusted_proxy' in given ? given.trusted_proxy : undefined;
  return typeof proxy === 'object' && proxy !== null && 'header' in proxy;
}

function checkUsers(users: readonly ({ readonly name?: string | undefined } | undefined)[]): readonly Fault[] {
  const keys = users.map((user) => (user?.name === undefined ? undefined : userKey(user.name)));
  return keys.flatMap((key, index) =>
    key === undefined || keys.indexOf(key) === index
      ? []
      : [
          {
            path: ['server', 'users', index, 'name'],
            part: 'value' as const,
            allowed: 'a name that no other user has',
          },
        ],
  );
}

/** A header without roles lets nobody in, and roles without a header are nobody's. */
function checkProxy({ server }: GivenFile): readonly Fault[] {
  const given = typeof server === 'object' && server !== null && 'trusted_proxy' in server ? server.trusted_proxy : {};
  const has = (key: string) => typeof given === 'object' && given !== null && key in given;
  const path = ['server', 'trusted_proxy'];
  const role = ['role', 'roles', 'accounts'].find(has);
  if (has('header') && !has('role') && !has('roles')) {
    const allowed = 'role: viewer for everybody whom the proxy lets in, or roles with the names of people';
    return [{ path: [...path, 'header'], part: 'key', found: 'a header without a role', allowed }];
  }
  if (!has('header') && role !== undefined) {
    const allowed = 'header: X-Forwarded-User, or another one in which the proxy names the person';
    return [{ path: [...path, role], part: 'key', found: `${role} without a header`, allowed }];
  }
  return [];
}

/** If others can reach the address, they can also guess a password. */
export function passwordFault(
  listen: string | undefined,
  password: string,
): (Pick<Fault, 'allowed'> & { readonly found: string }) | undefined {
  const host = parseListen(listen ?? '')?.host;
  const { length } = Array.from(password);
  if (host === undefined || isLoopback(host) || length >= passwordCharsMinBeyond) return undefined;
  return {
    found: `${length === 1 ? '1 character' : `${length} characters`}, at an address that others can reach`,
    allowed: `${passwordCharsMinBeyond} characters or more there, such as openssl rand -base64 18 makes`,
  };
}

function checkHookSecret(listen: string | undefined, { server }: GivenFile): readonly Fault[] {
  const given = typeof server === 'object' && server !== null ? server : {};
  if ('hook_secret' in given && 'hook_secret_file' in given) {
    return [both(['server', 'hook_secret_file'], 'hook_secret')];
  }
  const secret = 'hook_secret' in given ? given.hook_secret : undefined;
  // An invalid secret is reported already.
  if (typeof secret !== 'string' || !isHookSecret(secret, hookSecretCharsMin)) return [];
  const fault = hookSecretFault(listen, secret);
  return fault === undefined ? [] : [{ path: ['server', 'hook_secret'], part: 'value', ...fault }];
}

/** If others can reach the address, they can also try secrets. */
export function hookSecretFault(
  listen: string | undefined,
  secret: string,
): (Pick<Fault, 'allowed'> & { readonly found: string }) | undefined {
  const host = parseListen(listen ?? '')?.host;
  if (host === undefined || isLoopback(host) || isHookSecret(secret, hookSecretCharsMinBeyond)) return undefined;
  return {
    found: `${secret.length} characters, at an address that others can reach`,
    allowed: `one word of ${hookSecretCharsMinBeyond} characters or more there, such as openssl rand -hex 32 makes`,
  };
}

function both(path: readonly string[], other: string): Fault {
  return { path, part: 'key', found: `this beside ${other}`, allowed: 'one of the two' };
}
