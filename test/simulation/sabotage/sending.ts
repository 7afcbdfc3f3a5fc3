// Sabotages that only stories with an outbox notice.
import type { Sabotage } from './sabotage.ts';

export const sending: readonly Sabotage[] = [
  {
    name: 'a message whose call was cut short waits again',
    file: 'engine/outbox/ledger.ts',
    text: "[[id, { ...message, state: 'unknown' as const }] as const]",
    instead: "[[id, { ...message, state: 'waiting' as const }] as const]",
  },
  {
    name: 'a message of unknown outcome counts as not sent',
    file: 'engine/outbox/send.ts',
    text: 'if (error instanceof OutcomeUnknownError) {',
    instead: 'if (false as boolean) {',
  },
  {
    name: 'the intent to send is not written down',
    file: 'engine/outbox/send.ts',
    text: "await book.put(new Map([[id, { ...about, state: 'intended', at, calls: [...earlier, at] }]]));",
    instead: '',
  },
  {
    name: 'a row that was edited since a person looked is sent again',
    file: 'sync/outbox/again.ts',
    text: 'if (isSure && said !== undefined && now !== undefined && said !== now) {',
    instead: 'if (false as boolean) {',
  },
  {
    name: 'a message that was cancelled waits again in the next run',
    file: 'sync/outbox/wish.ts',
    text: "before?.state === 'cancelled' && !isRetried",
    instead: "before?.state === 'cancelled' && (false as boolean)",
  },
  {
    name: 'a row whose Send says no is sent',
    file: 'sync/outbox/message.ts',
    text: "if (word === '' || word === 'no') return 'no';",
    instead: "if (word === '') return 'no';\n  if (word === 'no') return 'yes';",
  },
  {
    name: 'a copy of a row that was sent is sent too',
    file: 'sync/outbox/known.ts',
    text: 'return [...new Set([...before, ...now])];',
    instead: 'return before.slice(0, 0 * now.length);',
  },
  {
    name: 'one more message an hour than the cap',
    file: 'sync/outbox/queue.ts',
    text: 'let free = perHour - countCalls(input);',
    instead: 'let free = perHour + 1 - countCalls(input);',
  },
  {
    name: 'a new state takes every row that says yes for a new message',
    file: 'sync/outbox/queue.ts',
    text: 'const isApproved = wished <= input.approved;',
    instead: 'const isApproved = wished <= input.approved || (true as boolean);',
  },
];
