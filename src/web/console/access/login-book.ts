// Sessions and the last logins, in memory and in the state: what survives a restart of the daemon.
import { randomBytes } from 'node:crypto';
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

export interface LoginBookDep {
  /** As the port of the state has it. */
  readonly store: {
    readLogins(): Promise<unknown>;
    writeLogins(logins: z.infer<typeof document>): Promise<void>;
  };
  readonly now: () => number;
  /** The state cannot be written or read. Logins go on in memory. */
  readonly onFailure: (error: unknown) => void;
}

export async function openLoginBook({ store, now, onFailure }: LoginBookDep): Promise<LoginBook> {
  const read = document.safeParse(await readOr(store, onFailure)).data;
  const secret = read?.secret ?? randomBytes(32).toString('base64');
  const sessionByKey = new Map(read?.sessions.map((each) => [each.key, each]));
  let logins: Login[] = read?.logins ?? [];
  let nextNumber = (logins.at(-1)?.number ?? 0) + 1;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let waiting: Promise<void> | undefined;

  const book: LoginBook = {
    secret,
    passwordHash: read?.password_hash ?? null,
    sessionByKey,
    addSession(added) {
      sessionByKey.set(added.key, added);
      // The oldest come first: sessions are added at their end.
      const ofOne = [...sessionByKey.values()].filter(({ kind, name }) => kind === added.kind && name === added.name);
      for (const old of ofOne.slice(0, -sessionsOfOneMax)) book.endSession(old, 'too many sessions of one person');
      for (const old of [...sessionByKey.values()].slice(0, -sessionsMax)) book.endSession(old, 'too many sessions');
    },
    endSession(ended, how) {
      if (!sessionByKey.delete(ended.key)) return;
      const { name, address } = ended;
      book.note({ kind: 'ended', name, address, how });
    },
    logins: () => logins,
    note({ kind, name, address, how }) {
      const time = now();
      const last =
        kind === 'failed' ? logins.findLast((each) => isTogether(each, { kind, name, address, how }, time)) : undefined;
      if (last) logins = logins.filter((each) => each !== last);
      logins.push({ number: nextNumber, time, kind, name, address, how, times: (last?.times ?? 0) + 1 });
      nextNumber += 1;
      if (logins.length > failuresMax + othersMax + 100) tidy();
    },
    async save() {
      clearTimeout(timer);
      timer = undefined;
      // A caller that comes while a write is under way waits for the next one, which has it all.
      waiting ??= writing
        .catch(() => {})
        .then(() => {
          waiting = undefined;
          return (writing = store.writeLogins(toStored()));
        });
      await waiting;
    },
    saveSoon() {
      timer ??= setTimeout(() => void book.save().catch(onFailure), soonMs).unref();
    },
    async [Symbol.asyncDispose]() {
      if (timer !== undefined) await book.save().catch(onFailure);
      await (waiting ?? writing).catch(() => {});
    },
  };
  return book;

  function tidy(): void {
    const young = logins.filter(({ time }) => now() - time < keptMs);
    const failures = new Set(young.filter(({ kind }) => kind === 'failed').slice(-failuresMax));
    const others = new Set(young.filter(({ kind }) => kind !== 'failed').slice(-othersMax));
    logins = young.filter((each) => failures.has(each) || others.has(each));
  }

  function toStored(): z.infer<typeof document> {
    for (const each of sessionByKey.values()) if (each.ends <= now()) sessionByKey.delete(each.key);
    tidy();
    const { passwordHash: password_hash } = book;
    return { version: 1, secret, password_hash, sessions: [...sessionByKey.values()], logins };
  }
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
