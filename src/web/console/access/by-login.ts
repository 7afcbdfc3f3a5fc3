// Access by accounts: a session, the name that a trusted proxy gives, or a password sent with the request itself. Without accounts
// the rest enters by the mode of the console.
import type { Context } from 'hono';
import { auth } from 'hono/utils/basic-auth';
import type { ServerConfig } from '../../../config/config.ts';
import { isUserName, type Role, userKey } from '../../../config/users.ts';
import { isSame } from '../../same.ts';
import { type Account, createAccounts } from './accounts.ts';
import { createLoginCheck } from './check-login.ts';
import { type Client, createClientReader } from './client.ts';
import { createModeAccess } from './by-mode.ts';
import { createCookies } from './cookies.ts';
import type { LoginDesk, SessionShown } from './desk.ts';
import type { Login, LoginBook, Session } from './login-book.ts';
import type { LinkPerson, LoginLinks } from './login-links.ts';
import { refusalOf } from './refusal.ts';
import { createSessions } from './sessions.ts';
import { createUsers } from './users.ts';
import type { Access, Viewer } from './viewer.ts';

export interface LoginAccessDep {
  readonly server: Pick<ServerConfig, 'password' | 'users' | 'trustedProxy' | 'sessionMs' | 'console'>;
  readonly book: LoginBook;
  /** The one-time links of `leadsheet console`. */
  readonly links: LoginLinks;
  /** No account is configured: a person who is not known enters all the same. Left out: that person is refused. */
  readonly open?: { readonly areDetailsShown: boolean };
  /** The path of the configuration. */
  readonly path: string;
  /** Reads the users of the configuration anew. Undefined: they stay. */
  readonly rereadUsers: (() => ServerConfig['users']) | undefined;
  readonly now: () => number;
  readonly elapsed: () => number;
  /** For log and metrics: each wrong password. */
  readonly onWrong: () => void;
  readonly onUsersFault: (error: unknown) => void;
}

/**
 * The name that the proxy gives counts before a session. A password in the request itself (HTTP Basic) reads pages and metrics, and
 * decides nothing: a browser would send it with a form of any page.
 */
