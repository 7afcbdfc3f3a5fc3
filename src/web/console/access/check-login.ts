// Checks a name and a password: a right one at once, wrong ones slower and slower, and a flood not at all.
import delay from 'delay';
import { userKey } from '../../../config/users.ts';
import type { Account, Accounts, Credentials } from './accounts.ts';
import { createCheckQueue } from './check-queue.ts';
import { createFailures, networkOf } from './failures.ts';

export interface LoginTry extends Credentials {
  readonly address: string;
  /** The browser has logged in to this account before, under this random id. */
  readonly knownBrowser?: string | undefined;
}

export type LoginAnswer =
  | { readonly kind: 'right'; readonly account: Account }
  | { readonly kind: 'wrong' }
  /** Not checked, or wrong while too many others wait. */
  | { readonly kind: 'later'; readonly waitSecs: number };

export interface CheckLoginDep {
  readonly accounts: Accounts;
  readonly now: () => number;
  /** Once for each wrong password. `name`: of the user; null: none has the name that was given. */
  readonly onWrong: (name: string | null, address: string) => void;
}

/** Delay of the answer to a wrong password: short for a typing error, long for a list of a million words. */
const wrongMs = 2_000;
/** The longest wait at an account that many fail at, from whatever addresses. */
const wrongMsMax = 8_000;
/**
 * Limit of wrong passwords that wait at once. More are refused at once, so that a flood holds neither memory nor
 * connections.
 */
const waitingMax = 50;
const laterSecs = 2;

/**
 * The password of the server is compared at once, so that a wrong one never blocks the right one. Users are checked by a
 * hash, which costs memory and time: an address that failed several times waits before its next check, and no address holds
 * more than two. A browser that has logged in to the account before counts by itself, not by its address, so that others
 * cannot keep that person out. No account is ever locked.
 */
export function createLoginCheck({ accounts, now, onWrong }: CheckLoginDep): (given: LoginTry) => Promise<LoginAnswer> {
  const byClient = createFailures(now);
  const byAccount = createFailures(now);
  const queue = createCheckQueue();
  let waiting = 0;

  async function refuse({ name, address }: LoginTry, ms: number): Promise<LoginAnswer> {
    onWrong((await accounts.nameOf(name)) ?? null, address);
    if (waiting >= waitingMax) return { kind: 'later', waitSecs: laterSecs };
    waiting += 1;
    await delay(ms);
    waiting -= 1;
    return { kind: 'wrong' };
  }

  return async (given) => {
    const ofPassword = await accounts.ofPassword(given);
    if (ofPassword) return { kind: 'right', account: ofPassword };
    if (!(await accounts.hasUsers())) return refuse(given, wrongMs);
    const client = given.knownBrowser === undefined ? networkOf(given.address) : `browser ${given.knownBrowser}`;
    const waitMs = byClient.waitMs(client);
    if (waitMs > 0) return { kind: 'later', waitSecs: Math.ceil(waitMs / 1_000) };
    const remembered = await accounts.remembered(given);
    if (remembered) return { kind: 'right', account: remembered };
    const checked = await queue.run(client, byClient.count(client), async () => ({
      account: await accounts.ofUser(given),
    }));
    if (!checked) return { kind: 'later', waitSecs: laterSecs };
    if (checked.account) return { kind: 'right', account: checked.account };
    const key = userKey(given.name).slice(0, 64);
    byClient.add(client);
    byAccount.add(key);
    return refuse(given, Math.min(wrongMs * byAccount.count(key), wrongMsMax));
  };
}
