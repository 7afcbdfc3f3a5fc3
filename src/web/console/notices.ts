// What an action tells the person on the page that follows it. A link to that page names the notice by a random id, so that
// no other page can put words into it.
import { randomBytes } from 'node:crypto';

export interface Notices {
  /** Returns the id. */
  add(text: string): string;
  /** Undefined: it is not known, or no longer. */
  read(id: string): string | undefined;
}

/** A notice is read within a second of its action. Older ones make room. */
const keptMax = 1_000;

export function createNotices(): Notices {
  const texts = new Map<string, string>();
  return {
    add(text) {
      const id = randomBytes(12).toString('base64url');
      texts.set(id, text);
      const [oldest] = texts.keys();
      if (texts.size > keptMax && oldest !== undefined) texts.delete(oldest);
      return id;
    },
    read: (id) => texts.get(id),
  };
}
