// One-time links of `leadsheet console`: each logs one person in, once, within a minute. They are in memory alone.
import { createHash, randomBytes } from 'node:crypto';
import type { Role } from '../../../config/users.ts';

/** The person that a link logs in: the account of the operating system that asked for it. */
export interface LinkPerson {
  readonly name: string;
  readonly role: Role;
}

export interface LoginLinks {
  /** Returns the code of a new link. */
  make(person: LinkPerson): string;
  /** Leaves the link valid. Undefined: unknown, used or expired. */
  look(code: string): LinkPerson | undefined;
  /** Uses the link up. The second of two callers gets undefined. */
  take(code: string): LinkPerson | undefined;
}

export const linkSecs = 60;
/** 256 bits: a guess is of no use. */
const codeBytes = 32;
const codeForm = /^[\w-]{43}$/;
/** Unused links that are kept. The oldest makes room for a new one. */
const linksMax = 32;

interface Link extends LinkPerson {
  readonly now: number;
  readonly elapsed: number;
}

/** Both clocks count: one may be set back, and the other stands still while the machine sleeps. */
export function createLoginLinks(clock: { readonly now: () => number; readonly elapsed: () => number }): LoginLinks {
  /** By the digest of the code: how long a search takes tells nothing of it. */
  const linkByKey = new Map<string, Link>();
  const isOver = ({ now, elapsed }: Link) =>
    Math.abs(clock.now() - now) >= linkSecs * 1_000 || clock.elapsed() - elapsed >= linkSecs * 1_000;

  function find(code: string) {
    for (const [key, link] of linkByKey) if (isOver(link)) linkByKey.delete(key);
    const key = codeForm.test(code) ? keyOf(code) : '';
    const link = linkByKey.get(key);
    return link && { key, person: { name: link.name, role: link.role } };
  }

  return {
    make({ name, role }) {
      const code = randomBytes(codeBytes).toString('base64url');
      linkByKey.set(keyOf(code), { name, role, now: clock.now(), elapsed: clock.elapsed() });
      const [oldest] = linkByKey.keys();
      if (linkByKey.size > linksMax && oldest !== undefined) linkByKey.delete(oldest);
      return code;
    },
    look: (code) => find(code)?.person,
    take(code) {
      const found = find(code);
      if (found) linkByKey.delete(found.key);
      return found?.person;
    },
  };
}

function keyOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}
