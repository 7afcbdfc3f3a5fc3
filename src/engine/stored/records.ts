// The schemas of stored records, and a hand-written check of links that is fast enough for 100,000 of them.
import * as z from 'zod';
import type { HistoryLine, JsonObject } from '../../state/port.ts';
import type { DoneBefore, LedgerEntry } from '../../sync/record/ledger.ts';
import type { FeedLink } from '../../sync/feed/input.ts';
import type { Message, SentBefore } from '../../sync/outbox/message.ts';
import type { Packed } from '../../sync/record/record.ts';
import type { FieldNote, Link, Refusal, Stray, TakenKey, Written } from '../../sync/record/base.ts';
import type { Newcomer } from '../enrolment/ledger.ts';
import { whyNot } from './facts.ts';
import { count, flag, instantMs, optional, recordOf, text, value } from './shape.ts';

/** A step in progress, as stored in the outbox of the state. */
export interface StepNote extends JsonObject {
  readonly lines: readonly HistoryLine[];
  /** `rowKey` of the rows that the step creates. Left out in older states, and if it creates none. */
  readonly creates?: readonly string[];
  /** The values that the step writes into new rows, for contacts that have no link yet. Left out in older states, and if there are none. */
  readonly appends?: AppendedRows;
}

/** `fields`: names, in the order of the packed values. `rows`: the uuid of each, and what it is given. */
export interface AppendedRows extends JsonObject {
  readonly fields: readonly string[];
  readonly rows: readonly (readonly [uuid: string, given: Packed])[];
}

/** Checks only both ends: `pack` made the rest, and the file's checksum covers it. */
function isPacked(stored: unknown): boolean {
  return typeof stored === 'string' && stored.startsWith('[') && stored.endsWith(']');
}

const packed = z.custom<string>((stored) => isPacked(stored), 'Invalid input: expected packed values');
const side = z.enum(['crm', 'sheet']);

const refusal = recordOf<Refusal>()({
  message: text,
  times: count,
  retryAt: instantMs.nullable(),
  sheet: packed,
});

const fieldNote = recordOf<FieldNote>()({
  edit: optional(z.looseObject({ value, since: instantMs })),
  conflictSince: optional(instantMs),
  notStored: optional(z.looseObject({ value, times: count })),
  // An unknown value of a side is left out.
  parked: optional(
    z.looseObject({ why: z.enum(['not-stored', 'flips']), crm: optional(value), sheet: optional(value) }),
  ),
  taken: optional(recordOf<TakenKey>()({ value, uuid: text, where: text })),
  passedOn: optional(z.tuple([value, value])),
  sent: optional(z.looseObject({ side, value, before: optional(value) })),
  written: optional(z.array(recordOf<Written>()({ side, value, replaced: value }))),
});

const link = recordOf<Link>()({
  agreed: packed,
  crm: optional(packed),
  sheet: optional(packed),
  isOpen: flag,
  writtenAt: optional(instantMs),
  shownAt: optional(instantMs),
  updatedAt: optional(instantMs),
  copies: optional(z.array(packed)),
  standing: optional(z.enum(['row-gone', 'contact-gone', 'left'])),
  standsFor: optional(text),
  rowId: optional(text),
  isUndecided: flag,
  isBack: flag,
  isUnsure: flag,
  missedScans: optional(count),
  notes: optional(z.record(text, fieldNote)),
  refusal: optional(refusal),
  counted: optional(z.record(text, value)),
  refusals: optional(z.looseObject({ delete: optional(refusal), cancel: optional(refusal), set: optional(refusal) })),
});

/** Nearly every link has only these keys: code checks them by hand. The schema checks any other link. */
function whyNotLink(stored: JsonObject): string | undefined {
  for (const key in stored) {
    const part = stored[key];
    switch (key) {
      case 'agreed':
      case 'crm':
      case 'sheet':
        if (isPacked(part)) continue;
        break;
      case 'writtenAt':
      case 'shownAt':
      case 'updatedAt':
        if (typeof part === 'number') continue;
        break;
    }
    return whyNot(link, stored);
  }
  return stored['agreed'] === undefined ? whyNot(link, stored) : undefined;
}

