// Judges what people asked to have sent again (P3): it is sent as they saw it, or not at all.
import type { OutboxInput } from './input.ts';
import { type Keepers, saidOf } from './known.ts';
import { cancelledMessage, type Message, type OutboxRow } from './message.ts';

/** Retries of people, by the IDs of rows. */
export interface Agreed {
  readonly retried: ReadonlySet<string>;
  /** Those of them that are sent although they were, or may have been. */
  readonly again: ReadonlySet<string>;
  /** Rows that say something else than when a person looked: nothing is sent again for them. */
  readonly edited: ReadonlySet<string>;
  /** Keys of the requests of which nothing comes. */
  readonly voided: readonly string[];
}

/** A row that is missing, that cannot be told from a copy, or that lacks a column is not compared: nothing is sent for it. */
export function judgeRetries(input: OutboxInput, { keepers, doubted }: Keepers): Agreed {
  const retried = new Set<string>();
  const again = new Set<string>();
  const edited = new Set<string>();
  const voided: string[] = [];
  for (const [id, requests] of input.retried) {
    const row = doubted.has(id) || input.missing.length > 0 ? undefined : keepers.get(id);
    const now = row && saidOf(input, row);
    for (const { key, isSure, said } of requests) {
      if (isSure && said !== undefined && now !== undefined && said !== now) {
        edited.add(id);
        voided.push(key);
      } else {
        retried.add(id);
        if (isSure) again.add(id);
      }
    }
  }
  return { retried, again, edited, voided };
}

/**
 * The entry of a message that waits to be sent again, or was refused then, and whose row was edited since: what was sent stands
 * again. Undefined: it goes on as it is.
 */
export function withoutEditedWish(
  input: OutboxInput,
  row: OutboxRow,
  message: Message | undefined,
): Message | undefined {
  const isOpen = message?.state === 'waiting' || message?.state === 'refused';
  if (!isOpen || !message.isAgain || input.missing.length > 0) return undefined;
  if (message.said === '' || message.said === saidOf(input, row)) return undefined;
  const isRestored = message.was !== undefined || (message.before ?? []).length > 0;
  const { isAgain: _again, ...rest } = message;
  return isRestored ? cancelledMessage(message, input.now) : rest;
}
