// Reads both sides into the types of the algorithm.
import { AuthenticationError, NotFoundError, ServiceError, StoppedError } from '../../crm/errors.ts';
import type { ColumnKey, ReadSettings, Snapshot } from '../../sheets/port.ts';
import type { Contact } from '../../crm/port.ts';
import { type Base, lastSeen } from '../../sync/record/base.ts';
import type { CrmReading, Identities, SheetReading } from '../../sync/input.ts';
import type { LastLook } from '../../sync/must-look.ts';
import type { Problem } from '../../sync/change.ts';
import { type ContactRecord, type Packed, type RowRecord, unpack } from '../../sync/record/record.ts';
import type { Side } from '../../sync/value/value.ts';
import type { Wishing } from '../enrolment/automations.ts';
import type { RunContext } from './context.ts';
import { noteLooked } from './looked-up.ts';
import { type Looked, lookIfNeeded } from '../looking.ts';
import { scanCall, sheetCall } from '../read-calls.ts';
import { assertMade, columnNotice, columnsToCreate, isElsewhere } from '../columns.ts';
import { incomplete, judgeScan, type Noted, notedIn, noneNoted } from '../incomplete.ts';
import { findList } from './find-list.ts';
import { isFilterNew, isMappingNew, type Memory } from './memory.ts';
import { takenColumns } from './taken-columns.ts';
import { editCall, sheetWrite } from '../stop.ts';

export interface Pulled {
  readonly crm: CrmReading;
  readonly sheet: SheetReading;
  readonly snapshot: Snapshot;
  /** The look that showed it. Left out: without hints, or for a plan. */
  readonly look?: LastLook | undefined;
  readonly identities: Identities;
  readonly scope: Scope;
  /** The instant from which the next run asks for changes; undefined: it stays as it was. */
  readonly watermark: string | undefined;
  readonly isFull: boolean;
  /** Things the operator should know: renamed headers, a scan that ended early. */
  readonly notices: readonly string[];
  /** L12: parts that were not read to the end. */
  readonly problems: readonly Problem[];
  /** Notes about this pull for the next ones. */
  readonly noted: Noted;
  /** Left out if the sync enrols nobody. */
  readonly wishing?: Wishing;
  /** Present if the tab needs preparing: the columns to create, if any. */
  readonly toCreate?: readonly ColumnKey[];
}

export interface Scope {
  readonly listUuid: string;
  /** The list does not exist: `prepare` creates it, and until then there is nothing to read. */
  readonly isToBeMade?: true;
  /** `list Prospects EMEA` */
  readonly text: string;
}

/** Whether a contact is in scope. If that is unknown, it is. */
export function isInScope({ list, passesFilter }: Contact, { listUuid }: Scope): boolean {
  return passesFilter && (list === undefined || list === listUuid);
}

/**
 * Reads without writing: missing columns that will be created are assumed to be blank. `idle`: both sides are as the last
 * run left them, and that run had nothing to do. `already`: what this run has read before.
 */
export async function pull(
  context: RunContext,
  memory: Memory,
  mayIdle: boolean,
  already?: Already,
): Promise<Pulled | 'idle'> {
  const quiet = mayIdle && !context.request.isFull && memory.pending.size === 0 ? context.session.quiet : undefined;
  const scope = await findScope(context, memory);
  const [{ seen, look }, contacts] = await Promise.all([
    already?.looked ?? lookIfNeeded(context, quiet, holding(context, memory)),
    already?.contacts ?? pullContacts(context, memory, scope),
  ]);
  if (quiet && typeof seen === 'string' && isAsRemembered(contacts.crm, memory)) {
    context.session.quiet = { ...quiet, look };
    if (contacts.watermark !== undefined) context.session.watermark = contacts.watermark;
    context.session.noted = contacts.noted;
    return 'idle';
  }
  // W14: a change of the service is planned over rows that this run has read.
  const read = () => context.table.read(holding(context, memory));
  let snapshot = typeof seen === 'string' ? await read() : seen;
  let toCreate = columnsToCreate(snapshot, memory);
  let rows = readRows(context, memory, snapshot, toCreate);
  if (snapshot === already?.looked?.seen && hasEmptied(rows.sheet.rows, memory.base)) {
    snapshot = await read();
    toCreate = columnsToCreate(snapshot, memory);
    rows = readRows(context, memory, snapshot, toCreate);
  }
  const isReady = toCreate.length === 0 && snapshot.unanchored.length === 0 && snapshot.idColumn.kind !== 'missing';
  return {
    ...contacts,
    ...rows,
    look,
    scope,
    identities: {
      crm: `${context.account} ${scope.listUuid}`,
      sheet: `${context.shape.table.spreadsheet} ${snapshot.tabId}`,
    },
    notices: [...rows.notices, ...contacts.notices],
    ...(!isReady && { toCreate }),
  };
}