const feedLink = recordOf<FeedLink>()({
  agreed: optional(value),
  writing: optional(value),
  asked: optional(z.enum(['on', 'off'])),
  isRefused: flag,
  said: optional(text),
  copies: optional(z.array(text)),
  isInDoubt: flag,
  isMissed: flag,
  isGone: flag,
});

const stray = recordOf<Stray>()({
  since: instantMs,
  refusal: optional(refusal),
  mistakenFor: optional(text),
  mistake: optional(text),
  wish: optional(text),
  isApart: flag,
  isUnknown: flag,
  sent: optional(packed),
  isCounted: flag,
  mayBeOf: optional(z.array(text)),
  answered: optional(
    z.discriminatedUnion('kind', [
      z.looseObject({ kind: z.literal('gone') }),
      z.looseObject({ kind: z.literal('elsewhere'), where: text, uuid: optional(text), isFiltered: flag }),
    ]),
  ),
});

const enrolmentState = z.enum([
  'waiting',
  'intended',
  'enrolled',
  'skipped',
  'refused',
  'unknown',
  'cancelling',
  'cancelled',
]);

const ledgerEntry = recordOf<LedgerEntry>()({
  state: enrolmentState,
  at: instantMs,
  run: text,
  epoch: optional(count),
  name: optional(text),
  message: optional(text),
  refusedCancel: optional(z.looseObject({ message: text, times: count, retryAt: instantMs.nullable() })),
  withdrawnAt: optional(instantMs),
  isKeptIn: flag,
  isCancelOpen: flag,
  calls: optional(z.array(instantMs)),
  isOurs: flag,
  before: optional(recordOf<DoneBefore>()({ state: enrolmentState, at: instantMs, run: text })),
});

const sendState = z.enum(['waiting', 'intended', 'sent', 'refused', 'unknown', 'cancelled']);

const message = recordOf<Message>()({
  state: sendState,
  at: instantMs,
  run: text,
  epoch: optional(count),
  said: text,
  saysNow: optional(text),
  key: optional(text),
  uuid: optional(text),
  delivery: optional(text),
  recipient: optional(text),
  to: optional(text),
  name: optional(text),
  message: optional(text),
  rule: optional(text),
  retryAt: optional(instantMs),
  isAgain: flag,
  isWithdrawn: flag,
  isMoved: flag,
  before: optional(z.array(text)),
  uuidsBefore: optional(z.array(text)),
  was: optional(
    recordOf<SentBefore>()({
      state: sendState,
      at: instantMs,
      run: text,
      said: text,
      key: optional(text),
      uuid: optional(text),
      delivery: optional(text),
    }),
  ),
  calls: optional(z.array(instantMs)),
});

const newcomer = recordOf<Newcomer>()({
  state: z.enum(['intended', 'added', 'absent']),
  automation: text,
  name: text,
  at: instantMs,
  run: text,
  epoch: optional(count),
  identifiers: recordOf<Newcomer['identifiers']>()({
    network_id: optional(text),
    email: optional(text),
    name: optional(text),
    company_name: optional(text),
  }),
  isRepeated: flag,
  isSpent: flag,
  isUnanswered: flag,
});

const historyLine = z.looseObject({ time: text, sync: text, run: text, contact: text.nullable() });
const appendedRows = z.looseObject({ fields: z.array(text), rows: z.array(z.tuple([text, packed])) });
const step = z.looseObject({
  lines: z.array(historyLine),
  creates: optional(z.array(text)),
  appends: optional(appendedRows),
});

export const whyNotRecord = {
  link: whyNotLink,
  feedLink: (stored: JsonObject) => whyNot(feedLink, stored),
  stray: (stored: JsonObject) => whyNot(stray, stored),
  ledgerEntry: (stored: JsonObject) => whyNot(ledgerEntry, stored),
  message: (stored: JsonObject) => whyNot(message, stored),
  /** Two kinds of notes, told apart by their keys. */
  note: (stored: JsonObject) => whyNot(isStep(stored) ? step : newcomer, stored),
};

export function isStep(note: object): note is StepNote {
  return 'lines' in note;
}

export function isNewcomer(note: object): note is Newcomer {
  return 'identifiers' in note;
}
