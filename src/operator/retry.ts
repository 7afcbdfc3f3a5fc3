// Tries given-up records again. A question comes first if a person could get a message or an enrolment twice.
import { readStanding, type Standing } from '../engine/standing.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { StoredProblem } from '../engine/stored/run.ts';
import type { ProblemKind } from '../sync/change.ts';
import type { Message } from '../sync/outbox/message.ts';
import { enrolmentId, enrolmentIdToKey, readLedgerKey } from '../sync/record/ledger.ts';
import type { RequestsAnswer } from './answers/conflicts.ts';
import { type Decider, type Decision, record } from './decide.ts';
import { doubtOf, type Known, saidLast } from './doubt.ts';
import type { JobKind } from '../engine/kind.ts';
import { commandText } from './explain/commands.ts';
import { OperatorError } from './errors.ts';
import { needsApproval, remediesOfLost, takesNoRetry } from './explain/remedies.ts';
import type { Operator } from './operator.ts';
import { contactsOf, isUuid, readMeant, rowNumber } from './records.ts';
import type { SyncState } from '../state/port.ts';
import { selectDeciding } from './select.ts';

export interface RetryRequest {
  /** Ids of problems, uuids, e-mail addresses, names or `row:17`; none: everything quarantined, parked or refused. */
  readonly ids: readonly string[];
  readonly sync?: string | undefined;
  /** The person has looked, and wants something done again that was done or may have been. */
  readonly isSure: boolean;
  /** Of a row of an outbox: digest of what it said when the person looked (P3). Left out: what it said in the last run. */
  readonly said?: string | undefined;
}

/**
 * The kinds that are tried again if nothing is named. A deleted row comes back only by name, because a person deleted it.
 */
const retriedKinds: ReadonlySet<ProblemKind> = new Set(['quarantined', 'parked', 'refused']);

/** Records all that is named, or nothing. Throws OperatorError and StateError. */
export async function retry(
  operator: Operator,
  decider: Decider,
  { ids, sync, isSure, said }: RetryRequest,
): Promise<RequestsAnswer> {
  const jobs = selectDeciding(operator.config, sync === undefined ? [] : [sync]);
  const known = await Promise.all(
    jobs.map(async ({ name, kind }) => {
      const standing = await readKnown(operator.store.sync(name), kind, ids);
      return { sync: name, standing, isOutbox: kind === 'outbox' };
    }),
  );
  const decisions = ids.length === 0 ? retryAll(known) : ids.flatMap((id) => retryOne(id, known, { isSure, said }));
  return record(operator, decider, decisions);
}

/** All of the state for several names, for none, and for an outbox, whose messages are found in more ways than contacts. */
async function readKnown(state: SyncState, kind: JobKind, [id, ...more]: readonly string[]): Promise<Standing> {
  if (id === undefined || more.length > 0 || kind === 'outbox') return readStanding(state);
  // `UUID/company_name` and `ann@firm.io/Welcome` mean the person.
  return readMeant(state, id.split('/')[0]!.trim());
}

function retryAll(known: readonly Known[]): readonly Decision[] {
  return known.flatMap((each) => {
    const problems = each.standing.lastRun?.problems ?? [];
    const due = problems.filter((problem) => retriedKinds.has(problem.kind) && !takesNoRetry(problem));
    const ids = new Set(due.map(({ id }) => id));
    // Without a name, a doubtful record is never retried: a person gets a real message.
    for (const id of ids) if (doubtOf(each, id)) ids.delete(id);
    return [...ids].map((id) => toDecision(each, id));
  });
}

type Agreement = Pick<RetryRequest, 'isSure' | 'said'>;

