// Sessions and the last logins, in memory and in the state: what survives a restart, and what the workers of a database share.
import { randomBytes } from 'node:crypto';
import delay from 'delay';
import * as z from 'zod';

const session = z.object({
  /** Names the session for people. */
  id: z.string(),
  /** SHA-256 of the cookie: who reads the state cannot log in with it. */
  key: z.string(),
  /** `socket`: by a link of `leadsheet console`, under the name of an account of the operating system. */
  kind: z.enum(['user', 'password', 'socket']),
  name: z.string(),
  /** The role of a login through the socket; the configuration has that of others. */
  role: z.enum(['viewer', 'operator']).nullable().default(null),
  /** Another one once the password is another one. */
  mark: z.string(),
  address: z.string(),
  /** Epoch milliseconds. */
  begun: z.number(),
  ends: z.number(),
});

const login = z.object({
  /** Counts the logins, so that each has a place in the list. */
  number: z.number(),
  /** Epoch milliseconds; of failures that were put together, the last one. */
  time: z.number(),
  kind: z.enum(['begun', 'failed', 'ended']),
  /** Null: no user has the name that was given. That name is not kept, because people type passwords into the wrong field. */
  name: z.string().nullable(),
  address: z.string(),
  /** With what a person logged in, or why a session ended. */
  how: z.string(),
  /** Failures of one name and address in a short time are one line. */
  times: z.number(),
});

const document = z.object({
  version: z.literal(1),
  /** Random, in base64: for the tokens of forms, and for cookies of known browsers. */
  secret: z.string(),
  /** The hash of `server.password` as it was: another password ends the sessions of the old one. */
  password_hash: z.string().nullable(),
  sessions: z.array(session),
  logins: z.array(login),
});

export type Session = z.infer<typeof session>;
export type Login = z.infer<typeof login>;

