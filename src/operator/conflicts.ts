// Lists open conflicts, and finds those that a request means.
import { createHash } from 'node:crypto';
import { term } from '../engine/found-by.ts';
import { type OpenConflict, readStanding, type Standing, standingOf } from '../engine/standing.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { SyncState } from '../state/port.ts';
import type { ConflictAnswer, ConflictsPageAnswer } from './answers/conflicts.ts';
import { decisionToAnswer } from './decide.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { type PageQuery, pageOf } from './paging.ts';
import { contactsOf, referenceText, refuseHiddenName } from './records.ts';
import { selectSyncs } from './select.ts';

/** A filter that is left out selects everything. */
export interface ConflictFilter {
  /** Names of syncs; none: all. */
  readonly syncs?: readonly string[];
  /** Name of the mapped field. */
  readonly field?: string | undefined;
  /** uuid, e-mail address, name, or `row:17`. */
  readonly contact?: string | undefined;
}

/** Throws OperatorError if the filter has an unknown name, and StateError. */
export async function readConflicts(operator: Operator, filter: ConflictFilter): Promise<readonly ConflictAnswer[]> {
  return findConflicts(operator, filter, readStanding);
}

async function findConflicts(
  operator: Operator,
  { syncs = [], field, contact }: ConflictFilter,
  read: (state: SyncState) => Promise<Standing>,
): Promise<readonly ConflictAnswer[]> {
  const { config, store } = operator;
  if (contact !== undefined) refuseHiddenName(operator, contact);
  const answers: ConflictAnswer[] = [];
  let isContactKnown = contact === undefined;
  const fields = new Set<string>();
  for (const name of selectSyncs(config, syncs)) {
    const standing = await read(store.sync(name));
    const contacts = contact === undefined ? undefined : contactsOf(standing, contact);
    isContactKnown ||= contacts!.length > 0;
    for (const conflict of standing.conflicts) {
      fields.add(conflict.field);
      if (field !== undefined && conflict.field !== field) continue;
      if (contacts && !contacts.includes(conflict.contact)) continue;
      const request = standing.requests.findLast((each) => each.kind === 'resolve' && each.id === conflict.id);
      const person = standing.personText(conflict.contact);
      const decision = request ? decisionToAnswer(request) : null;
      const answer = conflictToAnswer(name, conflict, person);
      answers.push({ ...answer, decision, digest: digestOfConflict({ ...answer, decision }) });
    }
  }
  if (!isContactKnown) throw new OperatorError('unknown', `no linked contact has ${referenceText(contact!)}`);
  if (field !== undefined && fields.size > 0 && !fields.has(field)) {
    const hint = didYouMean(field, [...fields]) || `; fields in conflict: ${[...fields].join(', ')}`;
    throw new OperatorError('unknown', `no field ${field} is in conflict${hint}`);
  }
  return answers;
}

/**
 * One page: the conflict that is open for the longest time first; of one instant by job, contact and field. Throws like
 * `readConflicts`, and OperatorError if the cursor is not one of this list.
 */
export async function readConflictsPage(
  operator: Operator,
  filter: ConflictFilter,
  page: PageQuery,
): Promise<ConflictsPageAnswer> {
  const all = await findForPage(operator, filter);
  const place = ({ since, sync, contact, field }: ConflictAnswer) => [since, sync, contact, field];
  const { items, next, previous } = pageOf('conflicts', all, place, page);
  return { conflicts: [...items], total: all.length, next, previous };
}

/** One question finds the jobs with a conflict. A contact is named by what its record holds: then all records are read. */
async function findForPage(operator: Operator, filter: ConflictFilter): Promise<readonly ConflictAnswer[]> {
  if (filter.contact !== undefined) return readConflicts(operator, filter);
  const selected = selectSyncs(operator.config, filter.syncs ?? []);
  const syncs = await operator.store.mayHave(selected, { terms: [term.conflict] });
  return syncs.length === 0 ? [] : findConflicts(operator, { ...filter, syncs }, readConflicting);
}

async function readConflicting(state: SyncState): Promise<Standing> {
  return standingOf(await state.loadSome({ terms: [term.conflict] }));
}

function conflictToAnswer(
  sync: string,
  { base, crm, sheet, ...rest }: OpenConflict,
  person: string,
): Omit<ConflictAnswer, 'decision' | 'digest'> {
  const named = person === rest.contact ? null : person;
  return { sync, ...rest, person: named, base: base ?? null, crm: crm ?? null, sheet: sheet ?? null };
}

/** Two conflicts with the same digest showed the person the same values and the same decision. */
function digestOfConflict(conflict: Omit<ConflictAnswer, 'digest'>): string {
  const { sync, id, base, crm, sheet, decision } = conflict;
  const decided = decision && [decision.by, decision.at, decision.text];
  return createHash('sha256')
    .update(JSON.stringify([sync, id, base, crm, sheet, decided]))
    .digest('hex')
    .slice(0, 32);
}
