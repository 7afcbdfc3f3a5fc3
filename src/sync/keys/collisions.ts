// I7: an edited key is not sent if another contact holds it, in any list, unless that contact gives it up in the same
// plan.
import type { TakenKey } from '../record/base.ts';
import { type Problem, problem, type Question } from '../change.ts';
import type { ContactAnswer } from '../input.ts';
import { orderUpdates } from './handovers.ts';
import { compileSoleKeys } from '../record/keys.ts';
import { type KeyEdit, keyEdit, type TakenField, type Update } from './key-edits.ts';
import type { Mapping } from '../record/mapping.ts';
import type { Reading } from '../value/value.ts';

export interface KeyUpdates {
  /** In an order in which each key is free before it is taken. */
  readonly changes: readonly Update[];
  readonly problems: readonly Problem[];
  /** Which contacts hold the keys that are taken? */
  readonly questions: readonly Question[];
  /** The keys that are held, and the contact that holds each. */
  readonly taken: readonly { readonly uuid: string; readonly field: string; readonly note: TakenKey }[];
}

/** The known holders of keys. */
export interface KnownKeys {
  /** The values of each contact of the list, now or when last seen. Updated contacts are among them. */
  readonly valuesByUuid: ReadonlyMap<string, readonly Reading[]>;
  /** False: the contact was not read in this run. What the service says of its key is newer. */
  readonly isRead: (uuid: string) => boolean;
  /** The answer of the service about the key that a contact takes; undefined: it was not asked. */
  readonly answerTo: (taken: TakenField) => ContactAnswer | undefined;
  /** What it answered before about the same key; undefined: it was not asked, or said that no contact has it. */
  readonly earlierAnswerTo: (taken: TakenField) => ContactAnswer | undefined;
  /** For people: `list Prospects`. */
  readonly scope: string;
}

export function withoutCollisions(mapping: Mapping, updates: readonly Update[], known: KnownKeys): KeyUpdates {
  const { valuesByUuid, isRead, answerTo, earlierAnswerTo, scope } = known;
  const keys = compileSoleKeys(mapping);
  const uuidsByKey = new Map<string, string[]>();
  for (const [uuid, values] of valuesByUuid) {
    for (const key of keys.of(values)) uuidsByKey.set(key, [...(uuidsByKey.get(key) ?? []), uuid]);
  }
  /**
   * Other contacts that hold the key, first the one that the service answered, now or before, then those that were read in this run. A
   * reading of changes shows some of them, and names no other one than the run before (L6). If the service says that no contact has the
   * key, this is newer than what was last seen of contacts that were not read. If it answers one, others may have the key too.
   */
  const holdersOf = (taken: TakenField, answer: ContactAnswer | undefined): readonly string[] => {
    const inList = (uuidsByKey.get(taken.key) ?? []).toSorted();
    const answered = isAnswer(answer) ? answeredUuid(answer) : [];
    const lastSeen = answer?.kind === 'gone' ? [] : inList;
    return [...new Set([...answered, ...inList.filter(isRead), ...lastSeen])].filter((uuid) => uuid !== taken.uuid);
  };
  const isGivenUp = (taken: TakenField, uuid: string) => edits.some((edit) => givesUp(edit, uuid, taken));
  let edits = updates.map((update) => keyEdit(update, mapping, keys, valuesByUuid.get(update.uuid!) ?? []));
  const asked = new Map(
    edits.flatMap(({ takes }) =>
      takes.flatMap((each) => {
        const answer = answerTo(each);
        const isHeldAnyway = holdersOf(each, answer).some((uuid) => isRead(uuid) && !isGivenUp(each, uuid));
        return isHeldAnyway || answer !== undefined
          ? []
          : questionOf(each).map((question) => [each, question] as const);
      }),
    ),
  );
  const problems: Problem[] = [];
  const taken: KeyUpdates['taken'][number][] = [];
  for (;;) {
    const blocked = edits.flatMap((edit) => edit.takes.filter((each) => isBlocked(each, edit)));
    if (blocked.length === 0) break;
    for (const each of blocked) addHeldKey(each);
    edits = edits.map((edit) => withoutFields(edit, blocked));
  }
  const changes = orderUpdates(edits).filter(({ fields }) => fields.length > 0);
  return { changes, problems, questions: [...asked.values()], taken };

  /** G2: a key that was held counts as held until the service answers otherwise: a held plan does not ask for all of them. */
  function lastAnswerTo(each: TakenField): ContactAnswer | undefined {
    return asked.has(each) ? earlierAnswerTo(each) : answerTo(each);
  }

  function isBlocked(each: TakenField, edit: KeyEdit): boolean {
    const answer = lastAnswerTo(each);
    const isTakenTwice = edits.some((other) => other !== edit && other.takes.some(({ key }) => key === each.key));
    return (
      answer?.kind === 'unanswered' || isTakenTwice || holdersOf(each, answer).some((uuid) => !isGivenUp(each, uuid))
    );
  }

  function addHeldKey(each: TakenField): void {
    const { uuid, field, value } = each;
    const about = { uuid, field, row: updates.find((update) => update.uuid === uuid)?.row ?? null };
    const header = mapping.fields.find(({ name }) => name === field)?.header ?? field;
    const answer = lastAnswerTo(each);
    const holder = holdersOf(each, answer).find((other) => !isGivenUp(each, other));
    if (holder !== undefined) {
      const where = answer?.kind === 'elsewhere' && answer.uuid === holder ? answer.where : `in ${scope}`;
      // Stored also if the reading alone showed it: an incremental run, which does not read the holder, then decides the
      // same (W9).
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

/** None or one: the service answers one contact, even if several have the key. */
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

/** If a key is held, the old key is not given up either. The other fields of the contact are sent (L5). */
function withoutFields(edit: KeyEdit, held: readonly TakenField[]): KeyEdit {
  const names = new Set(held.flatMap(({ uuid, field }) => (uuid === edit.update.uuid ? [field] : [])));
  const isKept = ({ field }: { readonly field: string }) => !names.has(field);
  return {
    update: { ...edit.update, fields: edit.update.fields.filter(isKept) },
    takes: edit.takes.filter(isKept),
    gives: edit.gives.filter(isKept),
  };
}
