// I7: a key that is edited in the sheet must not be one that another contact holds, in whatever list, unless that contact
// gives it up in the same plan.
import type { TakenKey } from '../record/base.ts';
import { type Problem, problem, type Question } from '../change.ts';
import type { ContactAnswer } from '../input.ts';
import { orderUpdates } from './handovers.ts';
import { compileSoleKeys } from '../record/keys.ts';
import { type KeyEdit, keyEdit, type TakenField, type Update } from './key-edits.ts';
import type { Mapping } from '../record/mapping.ts';
import type { Reading } from '../value/value.ts';

export interface KeyUpdates {
  /** In an order in which no contact takes a key before the one that holds it has let go. */
  readonly changes: readonly Update[];
  readonly problems: readonly Problem[];
  /** Who has the keys that are taken? */
  readonly questions: readonly Question[];
  /** Whose key is held, and who has it. */
  readonly taken: readonly { readonly uuid: string; readonly field: string; readonly note: TakenKey }[];
}

/** What is known of who has which key. */
export interface KnownKeys {
  /** What every contact of the list holds now, or was last seen to hold; the updated ones among them. */
  readonly valuesByUuid: ReadonlyMap<string, readonly Reading[]>;
  /** False: it was not read in this run. What the service says of its key is later. */
  readonly isRead: (uuid: string) => boolean;
  /** What the service says of the key that a contact takes; undefined: it has not been asked. */
  readonly answerTo: (taken: TakenField) => ContactAnswer | undefined;
  /** For people: `list Prospects`. */
  readonly scope: string;
}

export function withoutCollisions(mapping: Mapping, updates: readonly Update[], known: KnownKeys): KeyUpdates {
  const { valuesByUuid, isRead, answerTo, scope } = known;
  const keys = compileSoleKeys(mapping);
  const uuidsByKey = new Map<string, string[]>();
  for (const [uuid, values] of valuesByUuid) {
    for (const key of keys.of(values)) uuidsByKey.set(key, [...(uuidsByKey.get(key) ?? []), uuid]);
  }
  /**
   * Other contacts. That nobody has the key, the service knows better than what was last seen of those that were not read.
   * Where it answers one of them, others may have it as well.
   */
  const holdersOf = (taken: TakenField): readonly string[] => {
    const inList = uuidsByKey.get(taken.key) ?? [];
    const answer = answerTo(taken);
    const holders =
      answer?.kind === 'gone' ? inList.filter(isRead) : [...inList, ...(isAnswer(answer) ? answeredUuid(answer) : [])];
    return [...new Set(holders)].filter((uuid) => uuid !== taken.uuid).toSorted();
  };
  const isGivenUp = (taken: TakenField, uuid: string) => edits.some((edit) => givesUp(edit, uuid, taken));
  let edits = updates.map((update) => keyEdit(update, mapping, keys, valuesByUuid.get(update.uuid!) ?? []));
  const questions = edits.flatMap((edit) =>
    edit.takes.flatMap((taken) => {
      const isHeldAnyway = holdersOf(taken).some((uuid) => isRead(uuid) && !isGivenUp(taken, uuid));
      return isHeldAnyway || answerTo(taken) !== undefined ? [] : questionOf(taken);
    }),
  );
  const problems: Problem[] = [];
  const taken: KeyUpdates['taken'][number][] = [];
  for (;;) {
    const blocked = edits.flatMap((edit) => edit.takes.filter((each) => isBlocked(each, edit)));
    if (blocked.length === 0) break;
    for (const each of blocked) addHeldKey(each);
    edits = edits.map((edit) => withoutFields(edit, blocked));
  }
  return { changes: orderUpdates(edits).filter(({ fields }) => fields.length > 0), problems, questions, taken };

  function isBlocked(each: TakenField, edit: KeyEdit): boolean {
    const isTakenTwice = edits.some((other) => other !== edit && other.takes.some(({ key }) => key === each.key));
    const isUnanswered = answerTo(each)?.kind === 'unanswered';
    return isUnanswered || isTakenTwice || holdersOf(each).some((uuid) => !isGivenUp(each, uuid));
  }

  function addHeldKey(each: TakenField): void {
    const { uuid, field, value } = each;
    const about = { uuid, field, row: updates.find((update) => update.uuid === uuid)?.row ?? null };
    const header = mapping.fields.find(({ name }) => name === field)?.header ?? field;
    const answer = answerTo(each);
    const holder = holdersOf(each).find((other) => !isGivenUp(each, other));
    if (holder !== undefined) {
      const where = answer?.kind === 'elsewhere' && answer.uuid === holder ? answer.where : `in ${scope}`;
      // Also where the reading alone told: an incremental run, which does not read the holder, then comes to the same (W9).
      if (value !== undefined) taken.push({ uuid, field, note: { value, uuid: holder, where } });
      const reason = `another contact has it, ${holder} ${where}: give one of the two another value`;
      problems.push(problem('held', about, 'I7', `${header}: ${reason}`));
    } else if (answer?.kind === 'unanswered') {
      const reason = `not sent before it is known who has it, is asked again: ${answer.why}`;
      problems.push(problem('failed', about, 'I7', `${header}: ${reason}`));
    } else {
      problems.push(problem('held', about, 'I7', `${header}: another row has it, too: keep it in one of them`));
    }
  }
}

function isAnswer(answer: ContactAnswer | undefined): answer is Exclude<ContactAnswer, { kind: 'unanswered' }> {
  return answer !== undefined && answer.kind !== 'unanswered';
}

/** None or one: the service answers one contact, also where several have the key. */
function answeredUuid(answer: Exclude<ContactAnswer, { kind: 'unanswered' }>): readonly string[] {
  return answer.kind === 'gone' ? [] : [answer.kind === 'here' ? answer.contact.uuid : answer.uuid];
}

function questionOf({ uuid, field, lookup }: TakenField): readonly Question[] {
  if (lookup === undefined) return [];
  const { id, by, value } = lookup;
  return [{ kind: 'key', key: id, by, value, uuid, field }];
}

function givesUp(edit: KeyEdit, uuid: string, { key }: TakenField): boolean {
  return edit.update.uuid === uuid && edit.gives.some((given) => given.key === key);
}

/** A key that is held is neither taken nor, with it, the old one given up. What else the contact is sent goes on (L5). */
function withoutFields(edit: KeyEdit, held: readonly TakenField[]): KeyEdit {
  const names = new Set(held.flatMap(({ uuid, field }) => (uuid === edit.update.uuid ? [field] : [])));
  const isKept = ({ field }: { readonly field: string }) => !names.has(field);
  return {
    update: { ...edit.update, fields: edit.update.fields.filter(isKept) },
    keyFields: edit.keyFields.filter((field) => !names.has(field)),
    takes: edit.takes.filter(isKept),
    gives: edit.gives.filter(isKept),
  };
}
