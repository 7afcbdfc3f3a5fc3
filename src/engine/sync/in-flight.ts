// Settles calls of unknown outcome from earlier runs before anything is planned (E3). Enrolments cannot be read, but
// contacts can: a contact that does not exist was not enrolled.
import { AuthenticationError, isRefusal, ServiceError } from '../../crm/errors.ts';
import type { Batch, HistoryLine, Lease } from '../../state/port.ts';
import type { Contact, Identifiers } from '../../crm/port.ts';
import { rowKey, type Stray } from '../../sync/record/base.ts';
import { hourMs, type InFlight, type LedgerEntry, ledgerKey, withFoundCall } from '../../sync/record/ledger.ts';
import { type Packed, type RowRecord, unpack } from '../../sync/record/record.ts';
import { normalText } from '../../sync/value/same.ts';
import { type Answers, type LookupAnswer, noAnswers } from '../../sync/input.ts';
import { toAnswer } from './ask.ts';
import type { RunContext } from './context.ts';
import { findContact } from './looked-up.ts';
import { stepLine } from '../enrolment/history.ts';
import type { Newcomer } from '../enrolment/ledger.ts';
import { asStored } from '../stored/json.ts';
import { isMappingNew, type Memory } from './memory.ts';
import type { Pulled } from './pull.ts';
import { editCall } from '../stop.ts';
import { keysOf, strongestOf } from './write-calls.ts';

export interface Recovered {
  readonly memory: Memory;
  /** Rows whose contact was found: the search may not show it yet. */
  readonly answers: Answers;
}

/** How long a call without a row is looked for; no answer comes later. */
const lateMs = 600_000;

