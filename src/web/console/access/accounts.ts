// The accounts of the console: users of the configuration, the one password of the server, and accounts of this machine.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { UserConfig } from '../../../config/config.ts';
import { type Role, type SeenAccounts, userKey } from '../../../config/users.ts';
import { hashPassword, isPasswordOf } from '../../../lib/password-hash.ts';
import type { Secret } from '../../../lib/secret.ts';
import { isSame } from '../../same.ts';
import type { LoginBook, Session } from './login-book.ts';
import type { Users } from './users.ts';

export interface Account {
  readonly kind: Session['kind'];
  /** The name that decisions are recorded under. */
  readonly name: string;
  readonly role: Role;
  readonly accounts?: SeenAccounts;
}

export interface Credentials {
  /** Blank: the password of the server. */
  readonly name: string;
  readonly password: string;
}

export interface Accounts {
  /** Whether any person can log in. */
  readonly areThere: boolean;
  readonly hasPassword: boolean;
  hasUsers(): Promise<boolean>;
  /** The account of a session; undefined: it is gone, or has another password. */
  of(session: Pick<Session, 'kind' | 'name' | 'role' | 'mark'>): Promise<Account | undefined>;
  /** The mark of a new session of the account; undefined: it is gone by now. */
  markOf(account: Account): Promise<string | undefined>;
  /** The name of the user, as in the configuration; undefined: no user has it. */
  nameOf(given: string): Promise<string | undefined>;
  /** Whether the password is that of the server, which is compared at once. The name of a user has only that user's. */
  ofPassword(credentials: Credentials): Promise<Account | undefined>;
  /** By a hash: takes memory and time, the same for names that no user has. */
  ofUser(credentials: Credentials): Promise<Account | undefined>;
  /** A user who gave the right password before, in this process; costs nothing. For scripts that send it each time. */
  remembered(credentials: Credentials): Promise<Account | undefined>;
}

export interface AccountsDep {
  readonly password: Secret | undefined;
  readonly users: Users;
  readonly isAnyUser: boolean;
  readonly book: Pick<LoginBook, 'passwordHash' | 'save' | 'saveSoon'>;
}

/** A person who gave the password of the server. */
const holder: Account = { kind: 'password', name: 'console', role: 'operator' };
const rememberedMax = 100;

export function createAccounts({ password, users, isAnyUser, book }: AccountsDep): Accounts {
  const key = randomBytes(32);
  /** Right passwords, as a keyed digest. */
  const seen = new Set<string>();
  /** The hash that stands for users who are not there. */
  let nobody: Promise<string> | undefined;
  /** Of the hash that the book had then: another worker may have saved another one of the same password. */
  let marked: { readonly hash: string | null; readonly mark: Promise<string> } | undefined;
  const digestOf = (hash: string, given: string) =>
    createHmac('sha256', key).update(`${hash}\n${given}`).digest('base64');

  /** Another hash of the same password would end its sessions, so the hash is kept: of workers that begin at once, that of the first. */
  async function makePasswordMark(text: string): Promise<string> {
    for (;;) {
      const kept = book.passwordHash;
      if (kept !== null && (await isPasswordOf(kept, text))) return digestOfHash(kept);
      const made = await hashPassword(text);
      book.passwordHash = made;
      await book.save().catch(() => book.saveSoon());
      if (book.passwordHash === made) return digestOfHash(made);
    }
  }

  async function passwordMark(text: string): Promise<string> {
    if (marked?.hash !== book.passwordHash || !marked) {
      const mark = makePasswordMark(text);
      marked = { hash: book.passwordHash, mark };
      await mark;
      marked = { hash: book.passwordHash, mark };
    }
    return marked.mark;
  }

  async function userOf(name: string) {
    return (await users.current()).get(userKey(name));
  }

  const accounts: Accounts = {
    areThere: password !== undefined || isAnyUser,
    hasPassword: password !== undefined,
    hasUsers: async () => (await users.current()).size > 0,
    async of(session) {
      const { kind, name, role } = session;
      if (kind === 'socket') return { kind, name, role: role ?? 'viewer' };
      const user = kind === 'user' ? await userOf(session.name) : undefined;
      if (kind === 'user' && !user) return undefined;
      const account = user ? accountOfUser(user) : holder;
      return session.mark === (await accounts.markOf(account)) ? account : undefined;
    },
    async markOf({ kind, name }) {
      // It ends with its time or by an operator: the account of the operating system has no password that we know.
      if (kind === 'socket') return '';
      if (kind === 'password') return password && passwordMark(password.reveal());
      const hash = (await userOf(name))?.passwordHash.reveal();
      return hash === undefined ? undefined : digestOfHash(hash);
    },
    nameOf: async (given) => (await userOf(given))?.name,
    async ofPassword({ name, password: given }) {
      if (password === undefined || (await userOf(name)) !== undefined) return undefined;
      if (!isSame(given, password.reveal())) return undefined;
      return holder;
    },
    async ofUser({ name, password: given }) {
      const user = await userOf(name);
      const hash = user?.passwordHash.reveal() ?? (await (nobody ??= hashPassword(randomBytes(16).toString('base64'))));
      const isRight = await isPasswordOf(hash, given);
      if (!user || !isRight) return undefined;
      seen.add(digestOf(hash, given));
      const [oldest] = seen;
      if (seen.size > rememberedMax && oldest !== undefined) seen.delete(oldest);
      return accountOfUser(user);
    },
    async remembered({ name, password: given }) {
      const user = await userOf(name);
      const hash = user?.passwordHash.reveal() ?? '';
      if (!user || !seen.has(digestOf(hash, given))) return undefined;
      return accountOfUser(user);
    },
  };
  return accounts;
}

function accountOfUser({ name, role, accounts }: UserConfig): Account {
  return { kind: 'user', name, role, ...(accounts && { accounts }) };
}

function digestOfHash(hash: string): string {
  return createHash('sha256').update(hash).digest('base64url').slice(0, 22);
}
