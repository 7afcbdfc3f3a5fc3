// Sessions: a random cookie stands for a person until it ends, is ended, or the person has another password.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Account, Accounts } from './accounts.ts';
import type { LoginBook, Session } from './login-book.ts';

export interface Sessions {
  /** The text of the cookie. Throws StateError: it would not survive a restart, so it is not begun. */
  begin(account: Account, address: string): Promise<string>;
  find(cookie: string): Promise<{ readonly session: Session; readonly account: Account } | undefined>;
  /** Durable when resolved. Throws StateError. */
  end(session: Session, how: string): Promise<void>;
  /** The token of the forms of a session, or of a person without one. */
  formToken(of: Session | string): string;
  /** Ends those whose person is gone or has another password. */
  sweep(): Promise<void>;
}

export interface SessionsDep {
  readonly book: LoginBook;
  readonly accounts: Accounts;
  readonly now: () => number;
  readonly lastsMs: number;
}

const howWords = {
  user: 'own password',
  password: 'password of the server',
  socket: 'link of leadsheet console, through the socket',
} as const satisfies Record<Session['kind'], string>;
/** 256 bits. */
const cookieBytes = 32;
/** A session that another worker ended is over after so long. */
const knownMs = 2_000;
const cookieForm = /^[\w-]{43}$/;

export function createSessions({ book, accounts, now, lastsMs }: SessionsDep): Sessions {
  const isOver = ({ ends }: Session) => now() >= ends;
  const sessions: Sessions = {
    async begin(account, address) {
      const { kind, name, role } = account;
      // A user who was removed meanwhile has no mark, and a session without it is none.
      const mark = (await accounts.markOf(account)) ?? '';
      const cookie = randomBytes(cookieBytes).toString('base64url');
      const [begun, id] = [now(), randomBytes(9).toString('base64url')];
      const of = { kind, name, role: kind === 'socket' ? role : null };
      const session = { id, key: keyOf(cookie), ...of, mark, address, begun, ends: begun + lastsMs };
      book.addSession(session);
      book.note({ kind: 'begun', name, address, how: howWords[kind] });
      try {
        await book.save();
      } catch (error) {
        book.endSession(session, 'the state could not be written');
        throw error;
      }
      return cookie;
    },
    async find(cookie) {
      if (!cookieForm.test(cookie)) return undefined;
      // By the digest: how long the search takes tells nothing of the cookie.
      const key = keyOf(cookie);
      // Another worker may have begun it a moment ago, or ended it.
      await book.refresh(book.sessionByKey.has(key) ? knownMs : 0);
      const session = book.sessionByKey.get(key);
      if (!session || isOver(session)) return undefined;
      const account = await accounts.of(session);
      if (account) return { session, account };
      book.endSession(session, 'the user was removed, or the password changed');
      book.saveSoon();
      return undefined;
    },
    async end(session, how) {
      book.endSession(session, how);
      await book.save();
    },
    formToken(of) {
      const text = typeof of === 'string' ? `person ${of}` : `session ${of.key}`;
      return createHmac('sha256', book.secret).update(text).digest('base64url');
    },
    async sweep() {
      for (const session of book.sessionByKey.values()) {
        if (isOver(session) || (await accounts.of(session))) continue;
        book.endSession(session, 'the user was removed, or the password changed');
        book.saveSoon();
      }
    },
  };
  return sessions;
}

function keyOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('base64url');
}