/** Without a lease nothing is written, and the plan is made as if it were written. */
export async function recoverCalls(
  context: RunContext,
  memory: Memory,
  { scope, sheet }: Pulled,
  lease?: Lease,
): Promise<Recovered> {
  const cutShort = [...memory.ledger.entries].filter(([, { state }]) => state === 'intended');
  if (memory.newcomers.size + cutShort.length === 0) return { memory, answers: noAnswers };
  const rowsOf = rowFinder(context, sheet.rows);
  const placed = new Map<string, Placed>();
  const entries = new Map(memory.ledger.entries);
  const newcomers = new Map(memory.newcomers);
  const inFlight = new Map<string, InFlight>();
  const lookups = new Map<string, LookupAnswer>();
  const madeOf = new Map<string, Packed>();
  const learnt = new Map<string, LedgerEntry>();
  /** Keys of entries that this changes, also where nothing is new but a call. */
  const changed = new Set<string>();
  for (const [key, entry] of cutShort) learn(key, { ...entry, state: 'unknown' });
  for (const [key, newcomer] of memory.newcomers) {
    if (newcomer.isSpent) {
      if (context.crm.now() - newcomer.at > hourMs) newcomers.delete(key);
      else inFlight.set(key, newcomer);
      continue;
    }
    const contact = await find(context, newcomer.identifiers);
    const rows = rowsOf(key, newcomer);
    const place = moveTo(rows[0], key, newcomer);
    placed.set(place, { at: newcomer.at, isHere: rows.length > 0 });
    // M9: the columns had another order, or others had joined.
    const isReadable = newcomer.state === 'added' && !isMappingNew(memory);
    if (typeof contact === 'object' && isReadable) madeOf.set(contact.uuid, key as Packed);
    if (contact === 'unanswered') inFlight.set(place, { ...newcomer, isUnanswered: true });
    else if (contact) await found(place, newcomer, contact);
    else notFound(place, newcomer, rows[0]);
    // Each of these rows names the person that was enrolled. The call counts once.
    const blocked = inFlight.get(place);
    if (blocked) for (const row of rows.slice(1)) inFlight.set(rowKey(row), { ...blocked, at: 0 });
  }
  const strays = strayNotes(placed, memory);
  if (lease && learnt.size > 0) await lease.appendHistory(historyOf(context, learnt));
  if (lease)
    await lease.commit(
      changesOf(
        memory.newcomers,
        newcomers,
        new Map([...changed].map((place) => [place, entries.get(place)!])),
        strays,
      ),
    );
  return {
    memory: {
      ...memory,
      base: { ...memory.base, strays: new Map([...memory.base.strays, ...strays]), madeOf },
      newcomers,
      ledger: { ...memory.ledger, entries, inFlight },
    },
    answers: { contacts: new Map(), lookups },
  };

  async function found(key: string, { automation, name, state, at, run }: Newcomer, contact: Contact): Promise<void> {
    newcomers.delete(key);
    lookups.set(key, await toAnswer(context, scope, contact));
    const place = ledgerKey(contact.uuid, automation);
    const known = entries.get(place);
    // Nothing shows whether that call or another client created the contact at the same time.
    const made = { state: state === 'added' ? 'enrolled' : 'unknown', at, run, name, calls: [at] } as const;
    const entry = withFoundCall(known, made);
    if (entry.state !== known?.state) return learn(place, entry);
    // E4: nothing is new but the call.
    entries.set(place, entry);
    changed.add(place);
  }

  function learn(place: string, entry: LedgerEntry): void {
    entries.set(place, entry);
    changed.add(place);
    learnt.set(place, entry);
  }

  /** The key under which the newcomer is kept from now on: that of its row, which may have been edited. */
  function moveTo(row: RowRecord | undefined, key: string, newcomer: Newcomer): string {
    const place = row && rowKey(row);
    if (place === undefined || place === key || newcomers.has(place)) return key;
    newcomers.delete(key);
    newcomers.set(place, newcomer);
    return place;
  }

  function notFound(key: string, newcomer: Newcomer, row: RowRecord | undefined): void {
    const number = row?.number;
    const isLate = context.crm.now() - newcomer.at > lateMs;
    if (number === undefined && isLate) drop(key, newcomer);
    else if (newcomer.state === 'intended') newcomers.set(key, { ...newcomer, state: 'absent' });
    else if (newcomer.state === 'added') {
      // The service accepted the call, and the contact is missing: a person deleted it, and decides whether to create it
      // again.
      if (memory.requests.retry.has(`row:${number}`)) drop(key, newcomer);
      else {
        inFlight.set(key, newcomer);
        // L4: nobody has what identifies the row, so that it is the row of no contact, and no other row waits for it.
        if (row && isSameNames(context, row, newcomer)) lookups.set(rowKey(row), { kind: 'gone' });
      }
    }
  }

  /** E4: a call that the service accepted counts for the cap until its hour is over. */
  function drop(key: string, newcomer: Newcomer): void {
    newcomers.delete(key);
    if (newcomer.state !== 'added') return;
    const spent = { ...newcomer, isSpent: true } as const;
    newcomers.set(`spent ${newcomer.at} ${key}`, spent);
    inFlight.set(`spent ${newcomer.at} ${key}`, spent);
  }
}

interface Placed extends Pick<Newcomer, 'at'> {
  /** Whether a row has what was sent, or what identifies the contact. */
  readonly isHere: boolean;
}

/**
 * G2: an earlier run passed the guards to create these rows. A contact with their keys comes from that run. Of one that no row
 * names, another row may be the one that was sent, edited since (W4, `lost-creates.ts`).
 */
function strayNotes(
  newcomers: ReadonlyMap<string, Placed>,
  { base }: Pick<Memory, 'base'>,
): ReadonlyMap<string, Stray> {
  const notes = [...newcomers].flatMap(([key, { at, isHere }]): [string, Stray][] => {
    const known = base.strays.get(key);
    if (known?.isCounted && (isHere || known.isUnknown)) return [];
    return [[key, { ...(known ?? { since: at }), isCounted: true, ...(!isHere && { isUnknown: true }) }]];
  });
  return new Map(notes);
}

/**
 * The rows without an ID that a newcomer may be the contact of, the one with its contents first. Its row may have been edited,
 * and a column that joins the mapping changes the contents of every row (M9): then it is known by what identifies the contact.
 */
