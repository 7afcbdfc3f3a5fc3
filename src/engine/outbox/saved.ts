// The saved plan of an outbox: sends exactly the saved messages that are unchanged (W3).
import type { Change, Problem } from '../../sync/change.ts';
import { problem } from '../../sync/change.ts';
import type { Due } from '../../sync/outbox/judge.ts';
import { contentText, type Message } from '../../sync/outbox/message.ts';
import { RunFailed } from '../errors.ts';
import { plainChange, type SavedPlan } from '../saved-plan.ts';
import { digest } from './digest.ts';

/** Keeps the messages alone: the cells of the rows follow from them. */
export function toSavedMessages(
  sync: string,
  run: string,
  identities: SavedPlan['identities'],
  changes: readonly Change[],
): SavedPlan {
  const sends = changes.filter(({ op }) => op === 'send');
  return { sync, run, isFull: false, identities, changes: sends.map(plainChange) };
}

export interface SavedMessages {
  /** Those of `due` that the saved plan has, each once. */
  choose(due: readonly Due[]): readonly Due[];
  /** These were chosen, and are not sent: they are not as they were chosen any more. */
  giveBack(chosen: readonly Due[]): void;
  /** Throws RunFailed if the plan was made for another tab or account. */
  assertSame(identities: SavedPlan['identities']): void;
  /** The saved messages that were not chosen; `messages`: what the ledger knows of each row. */
  left(messages: ReadonlyMap<string, Message>): SavedLeft;
}

export interface SavedLeft {
  readonly problems: readonly Problem[];
  /** Messages that were sent by an earlier run, exactly so. */
  readonly alreadyDone: number;
}

export function savedMessages({ sync, identities, changes }: SavedPlan): SavedMessages {
  const open = new Map<string, SavedPlan['changes']>();
  for (const change of changes) open.set(textOf(change), [...(open.get(textOf(change)) ?? []), change]);
  return {
    assertSame({ crm, sheet }) {
      if (crm === identities.crm && sheet === identities.sheet) return;
      throw new RunFailed(`the plan was made for another account or tab than ${sync} has now: plan again`);
    },
    choose: (due) =>
      due.filter(({ change }) => {
        const known = open.get(textOf(change));
        return known !== undefined && known.shift() !== undefined;
      }),
    giveBack(chosen) {
      for (const { change } of chosen) {
        const text = textOf(change);
        open.set(text, [...(open.get(text) ?? []), plainChange(change)]);
      }
    },
    left(messages) {
      const sent = new Set([...messages.values()].flatMap(({ state, key }) => (state === 'sent' ? (key ?? []) : [])));
      const unchosen = [...open.values()].flat();
      const unsent = unchosen.filter((change) => !sent.has(keyOf(change)));
      const reason = 'not applied: it changed, or does not say yes any more since the plan was made';
      return {
        problems: unsent.map(({ row }) => problem('held', { row }, 'W3', reason)),
        alreadyDone: unchosen.length - unsent.length,
      };
    },
  };
}

/** Whether both are the same message for the same contact. */
export function isSameMessage(one: Due, other: Due): boolean {
  return textOf(one.change) === textOf(other.change);
}

/** As the ledger has it (`Message.key`). */
function keyOf({ uuid, fields }: SavedPlan['changes'][number]): string {
  return digest(contentText(uuid ?? '', Object.fromEntries(fields.map(({ field, after }) => [field, after]))));
}

/** Recipient and content, without the row number, because rows move. */
function textOf({ uuid, fields }: Pick<Change | SavedPlan['changes'][number], 'uuid' | 'fields'>): string {
  return JSON.stringify([uuid, fields.map(({ field, after }) => [field, after])]);
}
