// Access by logins, without a daemon: the state is in memory, and the clock that of the test.
import { randomBytes, scryptSync } from 'node:crypto';
import { createLoginAccess, type LoginAccessDep } from '../../src/web/console/access/by-login.ts';
import { openLoginBook } from '../../src/web/console/access/login-book.ts';
import { createLoginLinks } from '../../src/web/console/access/login-links.ts';
import type { Access } from '../../src/web/console/access/viewer.ts';
import type { JsonObject } from '../../src/state/port.ts';

export interface LoginsOptions extends Partial<LoginAccessDep['server']> {
  readonly onWrong?: () => void;
}

export async function openLogins({ onWrong = () => {}, ...server }: LoginsOptions): Promise<Access> {
  let stored: JsonObject | undefined;
  const store = {
    readLogins: async () => stored,
    changeLogins: async (change: (before: JsonObject | undefined) => JsonObject) => void (stored = change(stored)),
  };
  const onFailure = (error: unknown) => {
    throw error;
  };
  const now = () => Date.now();
  const book = await openLoginBook({ store, now, onFailure, isShared: false });
  return createLoginAccess({
    server: { users: [], sessionMs: 12 * 3_600_000, console: 'read', ...server },
    book,
    links: createLoginLinks({ now, elapsed: () => performance.now() }),
    path: 'leadsheet.yaml',
    rereadUsers: undefined,
    now,
    elapsed: () => performance.now(),
    onWrong,
    onUsersFault: onFailure,
  });
}

export interface Person {
  readonly name: string;
  readonly role: 'viewer' | 'operator';
  readonly password: string;
}

/** The entry of a person under `server.users`. */
export function userEntry({ name, role, password }: Person) {
  return { name, role, password_hash: cheapHash(password) };
}

/** With the lowest cost that a hash may have: one of leadsheet's own takes 0.3 s of processor time to make, and to check. */
export function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 14, r: 1, p: 1 });
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=14,r=1,p=1$${text(salt)}$${text(hash)}`;
}

/**
 * What an earlier process of the daemon keeps of logins: the hash of the server's password, so that the first login of a test does
 * not make one.
 */
export function keptLogins(password: string): JsonObject {
  const secret = randomBytes(32).toString('base64');
  return { version: 1, secret, password_hash: cheapHash(password), sessions: [], logins: [] };
}

interface AskInit extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser without script: it keeps cookies, says the origin of its forms, and shows where it was sent. */
export function createBrowser(url: string, headers: Readonly<Record<string, string>> = {}) {
  const cookies = new Map<string, string>();

  async function ask(path: string, init: AskInit = {}): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(new URL(path, url), {
      redirect: 'manual',
      ...init,
      headers: { accept: 'text/html', ...(cookie && { cookie }), ...headers, ...init.headers },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }

  const post = (path: string, fields: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) =>
    ask(path, { method: 'POST', body: new URLSearchParams(fields), headers: { origin: url, ...more } });
  return {
    cookies,
    ask,
    post,
    logIn: ({ name, password }: { readonly name?: string; readonly password: string }, next = '') =>
      post('/login', { ...(name !== undefined && { name }), password, ...(next && { next }) }),
    page: async (path: string) => (await ask(path)).text(),
    token: async (path = '/jobs/prospects') =>
      /name="token" value="([^"]+)"/.exec(await (await ask(path)).text())?.[1] ?? '',
  };
}
