// Decides which value both sides agreed on last, after a write of unknown outcome and a later edit of the same field (W4).
import { type FieldNote, lastSeen, type Link } from './base.ts';
import type { Field } from './mapping.ts';
import type { RuleId } from '../rules.ts';
import { pack, unpack } from './record.ts';
import { isSame } from '../value/kinds.ts';
import { otherSide, type Reading, type Side, type Value } from '../value/value.ts';

/** One field that was sent to a side. */
export interface SentField {
  readonly side: Side;
  readonly field: string;
  /** What the side held; undefined: not known. */
  readonly before?: Reading;
  readonly after: Value;
}

/** Rules by which a side gets what the other side holds. A key that is passed on is something else. */
const mergedRules: ReadonlySet<RuleId> = new Set<RuleId>(['merge', 'M1', 'M2', 'M3', 'M4']);

/** S4: an undo writes the contact first. So its cell gets what the contact holds, while the contact gets what neither side holds. */
export function isMerged(rule: unknown, side: Side): boolean {
  return (mergedRules as ReadonlySet<unknown>).has(rule) || (rule === 'S4' && side === 'sheet');
}

/** The notes after writes of unknown outcome. */
export function withSentNotes(
  notes: Readonly<Record<string, FieldNote>> | undefined,
  sent: readonly SentField[],
): Readonly<Record<string, FieldNote>> {
  const noted = sent.map(({ side, field, before, after }): [string, FieldNote] => {
    return [field, { ...notes?.[field], sent: { side, value: after, ...(before !== undefined && { before }) } }];
  });
  return { ...notes, ...Object.fromEntries(noted) };
}

export function withSent(link: Link, sent: readonly SentField[]): Link {
  return sent.length === 0 ? link : { ...link, notes: withSentNotes(link.notes, sent), isOpen: true };
}

/**
 * The link of a contact whose row was appended once more, or may have been. What the row was given was sent there. Its other cells
 * are blank, and nobody emptied them: of these fields both sides agree on nothing any more (M4).
 *
 * `fields`: as in `Base`. `given`: of the row.
 */
export function withAppended(
  link: Link,
  fields: readonly string[],
  given: readonly Pick<SentField, 'field' | 'after'>[],
): Link {
  const names = new Set(given.map(({ field }) => field));
  const before = unpack(link.agreed);
  const agreed = pack(before.map((value, index) => (names.has(fields[index]!) ? value : undefined)));
  const seen = { crm: lastSeen(link, 'crm'), sheet: lastSeen(link, 'sheet') };
  const known = agreed === link.agreed ? link : { ...link, ...seen, agreed };
  const sent = given.map(({ field, after }): SentField => ({ side: 'sheet', field, after }));
  return { ...withSent(known, sent), isOpen: true };
}

interface Known {
  readonly base: readonly Reading[];
  readonly crm: readonly Reading[];
  readonly sheet: readonly Reading[];
  readonly notes: Readonly<Record<string, FieldNote>>;
}

/**
 * The base is unknown if the side that was written to holds neither the old value nor what it held before the write, and the other
 * side does not hold what was sent any more. Then neither side is known to be unedited. With the old base, a person who puts the old
 * value back would count as not having edited. A note lasts until both sides were read.
 */
export function withoutSent(
  fields: readonly Field[],
  { base, crm, sheet, notes }: Known,
): Pick<Known, 'base' | 'notes'> {
  if (Object.values(notes).every(({ sent }) => sent === undefined)) return { base, notes };
  const readings = { crm, sheet };
  const nextBase = [...base];
  const nextNotes: Record<string, FieldNote> = { ...notes };
  for (const [index, field] of fields.entries()) {
    const { sent, ...rest } = notes[field.name] ?? {};
    if (!sent) continue;
    const { [index]: written } = readings[sent.side];
    const { [index]: source } = readings[otherSide[sent.side]];
    // M4: a contact's field that is only sent is never read.
    const isSentOnly = field.direction === 'to_crm';
    if (source === undefined || (written === undefined && !isSentOnly)) continue;
    // It is sent again until an outcome is known. Somebody who puts the old value back before that has edited it. A blank that
    // is not sent (M3) settles nothing.
    const isUnsent = source === null && field.blank === 'ignore';
    if (isSentOnly && (isUnsent || isSame(field.kind, source, sent.value))) continue;
    nextNotes[field.name] = rest;
    const holds = (value: Reading) => !isSentOnly && value !== undefined && isSame(field.kind, written, value);
    // L1: what it held may have been an edit. That is one still, whatever the other side shows by now.
    const isOld = holds(base[index]) || holds(sent.before);
    // The other side never edits such a field: what differs from what was sent is an edit, a blank as well.
    if (isSentOnly) nextBase[index] = sent.value;
    else if (!isOld && !isSame(field.kind, source, sent.value)) nextBase[index] = undefined;
  }
  return { base: nextBase, notes: nextNotes };
}