function retryOne(given: string, known: readonly Known[], agreed: Agreement): readonly Decision[] {
  const { isSure } = agreed;
  const id = /^(row:\d+|[0-9A-F-]{36}(\/.*)?)$/i.test(given)
    ? given.replace(/^[^/]*/, (part) => part.toLowerCase())
    : given;
  const doubtful = known.flatMap((each) => namesOf(each, id).flatMap((name) => doubtOf(each, name) ?? []));
  if (doubtful.length > 0 && !isSure) throw new OperatorError('doubt', doubtful[0]!);
  const named = known.flatMap((each) => namesOf(each, id).map((found) => ({ each, found })));
  const due = named.filter(({ each, found }) => isDue(each, found));
  if (named.length > 0 && due.length === 0) throw new OperatorError('nothing', nothingToRetry(given, named));
  const hits = due.map(({ each, found }) => toDecision(each, found, agreed));
  const syncs = new Set(hits.map(({ sync }) => sync));
  const isRow = rowNumber(id) !== undefined;
  // The question was about one of them, and each would be done again.
  if (syncs.size > 1 && (isRow || doubtful.length > 0)) {
    const what = isRow ? `${id} is a row of` : `${given} is known to`;
    throw new OperatorError('ambiguous', `${what} ${[...syncs].join(' and ')}: say which with --sync`);
  }
  if (hits.length > 0) return hits;
  if (isRow) {
    // By its number a row is known only while something is open about it: it may hold a message that was sent.
    const why = `nothing was open about ${id} in the last run: ${commandText('explain', id)} says how it stands, and its id`;
    throw new OperatorError('unknown', why);
  }
  const ids = known.flatMap(({ standing }) => standing.lastRun?.problems.map((problem) => problem.id) ?? []);
  const hint = didYouMean(given, ids);
  throw new OperatorError('unknown', `nothing is known of ${given}${hint || '; leadsheet status shows what is open'}`);
}

/** `UUID/Welcome`, or `ann@firm.io/Welcome`: the automation by its name, in any case. */
function namedEnrolment(standing: Standing, id: string): readonly string[] {
  const [, person, automation] = /^([^/]+)\/(.+)$/.exec(id) ?? [];
  if (person === undefined || automation === undefined) return [];
  const uuids = contactsOf(standing, person);
  return [...standing.ledger].flatMap(([key, { name }]) => {
    const entry = readLedgerKey(key);
    const isMeant = name?.toLowerCase() === automation.trim().toLowerCase() || entry.automation === automation;
    return isMeant && uuids.includes(entry.uuid) ? [enrolmentId(entry.uuid, entry.automation)] : [];
  });
}

interface Named {
  readonly each: Known;
  /** An id of the algorithm. */
  readonly found: string;
}

/** A run that is asked to try this again does something else than without: something of it is open, or was given up. */
function isDue(each: Known, id: string): boolean {
  const { standing, isOutbox } = each;
  const { ledger, links } = standing;
  if (unapproved(each, id) !== undefined) return false;
  if (isOutbox || ledger.has(enrolmentIdToKey(id))) return true;
  const open = openOf(standing, id);
  if (open.length > 0) return open.some((problem) => !takesNoRetry(problem));
  if (rowNumber(id) !== undefined) return true;
  const link = links.get(id);
  if (!link) return true;
  const { standing: lost, refusal, refusals, notes, isUnsure } = link;
  const isNoted = Object.values(notes ?? {}).some(({ parked, notStored, taken }) => parked ?? notStored ?? taken);
  return lost !== undefined || isUnsure === true || refusal !== undefined || refusals !== undefined || isNoted;
}

/**
 * E6, P6: what the last run held of this wish or message because the state is new. The problem of a wish has the id of its contact.
 * An answer to a question of doubt is recorded all the same.
 */
function unapproved(each: Known, id: string): StoredProblem | undefined {
  const { standing, isOutbox } = each;
  const key = enrolmentIdToKey(id);
  const isWish = standing.ledger.get(key)?.state === 'waiting';
  if ((!isOutbox && !isWish) || doubtOf(each, id) !== undefined) return undefined;
  const held = isOutbox ? id : readLedgerKey(key).uuid;
  return standing.lastRun?.problems.find((problem) => problem.id === held && needsApproval(problem));
}

/** E1: an enrolment of the contact is asked for by an id of its own. */
function openOf({ lastRun, ledger }: Standing, id: string): readonly StoredProblem[] {
  const problems = lastRun?.problems ?? [];
  return problems.filter((problem) => {
    const isEnrolment = problem.id !== id ? ledger.has(enrolmentIdToKey(problem.id)) : problem.rule.startsWith('E');
    return !isEnrolment && (problem.id === id || problem.uuid === id);
  });
}

