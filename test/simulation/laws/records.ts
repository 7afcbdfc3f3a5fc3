// Helpers of the laws: which record is where, which is named, and when two values are equal.
import { normalOf } from '../people/token.ts';
import { type FieldName, policyOf, segment } from '../world/setting.ts';
import { contactValue, type RowView } from '../world/view.ts';
import type { Problem } from '../../../src/sync/change.ts';
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import type { Evidence, Write } from '../oracle/evidence.ts';

export interface Pair {
  readonly person: string;
  readonly contact: ContactRecord;
  readonly row: RowView;
}

/** The part of the evidence that shows both sides, at any moment. */
export interface Sight extends Pick<Evidence, 'setting' | 'mapped' | 'ownerOf' | 'log'> {
  readonly quiet: Pick<Evidence['quiet'], 'contacts' | 'rows' | 'isInScope' | 'report' | 'problems' | 'isHeld'>;
}

/** Contacts in scope with the rows that have their ID; of several rows, the one that is not set aside as a copy (I4). */
export function linkedPairs({ quiet, ownerOf }: Sight): readonly Pair[] {
  if (quiet.isHeld) return [];
  const copies = new Set(
    quiet.problems.flatMap(({ row, kind, rule }) => (kind === 'quarantined' && rule === 'I4' ? [row] : [])),
  );
  const copiesFirst = quiet.rows.toSorted((a, b) => Number(copies.has(b.number)) - Number(copies.has(a.number)));
  const rowById = new Map(copiesFirst.map((row) => [row.id, row]));
  return quiet.contacts.flatMap((contact) => {
    const row = rowById.get(contact.uuid);
    const person = ownerOf(contact.uuid);
    const isHere = quiet.isInScope(contact);
    return row && person !== undefined && isHere ? [{ person, contact, row }] : [];
  });
}

/** Fields that differ between the sides and should not. */
export function differences(sight: Sight, { person, contact, row }: Pair): readonly FieldName[] {
  const { setting, mapped } = sight;
  return [...mapped].filter((field) => {
    const { direction, blank } = policyOf(setting, field);
    const [a, b] = [contactValue(contact, field), row.value(field)];
    // M3, M4: a to_sheet column does not show an emptied contact field if blanks are ignored.
    const isLeftBlank = direction === 'to_sheet' && blank === 'ignore' && a === '';
    if (field === segment) return mayArrive(sight, person, b) && normalOf(field, a) !== normalOf(field, b);
    return direction !== 'to_crm' && !isLeftBlank && normalOf(field, a) !== normalOf(field, b);
  });
}

/**
 * M4: nobody edits the custom field in the service, so that it holds what the cell does. A row that was appended again has no
 * such cell, and then blank is not an edit: only a cell that a person emptied is.
 */
function mayArrive({ setting, log }: Sight, person: string, text: string): boolean {
  const { customFields, customFieldNames } = setting.switches;
  if (customFields === 'ignored' || customFieldNames) return false;
  if (text !== '') return true;
  const typed = log.typed.findLast((each) => each.side === 'sheet' && each.person === person && each.field === segment);
  // Without a base nobody knows what was sent (M9): the state is another one, or a run could not save it.
  const isForgotten = log.story.some((line) => / the state is |the mapping| killed$|the disk is full/.test(line));
  const { tangles, deletedIn } = log.people.get(person)!;
  const isPlain = tangles.size === 0 && deletedIn.size === 0;
  return typed?.text === '' && policyOf(setting, segment).blank === 'sync' && isPlain && !isForgotten;
}

/** Why the last run left a field of a record, or the whole record, as it is. */
export function namedReason(sight: Sight, pair: Pair, field?: FieldName): string | undefined {
  const found = namedBy(sight, pair, field)[0];
  return found && `${found.kind} (${found.rule}): ${found.reason}`;
}

/** The problems that name the field of a record, or the whole record. */
export function namedBy({ quiet }: Sight, { contact, row }: Pair, field?: FieldName): readonly Problem[] {
  return quiet.problems.filter(
    (problem) =>
      (problem.uuid === contact.uuid || problem.row === row.number) &&
      (problem.field === null || problem.field === field),
  );
}

/** How one field of one person got its value. */
export function storyOf({ log }: Pick<Evidence, 'log'>, person: string | undefined, field?: FieldName): string {
  const lines = log.story.filter(
    (line) =>
      person !== undefined && new RegExp(`\\b${person}\\b`).test(line) && (field === undefined || line.includes(field)),
  );
  return lines
    .slice(-6)
    .map((line) => `\n      ${line.trim()}`)
    .join('');
}

/** A person decided, and the decision counts. */
export function hasDecided({ log }: Pick<Evidence, 'log'>, what: 'resolve' | 'retry'): boolean {
  return log.story.some((line) => line.includes(`"kind":"${what}"`));
}