/**
 * V3: a tab that was read without the base, to see whether anything changed (quiet.ts), does not tell an emptied cell from one that
 * merged cells cover: only for a blank in the place of a value that it knows does the driver look.
 */
function hasEmptied(rows: readonly RowRecord[], { links }: Base): boolean {
  return rows.some(({ id, values }) => {
    const link = links.get(id);
    const before = link && lastSeen(link, 'sheet');
    if (before === undefined || before === values) return false;
    const now = unpack(values);
    return unpack(before).some((value, index) => value != null && now[index] === null);
  });
}

/** Reads every contact and keeps the rows, when questions would cost more calls than reading all contacts. */
export async function pullWhole(context: RunContext, memory: Memory, pulled: Pulled): Promise<Pulled> {
  const request = { ...context.request, isFull: true };
  const contacts = await pullContacts({ ...context, request }, memory, pulled.scope);
  return { ...pulled, ...contacts, notices: [...pulled.notices, ...contacts.notices] };
}

/**
 * Prepares both sides for a plan that is carried out: creates the list, creates and anchors columns, and removes what a
 * crash left behind.
 */
export async function prepare(context: RunContext, memory: Memory, read: Pulled): Promise<Pulled> {
  const pulled = read.scope.isToBeMade ? await withList(context, read) : read;
  const { table } = context;
  let { snapshot } = pulled;
  if (snapshot.leftovers > 0) await table.tidy(sheetWrite(context));
  if (pulled.toCreate === undefined) return pulled;
  await table.ensure(snapshot, pulled.toCreate, sheetWrite(context));
  snapshot = await table.read(holding(context, memory));
  assertMade(snapshot, pulled.toCreate);
  const { toCreate: _made, ...rest } = pulled;
  return { ...rest, ...readRows(context, memory, snapshot, []) };
}

/** A list name is looked up once by each process, and again at each full scan, because lists are renamed and replaced. */
export async function findScope(context: RunContext, { facts }: Pick<Memory, 'facts'>): Promise<Scope> {
  const { session, request } = context;
  const { list, createList } = context.config.contacts;
  const isKnown = facts.list?.named === list && facts.list.uuid === session.listFound && !request.isFull;
  // A list that existed before was deleted by a person; a new one would be another list (G1).
  const mayMake = createList && facts.list === undefined;
  const imagine = mayMake ? toBeMade : undefined;
  const known = isKnown ? facts.list?.uuid : undefined;
  const listUuid = known ?? (await findList(context.crm, context.config, scanCall(context), imagine));
  session.listFound = listUuid;
  const isToBeMade = listUuid === toBeMade && { isToBeMade: true as const };
  return { listUuid, text: `list ${list}`, ...isToBeMade };
}

/** A uuid that no list has: a plan that is made before the list must name one. */
const toBeMade = '00000000-0000-0000-0000-000000000000';

async function withList(context: RunContext, pulled: Pulled): Promise<Pulled> {
  const { text } = pulled.scope;
  const listUuid = await makeList(context, context.config.contacts.list);
  return {
    ...pulled,
    scope: { listUuid, text },
    identities: { ...pulled.identities, crm: `${context.account} ${listUuid}` },
  };
}

/** If the answer is lost, the run fails; the next run finds the new list by its name. */
async function makeList(context: RunContext, name: string): Promise<string> {
  const { crm, config, emit } = context;
  const { uuid } = await crm.lists.create(name, editCall(context));
  emit({ type: 'notice', sync: config.name, message: `the list "${name}" was not there and has been made (${uuid})` });
  return uuid;
}

