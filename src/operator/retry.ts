// Tries given-up records again. A question comes first if a person could get a message or an enrolment twice.
import { readStanding, type Standing } from '../engine/standing.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { ProblemKind } from '../sync/change.ts';
import { enrolmentIdToKey, readLedgerKey } from '../sync/record/ledger.ts';
import type { RequestsAnswer } from './answers/conflicts.ts';
import { type Decider, type Decision, record } from './decide.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { contactsOf, isUuid, rowNumber } from './records.ts';
import { selectDeciding } from './select.ts';

export interface RetryRequest {
  /** Ids of problems, uuids, e-mail addresses, names or `row:17`; none: everything quarantined, parked or refused. */
  readonly ids: readonly string[];
  readonly sync?: string | undefined;
  /** The person has looked, and wants something done again that was done or may have been. */
  readonly isSure: boolean;
}

interface Known {
  readonly sync: string;
  readonly standing: Standing;
  readonly isOutbox: boolean;
}

/**
 * The kinds that are tried again if nothing is named. A deleted row comes back only by name, because a person deleted it.
 */
const retriedKinds: ReadonlySet<ProblemKind> = new Set(['quarantined', 'parked', 'refused']);

/** Records all that is named, or nothing. Throws OperatorError and StateError. */
export async function retry(
  operator: Operator,
  decider: Decider,
  { ids, sync, isSure }: RetryRequest,
): Promise<RequestsAnswer> {
  const jobs = selectDeciding(operator.config, sync === undefined ? [] : [sync]);
  const known = await Promise.all(
    jobs.map(async ({ name, kind }) => {
      const standing = await readStanding(operator.store.sync(name));
      return { sync: name, standing, isOutbox: kind === 'outbox' };
    }),
  );
  const decisions = ids.length === 0 ? retryAll(known) : ids.flatMap((id) => retryOne(id, known, isSure));
  return record(operator, decider, decisions);
}

function retryAll(known: readonly Known[]): readonly Decision[] {
  return known.flatMap((each) => {
    const problems = each.standing.lastRun?.problems ?? [];
    const ids = new Set(problems.filter(({ kind }) => retriedKinds.has(kind)).map(({ id }) => id));
    // Without a name, a doubtful record is never retried: a person gets a real message.
    for (const id of ids) if (doubtOf(each, id)) ids.delete(id);
    return [...ids].map((id) => toDecision(each, id));
  });
}

function retryOne(given: string, known: readonly Known[], isSure: boolean): readonly Decision[] {
  const id = /^(row:\d+|[0-9A-F-]{36}(\/.*)?)$/i.test(given)
    ? given.replace(/^[^/]*/, (part) => part.toLowerCase())
    : given;
  const doubtful = known.flatMap((each) => namesOf(each, id).flatMap((name) => doubtOf(each, name) ?? []));
  if (doubtful.length > 0 && !isSure) throw new OperatorError('doubt', doubtful[0]!);
  const hits = known.flatMap((each) => namesOf(each, id).map((found) => toDecision(each, found, isSure)));
  const syncs = new Set(hits.map(({ sync }) => sync));
  if (rowNumber(id) !== undefined && syncs.size > 1) {
    throw new OperatorError('ambiguous', `${id} is a row of ${[...syncs].join(' and ')}: say which with --sync`);
  }
  if (hits.length > 0) return hits;
  const ids = known.flatMap(({ standing }) => standing.lastRun?.problems.map((problem) => problem.id) ?? []);
  // A wrong row number is no typing error: there is no suggestion.
  const hint = rowNumber(id) === undefined ? didYouMean(given, ids) : '';
  throw new OperatorError('unknown', `nothing is known of ${given}${hint || '; leadsheet status shows what is open'}`);
}

/** The algorithm's ids for this name: problems, rows, contacts, enrolments; for an outbox, row IDs. */
function namesOf({ sync, standing, isOutbox }: Known, id: string): readonly string[] {
  const { lastRun, ledger, messages } = standing;
  const row = rowNumber(id);
  const ofRow = lastRun?.problems.filter((problem) => row !== undefined && problem.row === row) ?? [];
  if (isOutbox) {
    // Rows of an outbox move: `row:17` is the row with that number in the last run.
    if (row === undefined) return messages.has(id) ? [id] : [];
    return [...new Set(ofRow.filter((problem) => messages.has(problem.id)).map((problem) => problem.id))];
  }
  const isProblem = lastRun?.problems.some((problem) => problem.id === id) ?? false;
  if (isProblem || ofRow.length > 0 || ledger.has(enrolmentIdToKey(id))) return [id];
  if (row !== undefined) return [];
  const contacts = contactsOf(standing, id);
  if (contacts.length > 1 && !isUuid(id)) {
    const each = contacts.map((uuid) => `${uuid} (${standing.personText(uuid)})`);
    throw new OperatorError(
      'ambiguous',
      `${id} is ${contacts.length} contacts of ${sync}: name one of ${each.join(', ')}`,
    );
  }
  return contacts;
}

function doubtOf({ standing, isOutbox }: Known, id: string): string | undefined {
  return isOutbox ? doubtfulMessage(standing, id) : doubtfulEnrolment(standing, id);
}

/** E1, E3: the question that --yes answers, if a call was or may have been made. Names contact and automation. */
function doubtfulEnrolment({ ledger, personText }: Standing, id: string): string | undefined {
  const key = enrolmentIdToKey(id);
  const entry = ledger.get(key);
  if (!entry || entry.state === 'waiting' || entry.state === 'refused') return undefined;
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
  switch (message.state) {
    case 'unknown':
    case 'intended':
      return `it is unknown whether ${what} was sent (${day}): look in the service and, if not, say --yes; else it is sent twice`;
    case 'sent':
      return `${what} was sent already (${day}): say --yes to have it sent again`;
    case 'waiting':
    case 'refused': {
      const twin = lastRun?.problems.find((problem) => problem.id === id && problem.rule === 'P2');
      return twin && `${what} ${twin.reason.replace(/: change it.*/, '')}: say --yes to have it sent all the same`;
    }
  }
}

/** `seen` is what was open about the record in the last run. */
function toDecision({ sync, standing }: Known, id: string, isSure = false): Decision {
  const request = { kind: 'retry', id, ...(isSure && { isSure: true as const }) } as const;
  const row = rowNumber(id);
  const problems = (standing.lastRun?.problems ?? []).flatMap((problem) => {
    const isOfId = problem.id === id || problem.uuid === id || (row !== undefined && problem.row === row);
    return isOfId ? [{ kind: problem.kind, rule: problem.rule, reason: problem.reason }] : [];
  });
  return { sync, request, text: `${id} is tried again`, seen: { problems } };
}