export function createLoginAccess(dep: LoginAccessDep): Access {
  const { server, book, links, now, elapsed, path, rereadUsers, onUsersFault } = dep;
  const { trustedProxy, sessionMs } = server;
  const identity = trustedProxy?.identity;
  const open =
    dep.open && server.console !== 'off' ? createModeAccess({ mode: server.console, ...dep.open }) : undefined;
  const readClient = createClientReader(trustedProxy);
  const users = createUsers({
    initial: server.users,
    path,
    reread: rereadUsers,
    elapsed,
    onChange: () => void sessions.sweep(),
    onFailure: onUsersFault,
  });
  const isAnyUser = server.users.length > 0;
  const accounts = createAccounts({ password: server.password, users, isAnyUser, book });
  const sessions = createSessions({ book, accounts, now, lastsMs: sessionMs });
  const cookies = createCookies(book.secret, sessionMs);
  const check = createLoginCheck({
    accounts,
    now,
    onWrong(name, address) {
      dep.onWrong();
      book.note({ kind: 'failed', name, address, how: 'wrong password' });
      book.saveSoon();
    },
  });
  const mayDecide = (role: Role) => role === 'operator' && server.console === 'write';
  const known = new WeakMap<Request, Promise<Viewer | Response>>();
  /** When a person whom the proxy names was last noted. */
  const notedByPerson = new Map<string, number>();

  async function find(c: Context): Promise<Viewer | Response> {
    const client = readClient(c);
    const named = identity && c.req.header(identity.header);
    if (identity && named !== undefined && !client.isByProxy) {
      return c.text(`the header ${identity.header} is taken from the proxy of server.trusted_proxy.from alone\n`, 403);
    }
    // It knows who is there now; a session in the same browser may be of another person.
    if (named !== undefined) return byProxy(c, named.trim().normalize('NFC'), client);
    const cookie = cookies.readSession(c, client.isSecure);
    const found = cookie === undefined ? undefined : await sessions.find(cookie);
    if (found) {
      const { account, session } = found;
      return viewerOf(account, { formToken: sessions.formToken(session), session: session.id });
    }
    if (open) return open.viewerOf(c);
    const given = auth(c.req.raw);
    if (given) return byBasic(c, { name: given.username, password: given.password }, client);
    return refusalOf(c, {
      hasForm: accounts.areThere,
      hasPages: server.console !== 'off',
      isIdentityWanted: identity !== undefined,
    });
  }

  function viewerOf(
    { name, role, accounts: seen }: Pick<Account, 'name' | 'role' | 'accounts'>,
    rest: Pick<Viewer, 'formToken' | 'session'>,
  ): Viewer {
    return { name, role, mayDecide: mayDecide(role), areDetailsShown: true, ...(seen && { accounts: seen }), ...rest };
  }

  function byProxy(c: Context, name: string, { address }: Client): Viewer | Response {
    const role = roleOf(name);
    if (role === undefined) {
      return c.text('the proxy let you in, and server.trusted_proxy gives you no role: ask an operator for one\n', 403);
    }
    noteProxyLogin(name, address);
    const { accountsByKey = {} } = identity ?? {};
    const key = userKey(name);
    const seen = Object.hasOwn(accountsByKey, key) ? accountsByKey[key] : undefined;
    return viewerOf({ name, role, ...(seen && { accounts: seen }) }, { formToken: sessions.formToken(name) });
  }

  function roleOf(name: string): Role | undefined {
    if (!isUserName(name)) return undefined;
    const { roleByKey = {}, role } = identity ?? {};
    const key = userKey(name);
    return Object.hasOwn(roleByKey, key) ? roleByKey[key] : role;
  }

  /** Each person and address once in the length of a session: the proxy tells of every request alike. */
  function noteProxyLogin(name: string, address: string): void {
    const person = `${userKey(name)} ${address}`;
    if (now() - (notedByPerson.get(person) ?? -Infinity) < sessionMs) return;
    notedByPerson.delete(person);
    notedByPerson.set(person, now());
    const [oldest] = notedByPerson.keys();
    if (notedByPerson.size > notedMax && oldest !== undefined) notedByPerson.delete(oldest);
    book.note({ kind: 'begun', name, address, how: 'the proxy' });
    book.saveSoon();
  }

  async function byBasic(c: Context, given: { name: string; password: string }, client: Client) {
    const answer = await check({ ...given, address: client.address });
    switch (answer.kind) {
      case 'right':
        // No page of ours has this token, so no form of such a request is taken.
        return { ...viewerOf(answer.account, { formToken: '' }), mayDecide: false };
      case 'later':
        return c.text('too many wrong passwords\n', 429, { 'retry-after': String(answer.waitSecs) });
      case 'wrong':
        return c.text('Unauthorized', 401, { 'www-authenticate': 'Basic realm="Secure Area"' });
    }
  }

  /** `old`: the session that the browser had. */
  async function begin(c: Context, account: Account, old: { readonly session: Session } | undefined): Promise<void> {
    const { address, isSecure } = readClient(c);
    const cookie = await sessions.begin(account, address);
    if (old) await sessions.end(old.session, 'another login in the same browser');
    cookies.setSession(c, isSecure, cookie);
  }

  const desk: LoginDesk = {
    hasForm: accounts.areThere,
    asksName: () => accounts.hasUsers(),
    async logIn(c, credentials) {
      const { address, isSecure } = readClient(c);
      const knownBrowser = await cookies.readKnown(c, isSecure, credentials.name);
      const answer = await check({ ...credentials, address, knownBrowser });
      if (answer.kind !== 'right') return answer;
      const { account } = answer;
      const before = cookies.readSession(c, isSecure);
      await begin(c, account, before === undefined ? undefined : await sessions.find(before));
      if (account.kind === 'user' && knownBrowser === undefined) await cookies.setKnown(c, isSecure, account.name);
      return { kind: 'begun' };
    },
    async enter(c, { code, replaces }) {
      const { address, isSecure } = readClient(c);
      const person = links.look(code);
      const old = person && (await sessions.find(cookies.readSession(c, isSecure) ?? ''));
      if (person && old && !isOf(old.account, person) && old.session.id !== replaces) {
        return { kind: 'other', name: person.name, present: old.account.name, session: old.session.id };
      }
      const taken = links.take(code);
      if (!taken) {
        book.note({ kind: 'failed', name: null, address, how: 'a link that was used, is too old or was never made' });
        book.saveSoon();
        return { kind: 'invalid' };
      }
      await begin(c, { kind: 'socket', ...taken }, old);
      return { kind: 'begun' };
    },
    async logOut(c, formToken) {
      const { isSecure } = readClient(c);
      const found = await sessions.find(cookies.readSession(c, isSecure) ?? '');
      if (!found || !isSame(formToken, sessions.formToken(found.session))) return false;
      await sessions.end(found.session, 'logged out');
      cookies.clearSession(c, isSecure);
      return true;
    },
    sessions: () =>
      [...book.sessionByKey.values()].flatMap((each) => (each.ends > now() ? [sessionShown(each)] : [])).toReversed(),
    async endSession(id, by) {
      const session = [...book.sessionByKey.values()].find((each) => each.id === id);
      if (session) await sessions.end(session, `ended by ${by}`);
      return session !== undefined;
    },
    logins({ limit, before = Infinity, name }) {
      const key = name === undefined ? undefined : userKey(name);
      const meant = book
        .logins()
        .filter(
          (each) => each.number < before && (key === undefined || (each.name !== null && userKey(each.name) === key)),
        )
        .toReversed();
      const page = meant.slice(0, limit);
      const last = page.at(-1);
      return { logins: page.map(loginShown), ...(last && meant.length > limit && { next: last.number }) };
    },
  };

  return {
    viewerOf(c) {
      const asked = known.get(c.req.raw) ?? find(c);
      known.set(c.req.raw, asked);
      return asked;
    },
    viewerNow: find,
    // A page of another name on this machine could send the header of the proxy.
    isHostChecked: identity !== undefined || open !== undefined,
    desk,
  };
}

/** The same person, who comes by another link. */
function isOf({ kind, name }: Account, person: LinkPerson): boolean {
  return kind === 'socket' && name === person.name;
}

/** People and addresses. */
const notedMax = 1_000;

function sessionShown({ id, name, address, begun, ends }: Session): SessionShown {
  return { id, name, address, begun: new Date(begun).toISOString(), ends: new Date(ends).toISOString() };
}

function loginShown({ time, kind, name, address, how, times }: Login) {
  return { time: new Date(time).toISOString(), kind, name, address, how, times };
}