function rowFinder({ shape }: RunContext, rows: Pulled['sheet']['rows']) {
  const withoutId = rows.filter(({ id }) => id === '');
  const byName = Map.groupBy(
    withoutId.flatMap((row) => namesOf(shape.identifiers(unpack(row.values))).map((name) => ({ name, row }))),
    ({ name }) => name,
  );
  return (key: string, { identifiers }: Newcomer): readonly RowRecord[] => {
    const same = withoutId.filter((row) => rowKey(row) === key);
    const named = namesOf(identifiers).flatMap((name) => (byName.get(name) ?? []).map(({ row }) => row));
    return [...new Set([...same, ...named])];
  };
}

/** Whether the row has the identifiers that were sent: it may have been edited since. */
function isSameNames({ shape }: RunContext, { values }: RowRecord, { identifiers }: Newcomer): boolean {
  const textOf = (names: readonly string[]) => JSON.stringify(names.toSorted());
  return textOf(namesOf(shape.identifiers(unpack(values)))) === textOf(namesOf(identifiers));
}

/** One text for each identifier that names a single person. */
function namesOf(identifiers: Identifiers): readonly string[] {
  const { name, company_name: company } = identifiers;
  const strong = keysOf(identifiers);
  return strong.length > 0 || name === undefined ? strong : [`name ${normalText(name)} ${normalText(company ?? '')}`];
}

/** L12: history lines for the calls of a run that ended before it could write them. */
function historyOf(context: RunContext, learnt: ReadonlyMap<string, LedgerEntry>): readonly HistoryLine[] {
  return [...learnt].map(([key, entry]) => {
    const { run, name = '' } = entry;
    const line = stepLine(context, { key, entry, run, row: null, rule: 'E3', reason: `wished for: ${name}` });
    return entry.state === 'enrolled' ? line : { ...line, message: 'the run ended before the outcome was known' };
  });
}

function changesOf(
  before: ReadonlyMap<string, Newcomer>,
  after: ReadonlyMap<string, Newcomer>,
  learnt: ReadonlyMap<string, LedgerEntry>,
  strays: ReadonlyMap<string, Stray>,
): Batch {
  const changed = [...after].filter(([key, newcomer]) => before.get(key) !== newcomer);
  return {
    ledger: { put: asStored(learnt) },
    strays: { put: asStored(strays) },
    outbox: {
      put: asStored(new Map(changed)),
      delete: [...before.keys()].filter((key) => !after.has(key)),
    },
  };
}

/**
 * Looks up by the strongest identifier, and then by the address: somebody may have changed the handle since, and who is not found
 * counts as not enrolled (E3). Where the service refuses the handle, nobody would ever be added to that automation again (L14). By the
 * address only if rows are matched by it, so that it was nobody's before the call.
 */
export async function findNewcomer(context: RunContext, identifiers: Identifiers): Promise<Contact | undefined> {
  const call = editCall(context);
  const strongest = strongestOf(identifiers);
  const { email } = identifiers;
  const isOther = email !== undefined && strongest.email === undefined && isMatchedByAddress(context);
  try {
    const found = await findContact(context, strongest, call);
    if (found || !isOther) return found;
  } catch (error) {
    if (!isOther || !(error instanceof ServiceError) || !isRefusal(error)) throw error;
  }
  return findContact(context, { email }, call);
}

function isMatchedByAddress({ config }: RunContext): boolean {
  const addresses = new Set(config.identifiers.email.flatMap((group) => (group.length === 1 ? group : [])));
  return config.match.some(([name = '', ...others]) => others.length === 0 && addresses.has(name));
}

async function find(context: RunContext, identifiers: Identifiers): Promise<Contact | 'unanswered' | undefined> {
  try {
    return await findNewcomer(context, identifiers);
  } catch (error) {
    if (error instanceof ServiceError && !(error instanceof AuthenticationError)) return 'unanswered';
    throw error;
  }
}
