// Compares two secrets.
import { createHash, timingSafeEqual } from 'node:crypto';

/** The time it takes tells nothing of either. Hashing makes both equally long. */
export function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
