// Finds the records that a person means: by uuid, e-mail address, name, row or cell, from the state alone.
import { jobsIn, type JobConfig } from '../../config/jobs.ts';
import { emailTerm, nameTerm, searchWords } from '../../engine/found-by.ts';
import { type Standing, standingOf } from '../../engine/standing.ts';
import { normalText } from '../../sync/value/same.ts';
import type { LoadedState, SomeState, SyncState, Wanted } from '../../state/port.ts';
import { OperatorError } from '../errors.ts';
import type { Operator } from '../operator.ts';
import { feedNamesOf } from '../persons.ts';
import { addressIn, contactsOf, isUuid, referenceText, rowNumber, refuseHiddenName } from '../records.ts';
import { cellIn, fieldOfColumn, type NamedCell } from './cells.ts';

/** A record of one job. */
export interface Meant {
  readonly job: JobConfig;
  readonly loaded: LoadedState;
  readonly standing: Standing;
  /** uuid of the contact or record, or the ID of an outbox row; null: a row without one. */
  readonly id: string | null;
  readonly row: number | null;
  readonly name: string;
  /** The field of the column, if a cell was named. */
  readonly field?: string;
}

interface Reference {
  readonly text: string;
  readonly cell: NamedCell | undefined;
  readonly row: number | undefined;
}

/** `only`: the name of one job. Throws OperatorError if nothing has this name. */
export async function findMeant(operator: Operator, text: string, only?: string): Promise<readonly Meant[]> {
  refuseHiddenName(operator, text);
  const reference: Reference = { text: addressIn(normalText(text)), cell: cellIn(text), row: rowNumber(text) };
  const jobs = jobsIn(operator.config).filter((job) => isAsked(job, reference, only));
  if (jobs.length === 0) throw noSuchTab(operator, reference);
  const found: Meant[] = [];
  for (const job of await thoseThatMayHave(operator, jobs, reference)) {
    found.push(...(await withFeedName(operator, await findInJob(operator, job, reference))));
  }
  return found;
}

/** A name that the history has of a record of a feed: "Welcome sequence" instead of "a record of the service". */
async function withFeedName(operator: Operator, found: readonly Meant[]): Promise<readonly Meant[]> {
  const [{ job } = {}] = found;
  if (job?.kind !== 'feed') return found;
  const ids = found.flatMap(({ id }) => id ?? []);
  const names = await feedNamesOf(operator, job.name, ids);
  return found.map((each) => ({ ...each, name: names.get(each.id ?? '') ?? each.name }));
}

/**
 * One query for all jobs of a kind, instead of one a job. A text that is no uuid is looked for among the terms of contacts, and
 * among the keys of other records: looking for a key in each of 500 jobs takes longer than the rest.
 */
async function thoseThatMayHave(
  { store }: Operator,
  jobs: readonly JobConfig[],
  { text, cell, row }: Reference,
): Promise<readonly JobConfig[]> {
  if (cell !== undefined || row !== undefined || jobs.length < 2) return jobs;
  const namesOf = (those: readonly JobConfig[]) => those.map(({ name }) => name);
  const ask = async (those: readonly JobConfig[], wanted: Pick<Wanted, 'keys' | 'terms'>) =>
    those.length === 0 ? [] : store.mayHave(namesOf(those), wanted);
  const { contacts = [], others = [] } = Object.groupBy(jobs, ({ kind }) => (kind === 'sync' ? 'contacts' : 'others'));
  const found = isUuid(text)
    ? await ask(jobs, { keys: [text.toLowerCase()] })
    : [
        ...(await ask(contacts, { terms: [text.includes('@') ? emailTerm(text) : nameTerm(text)] })),
        ...(await ask(others, { keys: [...new Set([text, text.toLowerCase()])] })),
      ];
  const may = new Set(found);
  return jobs.filter(({ name }) => may.has(name));
}

function isAsked({ name, config }: JobConfig, { cell }: Reference, only: string | undefined): boolean {
  if (only !== undefined && name !== only) return false;
  if (cell?.tab === undefined) return true;
  const wanted = normalText(cell.tab).toLowerCase();
  return [name, config.sheet.tab].some((each) => normalText(each).toLowerCase() === wanted);
}

function noSuchTab({ config }: Operator, { cell }: Reference): OperatorError {
  const tabs = jobsIn(config).map((job) => job.config.sheet.tab);
  return new OperatorError(
    'unknown',
    `there is no tab ${cell?.tab ?? ''} here; there are ${[...new Set(tabs)].join(', ')}`,
  );
}

async function findInJob({ store }: Operator, job: JobConfig, reference: Reference): Promise<readonly Meant[]> {
  const state = store.sync(job.name);
  const idByRow = (await state.readRows()) ?? new Map<number, string>();
  const number = reference.cell?.row ?? reference.row;
  if (number === undefined) return findByName(state, job, reference.text, idByRow);
  const id = idByRow.get(number);
  const { loaded, standing } = await look(state, { keys: id === undefined ? [] : [id] });
  const field = reference.cell && fieldOfColumn(job, loaded, reference.cell);
  if (isOfNoContact(job, standing, number, id)) {
    const meant = toMeant(job, { loaded, standing }, job.kind === 'outbox' ? `row:${number}` : null, number, field);
    // It may be the row of a contact, which it says of itself (I2).
    return [job.kind === 'outbox' ? meant : { ...meant, name: `row ${number}, which is set aside` }];
  }
  const problem = standing.lastRun?.problems.find(({ row }) => row === number);
  if (id === undefined && !problem) return [];
  const known = id ?? problem?.uuid ?? (job.kind === 'outbox' ? problem?.id : undefined) ?? null;
  const seen = id === undefined && known !== null ? await look(state, { keys: [known] }) : { loaded, standing };
  return [toMeant(job, seen, known, number, field)];
}

