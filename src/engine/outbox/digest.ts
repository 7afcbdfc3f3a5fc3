// Makes the digests by which an outbox compares messages without storing their text.
import { createHash } from 'node:crypto';

/** 128 bits: two different messages have two digests, and a ledger of thousands stays small. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