/**
 * The other side still has the agreed value of the last good run: only this side was edited. Policies are for conflicts and
 * do not apply. Judged only for people whose records were never mixed up.
 */
export function isOneSided({ log, isStateTampered, setting }: Evidence, { person, isOtherUnchanged }: Write): boolean {
  const { deletedIn, tangles } = (person !== undefined && log.people.get(person)) || {};
  const isPlain = tangles?.size === 0 && deletedIn?.size === 0;
  // A search that lags shows the earlier value.
  return isOtherUnchanged && isPlain && !isStateTampered && setting.switches.searchLagMs === undefined;
}

/**
 * W1: a person changed keys in the service during the run, or deleted one of two contacts with one key, and the identifier became
 * another contact's between the lookup and the upsert of the custom field. The history names that contact. The service has no compare-and-swap.
 */
export function wentElsewhere({ history, runs, log }: Evidence, { side, pid, seq, uuid, field }: Write): boolean {
  if (side !== 'crm' || field !== segment) return false;
  const said = `took custom fields for another contact, ${uuid}`;
  const isTold = history.some(({ message }) => typeof message === 'string' && message.includes(said));
  const began = runs.findLast((run) => run.pid === pid && run.seq < seq)?.seq ?? 0;
  const isKey = (each: FieldName) => each === 'email' || each === 'network_id';
  const keysTyped = log.typed.flatMap((typed) => (typed.side === 'crm' && isKey(typed.field) ? [typed.seq] : []));
  return isTold && [...keysTyped, ...log.contactDeletions].some((at) => began < at && at < seq);
}

/**
 * W4: an earlier write of the same value had no answer, on either side. If it arrived, both sides agreed on it, and no run
 * knows that: what a person types after it is one of two edits, and the policy settles them.
 */
export function wasSentInDoubt(evidence: Evidence, write: Write): boolean {
  return sentInDoubt(evidence, write).some((sent) => sent === normalOf(write.field, write.after));
}

/** W4: what was sent to the contact in this field, with an unknown outcome. */
export function sentInDoubt({ history }: Evidence, { uuid, field }: Pick<Write, 'uuid' | 'field'>): readonly string[] {
  return history.flatMap((line) =>
    line.contact === uuid && line.field === field && line.outcome === 'unknown' ? [normal(field, line.after)] : [],
  );
}

/** The normal form of a value of the history. */
export function normal(field: unknown, value: unknown): string {
  return normalOf(field as never, typeof value === 'string' ? value : '');
}

export function isWinning(evidence: Evidence, field: FieldName): boolean {
  const { conflict } = policyOf(evidence.setting, field);
  return conflict === 'crm' || conflict === 'sheet';
}

/**
 * People gave this person's row another person's key, and removed the IDs, or the row whose key another row has now. Then
 * the key identifies the row (I5).
 */
export function isMistakable(
  { log, isStateTampered, removals }: Pick<Evidence, 'log' | 'isStateTampered' | 'removals'>,
  person: string | undefined,
): boolean {
  const known = person === undefined ? undefined : log.people.get(person);
  if (!known?.tangles.has('key')) return false;
  const others = ['ID', 'put back', 'recreated', 'second row', 'duplicate'];
  const isTangled = known.deletedIn.has('sheet') || others.some((each) => known.tangles.has(each));
  const isUndone = removals.some((each) => each.isUndo && each.side === 'crm' && each.person === person);
  return isStateTampered || isTangled || ((known.deletedIn.has('crm') || isUndone) && isKeyOfAnother(log, person));
}

/** I10: the contact was deleted, also by an undo, and its row shows a key that another person had at some time. */
function isKeyOfAnother({ typed }: Evidence['log'], person: string | undefined): boolean {
  const keys = typed.filter(({ field }) => field === 'email' || field === 'network_id');
  return keys.some(
    (own) =>
      own.person === person &&
      keys.some(
        (each) =>
          each.person !== person &&
          each.field === own.field &&
          normalOf(own.field, each.text) === normalOf(own.field, own.text),
      ),
  );
}

/** The form in which the service stores a value. */
export function isServiceForm({ held, setting }: Evidence, { person, field, after }: Write): boolean {
  const { normalises = [] } = setting.switches;
  return [...held('sheet', person!, field)].some((text) => {
    const trimmed = normalises.includes('trim') ? text.trim() : text;
    const lower = field === 'email' && normalises.includes('email_case') ? trimmed.toLowerCase() : trimmed;
    const loud = field === 'company_name' && setting.isShouting ? lower.toUpperCase() : lower;
    return loud === after || (field === 'network_id' && text.includes(after));
  });
}