/**
 * I4, I5, P2: what the ID cell of the row names is not its contact, record or message: the row is a copy, or its ID is
 * nobody's. The problem of such a row has no uuid. Of a new row that got its ID in the same run, only what sets the row
 * aside counts.
 */
function isOfNoContact({ kind }: JobConfig, { lastRun, links }: Standing, number: number, id?: string): boolean {
  if (id === undefined) return false;
  const ofRow = lastRun?.problems.filter(({ row, uuid }) => row === number && uuid === null) ?? [];
  // Problems of messages have the ID of the message, and never a uuid.
  const own = kind === 'outbox' ? ofRow.filter((problem) => problem.id === `row:${number}`) : ofRow;
  return own.some((problem) => problem.kind === 'quarantined' || (kind === 'sync' && !links.has(id)));
}

async function findByName(
  state: SyncState,
  job: JobConfig,
  text: string,
  idByRow: ReadonlyMap<number, string>,
): Promise<readonly Meant[]> {
  const find = (seen: Seen) => {
    const ids = idsIn(job, seen.standing, text);
    if (ids.length === 0) return [];
    return ids.map((id) => toMeant(job, seen, id, rowOf(job, seen.standing, idByRow, id)));
  };
  if (isUuid(text)) return find(await look(state, { keys: [text.toLowerCase()] }));
  const seen = await look(state, wantedOf(job, text));
  const found = find(seen);
  if (found.length > 0 || seen.isExact) return found;
  const loaded = await state.load();
  return find({ loaded, standing: standingOf(loaded) });
}

function rowOf(job: JobConfig, standing: Standing, idByRow: ReadonlyMap<number, string>, id: string): number | null {
  const last = rowByIdOf(idByRow).get(id);
  const row =
    last !== undefined && isOfNoContact(job, standing, last, id)
      ? [...idByRow].find(([number, of]) => of === id && !isOfNoContact(job, standing, number, id))?.[0]
      : last;
  return row ?? rowInProblems(standing, id);
}

const rowByIdKnown = new WeakMap<ReadonlyMap<number, string>, ReadonlyMap<string, number>>();

/** A store gives the same rows as long as no run noted others, and a tab may have a hundred thousand. */
function rowByIdOf(idByRow: ReadonlyMap<number, string>): ReadonlyMap<string, number> {
  const known = rowByIdKnown.get(idByRow) ?? new Map([...idByRow].map(([row, id]) => [id, row]));
  rowByIdKnown.set(idByRow, known);
  return known;
}

/** An outbox is asked by the ID of a row, which may be any text. */
function wantedOf({ kind }: JobConfig, text: string): Wanted {
  if (kind !== 'sync') return { keys: [text, text.toLowerCase()] };
  return { terms: [text.includes('@') ? emailTerm(text) : nameTerm(text)], words: searchWords(text) };
}

type Seen = Pick<Meant, 'loaded' | 'standing'>;

async function look(state: SyncState, wanted: Wanted): Promise<Seen & Pick<SomeState, 'isExact'>> {
  const loaded = await state.loadSome(wanted);
  return { loaded, standing: standingOf(loaded), isExact: loaded.isExact };
}

function toMeant(job: JobConfig, seen: Seen, id: string | null, row: number | null, field?: string): Meant {
  const name = nameOf(job, seen.standing, id, row);
  return { job, ...seen, id, row, name, ...(field !== undefined && { field }) };
}

function idsIn({ kind }: JobConfig, standing: Standing, text: string): readonly string[] {
  if (kind === 'sync') return contactsOf(standing, text);
  const id = isUuid(text) ? text.toLowerCase() : text;
  if (kind === 'feed') return standing.feedLinks.has(id) ? [id] : [];
  return [id, text].filter((each, index, all) => standing.messages.has(each) && all.indexOf(each) === index);
}

function rowInProblems({ lastRun }: Standing, id: string): number | null {
  return (
    lastRun?.problems.find((problem) => problem.row !== null && (problem.uuid === id || problem.id === id))?.row ?? null
  );
}

function nameOf(
  { kind }: JobConfig,
  { personText, messages }: Standing,
  id: string | null,
  row: number | null,
): string {
  if (id === null) return `row ${row ?? '?'}, which has no contact yet`;
  if (kind === 'outbox') return messages.get(id)?.name ?? 'a message';
  return kind === 'feed' ? 'a record of the service' : personText(id);
}

/** The error for a reference that no job knows. */
export function nothingFound({ config }: Operator, text: string): OperatorError {
  const number = cellIn(text)?.row ?? rowNumber(text);
  if (number !== undefined) {
    return new OperatorError(
      'nothing',
      `no run has seen a contact in row ${number}: name it by its e-mail address or uuid, or let a run read the tab: leadsheet sync`,
    );
  }
  const more = isUuid(text) ? ', nor does the history' : '; a contact that was deleted is known by its uuid alone';
  const jobs = jobsIn(config).length === 1 ? '' : ' of any job';
  const isName = !isUuid(text) && !text.includes('@');
  const advice = isName
    ? '. A name counts as a whole: write first and last name, or the e-mail address, or row:17'
    : '';
  return new OperatorError('nothing', `no linked contact${jobs} has ${referenceText(text)}${more}${advice}`);
}
