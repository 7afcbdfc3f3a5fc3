// Lists open conflicts, and finds those that a request means.
import { createHash } from 'node:crypto';
import { term } from '../engine/found-by.ts';
import { type OpenConflict, readStanding, type Standing, standingOf } from '../engine/standing.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { ConflictAnswer, ConflictsPageAnswer } from './answers/conflicts.ts';
import { decisionToAnswer } from './decide.ts';
import { OperatorError } from './errors.ts';
import { mappedColumns } from './log-filter.ts';
import type { Operator } from './operator.ts';
import { type PageQuery, pageOf } from './paging.ts';
import { contactsOf, noContactText, readMeant, refuseHiddenName, rowNumber, wantedOf } from './records.ts';
import { selectSyncs } from './select.ts';

/** A filter that is left out selects everything. */
export interface ConflictFilter {
  /** Names of syncs; none: all. */
  readonly syncs?: readonly string[];
  /** Name of the mapped field, or the header of its column, in any case. */
  readonly field?: string | undefined;
  /** uuid, e-mail address, name, or `row:17`. */
  readonly contact?: string | undefined;
}

/** Reads open conflicts from the whole state of each job, for a decision. Throws OperatorError if the filter has an unknown name, and StateError. */
export async function readConflicts(operator: Operator, filter: ConflictFilter): Promise<readonly ConflictAnswer[]> {
  const names = selectSyncs(operator.config, filter.syncs ?? []);
  return findConflicts(operator, { ...filter, names }, (name) => readStanding(operator.store.sync(name)));
}

/** Reads open conflicts for a page or a list: it may answer from what the store derives. Throws as `readConflicts`. */
export async function lookAtConflicts(operator: Operator, filter: ConflictFilter): Promise<readonly ConflictAnswer[]> {
  const { contact, field } = filter;
  const selected = selectSyncs(operator.config, filter.syncs ?? []);
  // Each conflict of a job names its field.
  const terms = contact === undefined || field !== undefined ? [term.conflict] : [];
  const names = await thoseThatMayHave(operator, selected, contact, terms);
  return findConflicts(operator, { ...filter, names }, async (name) => {
    const state = operator.store.sync(name);
    return contact === undefined ? standingOf(await state.loadSome({ terms })) : readMeant(state, contact, terms);
  });
}

async function findConflicts(
  operator: Operator,
  { names, field, contact }: Omit<ConflictFilter, 'syncs'> & { readonly names: readonly string[] },
  read: (name: string) => Promise<Standing>,
): Promise<readonly ConflictAnswer[]> {
  if (contact !== undefined) refuseHiddenName(operator, contact);
  const answers: ConflictAnswer[] = [];
  let isContactKnown = contact === undefined;
  let isFieldOpen = false;
  const fields = new Set<string>();
  for (const name of names) {
    const standing = await read(name);
    const contacts = contact === undefined ? undefined : contactsOf(standing, contact);
    const meant = field === undefined ? undefined : fieldsNamed(operator, name, field);
    isContactKnown ||= contacts!.length > 0;
    for (const conflict of standing.conflicts) {
      fields.add(conflict.field);
      if (meant && !meant.has(conflict.field)) continue;
      isFieldOpen ||= meant !== undefined;
      if (contacts && !contacts.includes(conflict.contact)) continue;
      const request = standing.requests.findLast((each) => each.kind === 'resolve' && each.id === conflict.id);
      const person = standing.personText(conflict.contact);
      const decision = request ? decisionToAnswer(request) : null;
      const answer = conflictToAnswer(name, conflict, person);
      answers.push({ ...answer, decision, digest: digestOfConflict({ ...answer, decision }) });
    }
  }
  if (!isContactKnown) throw new OperatorError('unknown', noContactText(contact!));
  if (field !== undefined && fields.size > 0 && !isFieldOpen) {
    const hint = didYouMean(field, [...fields]) || `; fields in conflict: ${[...fields].join(', ')}`;
    throw new OperatorError('unknown', `no field ${field} is in conflict${hint}`);
  }
  return answers;
}

/**
 * One page of conflicts. The conflict that is open for the longest time comes first; those of one instant are sorted by job, contact and field. Throws like
 * `readConflicts`, and OperatorError if the cursor is not one of this list.
 */
export async function readConflictsPage(
  operator: Operator,
  filter: ConflictFilter,
  page: PageQuery,
): Promise<ConflictsPageAnswer> {
  const all = await lookAtConflicts(operator, filter);
  const place = ({ since, sync, contact, field }: ConflictAnswer) => [since, sync, contact, field];
  const { items, next, previous } = pageOf('conflicts', all, place, page);
  return { conflicts: [...items], total: all.length, next, previous };
}

/** One query finds the jobs with a conflict or with the contact. Only the last run of each job knows a row. */
async function thoseThatMayHave(
  { store }: Operator,
  syncs: readonly string[],
  contact: string | undefined,
  terms: readonly string[],
): Promise<readonly string[]> {
  if (syncs.length < 2 || (contact !== undefined && rowNumber(contact) !== undefined)) return syncs;
  const { keys, terms: ofContact = [] } = contact === undefined ? {} : wantedOf(contact);
  return store.mayHave(syncs, { ...(keys && { keys }), terms: [...ofContact, ...terms] });
}

/** A field that was given by its name is none that has this name as its header. A conflict outlives the mapping of its field. */
function fieldsNamed({ config }: Operator, job: string, given: string): ReadonlySet<string> {
  const plain = (text: string) => text.trim().toLowerCase();
  const columns = mappedColumns(config).filter((column) => column.job === job);
  if (columns.some(({ key }) => key === given)) return new Set([given]);
  const meant = columns.filter(({ key, header }) => [key, header].some((name) => plain(name) === plain(given)));
  return new Set([given, ...meant.map(({ key }) => key)]);
}

function conflictToAnswer(
  sync: string,
  { base, crm, sheet, ...rest }: OpenConflict,
  person: string,
): Omit<ConflictAnswer, 'decision' | 'digest'> {
  const named = person === rest.contact ? null : person;
  return {
    sync,
    ...rest,
    person: named,
    base: base ?? null,
    is_base_known: base !== undefined,
    crm: crm ?? null,
    sheet: sheet ?? null,
  };
}

/** Two conflicts with the same digest showed the person the same values and the same decision. */
function digestOfConflict(conflict: Omit<ConflictAnswer, 'digest'>): string {
  const { sync, id, base, is_base_known: isBaseKnown, crm, sheet, decision } = conflict;
  const decided = decision && [decision.by, decision.at, decision.text];
  return createHash('sha256')
    .update(JSON.stringify([sync, id, base, isBaseKnown, crm, sheet, decided]))
    .digest('hex')
    .slice(0, 32);
}
