// Questions before something is done again that was done, or may have been: a person could get it twice.
import { type Standing, standingOf } from '../engine/standing.ts';
import type { Message } from '../sync/outbox/message.ts';
import { enrolmentIdToKey, isDone, readLedgerKey } from '../sync/record/ledger.ts';
import type { DoubtAnswer } from './answers/doubt.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { selectDeciding } from './select.ts';
import { rowsById } from './rows-by-id.ts';

export interface Known {
  readonly sync: string;
  readonly standing: Standing;
  readonly isOutbox: boolean;
}

/**
 * `read`: the standing of the job with `ledgerKeysOf(id)`, if it was read already. Null: it may be tried again without a question. `id`: of a problem, an enrolment, or a row of an outbox. Throws OperatorError
 * and StateError.
 */
export async function readDoubt(
  operator: Operator,
  { job, id }: { readonly job: string; readonly id: string },
  read?: Standing,
): Promise<DoubtAnswer | null> {
  const [selected] = selectDeciding(operator.config, [job]);
  const isOutbox = selected!.kind === 'outbox';
  const state = operator.store.sync(job);
  const known = { sync: job, standing: read ?? standingOf(await state.loadSome({ keys: ledgerKeysOf(id) })), isOutbox };
  if (doubtOf(known, id) === undefined) return null;
  // The name of a contact stands in its record.
  const { uuid } = isOutbox ? { uuid: '' } : readLedgerKey(enrolmentIdToKey(id));
  const standing = isOutbox ? known.standing : standingOf(await state.loadSome({ keys: [uuid] }));
  const question = doubtOf({ ...known, standing }, id);
  if (question === undefined) return null;
  const about = { job, id, question: question.replace(yesOfCommands, '') };
  if (!isOutbox) return { ...about, ...doubtedEnrolment(standing, id) };
  const rows = rowsById((await state.readRows()) ?? new Map(), standing.lastRun?.problems);
  const row = rows.get(id) ?? rowOfProblem(standing, id);
  return { ...about, ...doubtedMessage(standing, id, row) };
}

/** The keys under which a look finds what the ledger has of a problem, an enrolment or a row of an outbox. */
export function ledgerKeysOf(id: string): readonly string[] {
  return [id, readLedgerKey(enrolmentIdToKey(id)).uuid];
}

/** The part of the question that only a command line answers. */
const yesOfCommands = /(?:: look in the service and, if not, say --yes; else .*|: say --yes .*)$/;

/** Whether a person typed the name: case and outer blanks do not count. */
export function isNameTyped({ name }: DoubtAnswer, typed: string): boolean {
  const plain = (text: string) => text.trim().toLocaleLowerCase('en');
  return plain(typed) !== '' && plain(typed) === plain(name);
}

/** `Ann <ann@firm.io>`: the name, or the address where there is no name. */
function nameIn(person: string): string {
  const [, name = '', email = ''] = /^(.*?) ?<([^<>]*)>$/.exec(person) ?? ['', person];
  return name || email;
}

function rowOfProblem({ lastRun }: Standing, id: string): number | null {
  return lastRun?.problems.find((problem) => problem.id === id)?.row ?? null;
}

/** P3: the digest of what the row of a message said in the last run; null: not known. */
export function saidLast({ said, saysNow = said }: Pick<Message, 'said' | 'saysNow'>): string | null {
  return saysNow === '' ? null : saysNow;
}

function textOf({ said, saysNow }: Message): NonNullable<DoubtAnswer['text']> {
  if (said === '') return 'unknown';
  return saysNow === undefined ? 'same' : 'changed';
}

/** The words about the text of a row, for a person who may send it again. */
export const textWords = {
  same: 'In the last run the row said what was sent.',
  changed: 'The text has changed since it was sent. Sending it again sends the text that the row had in the last run.',
  unknown: 'What was sent is not known, so that the row cannot be compared with it.',
} as const satisfies Record<NonNullable<DoubtAnswer['text']>, string>;

function doubtedMessage({ messages }: Standing, id: string, row: number | null) {
  const message = messages.get(id)!;
  const { name, to, state } = message;
  const place = row === null ? 'its row' : `row ${row}`;
  const whom = name ?? to;
  if (whom === undefined) throw new OperatorError('invalid', `the contact of ${id} is not known yet`);
  const seen = saidLast(message);
  const when = seen === null ? 'as the row says it then' : 'as the last run saw it';
  const what = `the message of ${place}, ${when}, goes to ${whom}`;
  return { name: nameIn(whom), what, row, state, text: textOf(message), said: seen };
}

function doubtedEnrolment({ ledger, personText }: Standing, id: string) {
  const key = enrolmentIdToKey(id);
  const { name: automation = 'the automation', state } = ledger.get(key)!;
  const { uuid } = readLedgerKey(key);
  const text = personText(uuid);
  return {
    name: nameIn(text),
    what: `${text} is put into ${automation}, which sends its messages`,
    row: null,
    state,
    text: null,
    said: null,
  };
}

/** The question that comes before a second try; undefined: there is none. */
export function doubtOf({ standing, isOutbox }: Known, id: string): string | undefined {
  return isOutbox ? doubtfulMessage(standing, id) : doubtfulEnrolment(standing, id);
}

/** E1, E3: the question that --yes answers, if a call was or may have been made. Names contact and automation. */
function doubtfulEnrolment({ ledger, personText }: Standing, id: string): string | undefined {
  const key = enrolmentIdToKey(id);
  const entry = ledger.get(key);
  if (!entry || !isDone(entry)) return undefined;
  const { uuid, automation } = readLedgerKey(key);
  const what = `${personText(uuid)} into ${entry.name ?? automation}`;
  const day = new Date(entry.at).toISOString().slice(0, 10);
  return entry.state === 'unknown' || entry.state === 'intended'
    ? `it is unknown whether ${what} was enrolled (${day}): look in the service and, if not, say --yes; else it happens twice`
    : `${what} was done already (${entry.state} ${day}): say --yes to have it done again`;
}

/** P3: the same for messages. Names the recipient. */
function doubtfulMessage({ messages, lastRun }: Standing, id: string): string | undefined {
  const message = messages.get(id);
  if (!message) return undefined;
  const day = new Date(message.at).toISOString().slice(0, 10);
  const what = `the message to ${message.name ?? 'this contact'}`;
  const text = textWords[textOf(message)];
  switch (message.state) {
    case 'unknown':
    case 'intended':
      return `it is unknown whether ${what} was sent (${day}): look in the service and, if not, say --yes; else it is sent twice. ${text}`;
    case 'sent':
      return `${what} was sent already (${day}): say --yes to have it sent again. ${text}`;
    case 'waiting':
    case 'cancelled':
    case 'refused': {
      const twin = lastRun?.problems.find((problem) => problem.id === id && problem.rule === 'P2');
      return twin && `${what} ${twin.reason.replace(/: change it.*/, '')}: say --yes to have it sent all the same`;
    }
  }
}
