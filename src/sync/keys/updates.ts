// The updates of a plan, in an order in which each key is free before it is taken (I7).
import { type Change, compareRecords } from '../change.ts';
import type { ContactAnswer, PlanInput } from '../input.ts';
import { type Base, lastSeen, type Link } from '../record/base.ts';
import { soleKeyNames } from '../record/keys.ts';
import { isSameLink } from '../record/link.ts';
import { type ContactRecord, unpack } from '../record/record.ts';
import type { Reading } from '../value/value.ts';
import { withoutCollisions, type KeyUpdates } from './collisions.ts';
import type { TakenField } from './key-edits.ts';

/** I7: who holds which key is worked out only for plans that edit a key. */
export function planUpdates(
  input: PlanInput,
  contactByUuid: ReadonlyMap<string, ContactRecord>,
  changes: readonly Change[],
): Omit<KeyUpdates, 'changes'> & { readonly changes: readonly Change[] } {
  const updates = changes.filter((change) => change.op === 'update').toSorted(compareRecords);
  const keyNames = new Set(soleKeyNames(input.mapping));
  const isKeyEdit = updates.some(({ fields }) => fields.some(({ field }) => keyNames.has(field)));
  if (!isKeyEdit) return { changes: updates, problems: [], questions: [], taken: [] };
  const { base, crm, answers, requests } = input;
  const valuesByUuid = new Map<string, readonly Reading[]>();
  for (const [uuid, link] of base.links) {
    if (link.standing !== 'contact-gone') valuesByUuid.set(uuid, unpack(lastSeen(link, 'crm')));
  }
  for (const { uuid, values } of contactByUuid.values()) valuesByUuid.set(uuid, unpack(values));
  const earlierAnswerTo = ({ uuid, field, value }: TakenField) => {
    const before = base.links.get(uuid)?.notes?.[field]?.taken;
    if (before === undefined || before.value !== value) return undefined;
    return { kind: 'elsewhere', uuid: before.uuid, where: before.where } as const;
  };
  const answerTo = (taken: TakenField): ContactAnswer | undefined => {
    const answer = taken.lookup && answers.keys?.get(taken.lookup.id);
    if (answer !== undefined) return answer;
    const before = earlierAnswerTo(taken);
    const isAskedAgain = crm.coverage === 'whole' || requests.retry.size > 0;
    return !before || isAskedAgain || contactByUuid.has(before.uuid) ? undefined : before;
  };
  const isRead = (uuid: string) => contactByUuid.has(uuid);
  return withoutCollisions(input.mapping, updates, {
    valuesByUuid,
    isRead,
    answerTo,
    earlierAnswerTo,
    scope: crm.scope,
  });
}

/** Stores with each held field which contact has the key. */
export function rememberTaken(
  links: ReadonlyMap<string, Link | null>,
  base: Base,
  taken: KeyUpdates['taken'],
): ReadonlyMap<string, Link | null> {
  if (taken.length === 0) return links;
  const result = new Map(links);
  for (const { uuid, field, note } of taken) {
    const link = result.get(uuid) ?? base.links.get(uuid);
    if (!link) continue;
    const noted = { ...link, notes: { ...link.notes, [field]: { ...link.notes?.[field], taken: note } } };
    if (isSameLink(noted, base.links.get(uuid))) result.delete(uuid);
    else result.set(uuid, noted);
  }
  return result;
}