/** Every contact that was read is as it was last seen. */
export function isAsRemembered(
  { contacts, coverage, isDrifted }: CrmReading,
  { base }: { readonly base: Pick<Base, 'links'> },
): boolean {
  return (
    coverage === 'changes' &&
    !isDrifted &&
    contacts.every(({ uuid, values }) => {
      const link = base.links.get(uuid);
      // A contact that left and is back, or whose link is open, is planned for whatever its values are.
      const isSettled = link !== undefined && link.standing === undefined && link.isOpen === undefined;
      return isSettled && lastSeen(link, 'crm') === values;
    })
  );
}

/** A row that is as it was last seen shares the text of the base. */
export function holding(context: RunContext, { base }: Pick<Memory, 'base'>): ReadSettings {
  return { ...sheetCall(context), knownText: (id) => lastHeld(base, id, 'sheet') };
}

type RowsPulled = Pick<Pulled, 'sheet' | 'snapshot' | 'notices'>;

function readRows(
  context: RunContext,
  { base, facts }: Memory,
  snapshot: Snapshot,
  imagined: readonly ColumnKey[],
): RowsPulled {
  const { shape, emit, config } = context;
  const blank = new Set(imagined);
  const mapped = new Set(shape.mapping.fields.map(({ name }) => name));
  const ofFields = snapshot.columns.filter(({ key }) => mapped.has(key));
  // Those of the statuses, wishes and results too: of two nothing would be read or told, and nobody would hear of it.
  const doubled = [...snapshot.columns, snapshot.idColumn].flatMap((column) =>
    column.kind === 'doubled' ? [column.header] : [],
  );
  const elsewhere = doubled.filter((header) => isElsewhere(header, snapshot.headerTexts));
  const taken = takenColumns({ base, facts }, snapshot);
  emit({ type: 'progress', sync: config.name, step: 'rows', done: snapshot.rows.length });
  return {
    snapshot,
    sheet: {
      rows: snapshot.rows.map((row) =>
        shape.fromRow(row, blank, row.unchangedText === undefined ? lastHeld(base, row.id, 'sheet') : undefined),
      ),
      doubled,
      ...(elsewhere.length > 0 && { elsewhere }),
      ...(taken.length > 0 && { taken }),
      missing: ofFields.flatMap(({ kind, key, header }) => (kind === 'missing' && !blank.has(key) ? [header] : [])),
      ...(snapshot.computed && {
        computed: ofFields.flatMap(({ key, header }) => (snapshot.computed!.includes(key) ? [header] : [])),
      }),
    },
    // A column that is about to be created is not lost.
    notices: snapshot.columns.flatMap((column) => (blank.has(column.key) ? [] : columnNotice(column))),
  };
}

/** An unchanged record shares the stored text: most of a hundred thousand records are unchanged. */
function lastHeld({ links }: Base, uuid: string, side: Side): Packed | undefined {
  const link = links.get(uuid);
  return link && lastSeen(link, side);
}

interface Unplaced {
  readonly contacts: readonly ContactRecord[];
  /** Why they were not read; the next run asks for them again. Left out: they were. */
  readonly failure?: string;
}

/**
 * Reads contacts that an earlier run could not give a row: they did not change, and no link has them. Without an answer the
 * run goes on with all others (L14).
 */
async function pullUnplaced(
  context: RunContext,
  facts: Memory['facts'],
  scope: Scope,
  read: readonly ContactRecord[],
): Promise<Unplaced> {
  const known = new Set(read.map(({ uuid }) => uuid));
  const unplaced = context.session.unplaced ?? facts.unplaced ?? [];
  const uuids = unplaced.filter((uuid) => !known.has(uuid));
  if (uuids.length === 0) return { contacts: [] };
  try {
    const found = await context.contacts.get(uuids, scanCall(context));
    for (const contact of found.values()) noteLooked(context, contact);
    const here = [...found.values()].filter((contact) => isInScope(contact, scope));
    return { contacts: here.map((contact) => context.shape.toRecord(contact)) };
  } catch (error) {
    if (!isOfOnePart(error) || error instanceof StoppedError) throw error;
    const what = uuids.length === 1 ? '1 contact that has' : `${uuids.length} contacts that have`;
    const failure = `${what} no row yet could not be read: ${error.message}. The next run asks again`;
    return { contacts: [], failure };
  }
}