/** E1: an enrolment has an id of its own, which is named if a contact was meant. */
function nothingToRetry(given: string, named: readonly Named[]): string {
  const enrolments = named.flatMap(({ each, found }) => enrolmentsText(each.standing, found));
  const [{ each, found }] = named as [Named];
  const who = isUuid(given) && each.standing.links.has(found) ? `${each.standing.personText(found)} (${given})` : given;
  const stays = named.flatMap(({ each: known, found: id }) =>
    [unapproved(known, id) ?? openOf(known.standing, id)].flat().map((problem) => whatEnds(problem, known.sync)),
  );
  const first =
    stays[0] === undefined
      ? `nothing to retry: nothing of ${who} is open`
      : `nothing to retry: a retry does not end what is open of ${who}: ${stays[0]}`;
  return enrolments.length === 0
    ? first
    : `${first}; an enrolment is tried again by its own id: ${enrolments.join(', ')}`;
}

function whatEnds(problem: StoredProblem, sync: string): string {
  const { reason } = problem;
  if (needsApproval(problem)) {
    return `${reason}; what ends it: ${commandText('plan', sync)} shows what would be done; then ${commandText('approve', sync)}`;
  }
  const remedies = remediesOfLost(problem);
  return remedies === undefined ? reason : `${reason}; what ends it: ${remedies.join(', or ')}`;
}

function enrolmentsText({ ledger }: Standing, uuid: string): readonly string[] {
  return [...ledger].flatMap(([key, { name, state }]) => {
    const entry = readLedgerKey(key);
    return entry.uuid === uuid
      ? [`leadsheet retry ${enrolmentId(uuid, entry.automation)} (${name ?? 'an automation'}, ${state})`]
      : [];
  });
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
  if (isProblem || ledger.has(enrolmentIdToKey(id))) return [id];
  // Rows move: the row of a contact is known by its contact.
  if (row !== undefined) return [...new Set(ofRow.flatMap(({ uuid }) => uuid ?? []))];
  const enrolment = namedEnrolment(standing, id);
  if (enrolment.length > 0) return enrolment;
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

/** P3: the text that was agreed on, for the history and for the command line. */
function againText(id: string, message: Message): string {
  if (saidLast(message) === null) return `${id} is tried again with the text that its row has then`;
  const than = message.saysNow === undefined ? 'is what the ledger has' : 'is not what was sent before';
  return `${id} is tried again with the text of its row in the last run, which ${than}; if the row was edited since, nothing is sent`;
}

/** E1: nothing came of a retry whose enrolment the cell does not name. Where something was open about it, the cell named it. */
function whereNamed({ ledger, lastRun }: Standing, id: string): string {
  const entry = ledger.get(enrolmentIdToKey(id));
  const isNamed = entry?.state === 'waiting' || lastRun?.problems.some((problem) => problem.id === id);
  return !entry || isNamed ? '' : ` if its cell names ${entry.name ?? 'the automation'} by then`;
}

/**
 * `seen` is what was open about the record in the last run. A yes answers the question of `doubtOf`: where there was none, the record
 * waited or was refused, and a run may have carried it out before the decision is taken up (L8).
 */
function toDecision(each: Known, id: string, { isSure: saysYes, said: seen }: Agreement = { isSure: false }): Decision {
  const { sync, standing, isOutbox } = each;
  const isSure = saysYes && doubtOf(each, id) !== undefined;
  const message = isOutbox && isSure ? standing.messages.get(id) : undefined;
  const said = message && (seen ?? saidLast(message) ?? undefined);
  const row = rowNumber(id);
  const contents =
    row === undefined ? undefined : standing.lastRun?.problems.find((problem) => problem.id === id)?.contents;
  const request = {
    kind: 'retry',
    id,
    ...(isSure && { isSure: true as const }),
    ...(said !== undefined && { said }),
    ...(contents !== undefined && { contents }),
  } as const;
  const problems = (standing.lastRun?.problems ?? []).flatMap((problem) => {
    const isOfId = problem.id === id || problem.uuid === id || (row !== undefined && problem.row === row);
    return isOfId ? [{ kind: problem.kind, rule: problem.rule, reason: problem.reason }] : [];
  });
  const text = message ? againText(id, message) : `${id} is tried again${whereNamed(standing, id)}`;
  return { sync, request, text, seen: { problems } };
}