export interface LoginBook {
  readonly secret: string;
  passwordHash: string | null;
  sessionByKey: ReadonlyMap<string, Session>;
  addSession(session: Session): void;
  endSession(session: Session, how: string): void;
  /** Newest last. */
  logins: () => readonly Login[];
  note(login: Pick<Login, 'kind' | 'name' | 'address' | 'how'>): void;
  /** Resolves once all of this is durable. Throws StateError. */
  save(): Promise<void>;
  /** The same soon, for what need not be waited for. */
  saveSoon(): void;
  /** Reads what other workers saved, unless it was read in the last `olderMs` milliseconds. Never rejects. */
  refresh(olderMs: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A login line has about 150 bytes. Failures must not push out the logins. */
const failuresMax = 1_000;
const othersMax = 1_000;
const keptMs = 90 * 24 * 3_600_000;
const sessionsMax = 1_000;
const sessionsOfOneMax = 50;
/** Failures of one name and address within this time are one line. */
const togetherMs = 10 * 60_000;
const soonMs = 2_000;
/** Cookies that nobody knows cause no more reads. */
const readEveryMs = 200;
/** While the state cannot be written. */
const changesMax = 5_000;

export interface LoginBookDep {
  /** As the port of the state has it. */
  readonly store: {
    readLogins(): Promise<unknown>;
    changeLogins(change: (stored: unknown) => Document): Promise<void>;
  };
  readonly now: () => number;
  /** The state cannot be written or read. Logins go on in memory. */
  readonly onFailure: (error: unknown) => void;
  /** Other workers begin and end sessions, too. */
  readonly isShared: boolean;
}

type Document = z.infer<typeof document>;

/** A document as memory has it; changes are made in place. */
interface Content {
  secret: string;
  passwordHash: string | null;
  readonly sessionByKey: Map<string, Session>;
  logins: Login[];
}

type Change = (content: Content) => void;

/**
 * Changes are kept until they are saved, and made once more on what other workers saved meanwhile: neither loses a session that the
 * other one began, nor brings one back that the other one ended.
 */
export async function openLoginBook({ store, now, onFailure, isShared }: LoginBookDep): Promise<LoginBook> {
  const ownSecret = randomBytes(32).toString('base64');
  let content = contentOf(await readOr(store, onFailure), ownSecret);
  /** Not saved yet. */
  let changes: Change[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let waiting: Promise<void> | undefined;
  let reading = Promise.resolve();
  let nextReading: Promise<void> | undefined;
  let readAt = now();
  /** Begun and ended; odd: one is under way. */
  let writes = 0;

  function change(made: Change): void {
    made(content);
    changes = [...changes, made].slice(-changesMax);
  }

  /** What is saved, with what is not saved yet. */
  function take(stored: Content): void {
    content = stored;
    for (const made of changes) made(content);
  }

  async function write(): Promise<void> {
    const saved = changes;
    let written = content;
    writes += 1;
    try {
      await store.changeLogins((stored) => {
        if (isShared) {
          written = contentOf(stored, content.secret);
          for (const made of saved) made(written);
        }
        tidy(written, now());
        return toDocument(written);
      });
    } finally {
      writes += 1;
    }
    changes = changes.filter((made) => !saved.includes(made));
    if (isShared) take(written);
    readAt = now();
  }

  async function read(): Promise<void> {
    readAt = now();
    const before = writes;
    const stored = await store.readLogins();
    // A write that begins or ends meanwhile reads what is newer.
    const isLatest = writes === before && writes % 2 === 0;
    if (isLatest) take(contentOf(stored, content.secret));
  }

  const book: LoginBook = {
    get secret() {
      return content.secret;
    },
    get passwordHash() {
      return content.passwordHash;
    },
    set passwordHash(hash) {
      const before = content.passwordHash;
      // One that another worker saved meanwhile stays: it is of the same password, and sessions depend on it.
      change((of) => {
        if (of.passwordHash === before) of.passwordHash = hash;
      });
    },
    get sessionByKey() {
      return content.sessionByKey;
    },
    addSession(added) {
      change(({ sessionByKey }) => sessionByKey.set(added.key, added));
      // The oldest come first: sessions are added at their end.
      const all = [...content.sessionByKey.values()];
      const ofOne = all.filter(({ kind, name }) => kind === added.kind && name === added.name);
      for (const old of ofOne.slice(0, -sessionsOfOneMax)) book.endSession(old, 'too many sessions of one person');
      for (const old of [...content.sessionByKey.values()].slice(0, -sessionsMax)) {
        book.endSession(old, 'too many sessions');
      }
    },
    endSession(ended, how) {
      if (!content.sessionByKey.has(ended.key)) return;
      change(({ sessionByKey }) => sessionByKey.delete(ended.key));
      const { name, address } = ended;
      book.note({ kind: 'ended', name, address, how });
    },
    logins: () => content.logins,
    note(given) {
      const time = now();
      change((of) => noteIn(of, given, time));
    },
    async save() {
      clearTimeout(timer);
      timer = undefined;
      // A caller that comes while a write is under way waits for the next one, which has it all.
      waiting ??= writing
        .catch(() => {})
        .then(() => {
          waiting = undefined;
          return (writing = write());
        });
      await waiting;
    },
    saveSoon() {
      timer ??= setTimeout(() => void book.save().catch(onFailure), soonMs).unref();
    },
    async refresh(olderMs) {
      if (!isShared || now() - readAt < olderMs) return;
      nextReading ??= reading
        .then(() => delay(Math.max(0, readAt + readEveryMs - now())))
        .then(() => {
          nextReading = undefined;
          // Pages say themselves that the state cannot be read.
          return (reading = read().catch(() => {}));
        });
      await nextReading;
    },
    async [Symbol.asyncDispose]() {
      if (timer !== undefined) await book.save().catch(onFailure);
      await (waiting ?? writing).catch(() => {});
    },
  };
  // Of workers that begin at once, all take the secret of the first.
  if (isShared) await book.save().catch(onFailure);
  return book;
}

function contentOf(stored: unknown, secret: string): Content {
  const read = document.safeParse(stored).data;
  return {
    secret: read?.secret ?? secret,
    passwordHash: read?.password_hash ?? null,
    sessionByKey: new Map(read?.sessions.map((each) => [each.key, each])),
    logins: read?.logins ?? [],
  };
}

function toDocument({ secret, passwordHash, sessionByKey, logins }: Content): Document {
  return { version: 1, secret, password_hash: passwordHash, sessions: [...sessionByKey.values()], logins };
}

function noteIn(of: Content, given: Pick<Login, 'kind' | 'name' | 'address' | 'how'>, time: number): void {
  const number = (of.logins.at(-1)?.number ?? 0) + 1;
  const last = given.kind === 'failed' ? of.logins.findLast((each) => isTogether(each, given, time)) : undefined;
  const others = last ? of.logins.filter((each) => each !== last) : of.logins;
  const { kind, name, address, how } = given;
  of.logins = [...others, { number, time, kind, name, address, how, times: (last?.times ?? 0) + 1 }];
  if (of.logins.length > failuresMax + othersMax + 100) tidy(of, time);
}

function tidy(of: Content, now: number): void {
  for (const each of of.sessionByKey.values()) if (each.ends <= now) of.sessionByKey.delete(each.key);
  const young = of.logins.filter(({ time }) => now - time < keptMs);
  const failures = new Set(young.filter(({ kind }) => kind === 'failed').slice(-failuresMax));
  const others = new Set(young.filter(({ kind }) => kind !== 'failed').slice(-othersMax));
  of.logins = young.filter((each) => failures.has(each) || others.has(each));
}

function isTogether(
  each: Login,
  { kind, name, address, how }: Pick<Login, 'kind' | 'name' | 'address' | 'how'>,
  now: number,
) {
  const isAlike = each.kind === kind && each.name === name && each.address === address && each.how === how;
  return isAlike && now - each.time < togetherMs;
}

async function readOr(store: LoginBookDep['store'], onFailure: (error: unknown) => void): Promise<unknown> {
  try {
    return await store.readLogins();
  } catch (error) {
    onFailure(error);
    return undefined;
  }
}