/** G5: what was read counts, and nothing is concluded about the rest. */
function isOfOnePart(error: unknown): error is ServiceError {
  const stopsAll = error instanceof AuthenticationError || error instanceof NotFoundError;
  return error instanceof ServiceError && !stopsAll;
}

/** What a run read before it loaded the records of the state. */
export interface Already {
  readonly contacts: ContactsPulled;
  /** Left out: the tab was not read. */
  readonly looked?: Looked;
}

/** Contacts between two lines of progress. */
const toldEach = 1_000;

export type ContactsPulled = Pick<Pulled, 'crm' | 'watermark' | 'isFull' | 'notices' | 'problems' | 'noted'>;

export async function pullContacts(
  context: RunContext,
  { facts, base }: Pick<Memory, 'facts' | 'base'>,
  scope: Scope,
): Promise<ContactsPulled> {
  const { shape, request, config, emit } = context;
  if (scope.isToBeMade) {
    const crm = { contacts: [], coverage: 'whole', isDrifted: false, scope: scope.text } as const;
    return { crm, watermark: undefined, isFull: true, notices: [], problems: [], noted: noneNoted };
  }
  const known = context.session.watermark ?? facts.watermark;
  const since = isFilterNew(config, facts) || request.isFull || isMappingNew({ facts, base }) ? undefined : known;
  const scan = context.contacts.scan({
    list: scope.listUuid,
    keep: (contact) => shape.toRecord(contact, lastHeld(base, contact.uuid, 'crm')),
    signal: request.signal,
    ...(since !== undefined && { since }),
  });
  const contacts: ContactRecord[] = [];
  let failure: string | undefined;
  try {
    for await (const page of scan) {
      const before = contacts.length;
      for (const contact of page) contacts.push(contact);
      if (Math.floor(before / toldEach) < Math.floor(contacts.length / toldEach))
        emit({
          type: 'progress',
          sync: config.name,
          step: 'contacts',
          done: contacts.length,
          ...(since === undefined && base.links.size > contacts.length && { total: base.links.size }),
        });
    }
  } catch (error) {
    if (!isOfOnePart(error) || contacts.length === 0) throw error;
    failure = error.message;
  }
  const isAsked = since !== undefined && failure === undefined;
  const unplaced: Unplaced = isAsked ? await pullUnplaced(context, facts, scope, contacts) : { contacts: [] };
  contacts.push(...unplaced.contacts);
  const report = scan.report();
  const isLimited = failure === undefined && report.lack === 'limit';
  const verdict = judgeScan(report, failure, context.session.noted ?? notedIn(facts));
  return {
    crm: {
      contacts,
      coverage:
        (failure ?? unplaced.failure) !== undefined || isLimited || report.lack === 'unreadable'
          ? 'partial'
          : report.mode === 'full'
            ? 'whole'
            : 'changes',
      isDrifted: !report.whole,
      scope: scope.text,
      ...(config.contacts.filter && { isFiltered: true }),
    },
    // The next full scan meets the same limit. With changes from here on, edits of the contacts behind it still arrive. A
    // requested full scan has not read changes, and must not move the watermark. With the watermark, contacts that were not
    // given a row and not read now would be forgotten.
    watermark:
      unplaced.failure === undefined && (report.whole || (isLimited && (known === undefined || since !== undefined)))
        ? report.cursor
        : undefined,
    isFull: report.mode === 'full',
    ...verdict,
    problems: withUnplaced(verdict.problems, unplaced),
  };
}

/** One problem says all that was not read of the contacts. */
function withUnplaced(problems: readonly Problem[], { failure }: Unplaced): readonly Problem[] {
  if (failure === undefined) return problems;
  return [incomplete('contacts', [...problems.map(({ reason }) => reason), failure].join('. '))];
}
