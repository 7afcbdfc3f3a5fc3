// Links as they are stored: made from readings and results, and kept small.
import { lastSeen, type Link, type Standing } from './base.ts';
import { compareTexts, type FieldChange } from '../change.ts';
import type { Mapping } from './mapping.ts';
import type { ContactReading } from './person.ts';
import type { Packed } from './record.ts';

/**
 * When a person last edited the contact, epoch milliseconds, as far as that is known and a field needs it (M1). The
 * instant of our own write does not tell when a person edited another field. If nothing else changed, the earlier instant
 * still holds.
 */
export function editedAt({ fields }: Mapping, link: Link | undefined, contact: ContactReading): number | undefined {
  if (fields.every(({ conflict }) => conflict !== 'newest')) return undefined;
  if (typeof contact !== 'object') return link?.updatedAt;
  if (!link || contact.updatedAt !== link.writtenAt) return contact.updatedAt;
  return contact.values === lastSeen(link, 'crm') ? link.updatedAt : undefined;
}

/** Keeps a link small: leaves out what equals `agreed` and what is not the case. */
export function linkOf(parts: {
  readonly agreed: Packed;
  readonly crm: Packed;
  readonly sheet: Packed;
  readonly notes: NonNullable<Link['notes']>;
  readonly isOpen: boolean;
  readonly standing?: Standing | undefined;
  readonly rowId: string | undefined;
  readonly writtenAt?: number | undefined;
  readonly shownAt?: number | undefined;
  readonly updatedAt?: number | undefined;
  readonly refusal?: Link['refusal'] | undefined;
  readonly isUnsure?: Link['isUnsure'] | undefined;
  /** Writes that are still to be made and were allowed (G2). */
  readonly counted: readonly FieldChange[];
}): Link {
  const isOpen = parts.isOpen || parts.isUnsure === true;
  const link: Link = {
    agreed: parts.agreed,
    ...(parts.crm !== parts.agreed && { crm: parts.crm }),
    ...(parts.sheet !== parts.agreed && { sheet: parts.sheet }),
    ...(isOpen && { isOpen }),
    ...(parts.rowId !== undefined && { rowId: parts.rowId }),
    ...(parts.isUnsure && { isUnsure: parts.isUnsure }),
    ...(parts.writtenAt !== undefined && { writtenAt: parts.writtenAt }),
    ...(parts.shownAt !== undefined && { shownAt: parts.shownAt }),
    ...(isOpen && parts.updatedAt !== undefined && { updatedAt: parts.updatedAt }),
    ...(parts.standing !== undefined && { standing: parts.standing }),
    ...(Object.keys(parts.notes).length > 0 && { notes: parts.notes }),
    ...(parts.refusal && { refusal: parts.refusal }),
  };
  return withCounted(link, parts.counted);
}

/** The link once the contact was read: nothing about it is unknown or missing any more. */
export function withContactRead(link: Link, crm: Packed): Link {
  const { crm: _crm, missedScans: _missed, isUnsure: _unsure, ...rest } = link;
  return crm === link.agreed ? rest : { ...rest, crm };
}

/** Adds writes that are still to be made and were allowed (G2). */
export function withCounted(link: Link, fields: readonly Pick<FieldChange, 'field' | 'after'>[]): Link {
  if (fields.length === 0) return link;
  const { counted, ...rest } = link;
  return { ...rest, counted: { ...counted, ...Object.fromEntries(fields.map(({ field, after }) => [field, after])) } };
}

/** The link with the contents of other rows that have its ID (I4). */
export function withCopies(link: Link, copies: readonly Packed[]): Link {
  if (copies.length === 0 && link.copies === undefined) return link;
  const { copies: _before, ...rest } = link;
  return copies.length === 0 ? rest : { ...rest, copies };
}

/** Whether two links say the same, in whatever order their parts stand (W9). null and undefined: no link. */
export function isSameLink(a: Link | null | undefined, b: Link | null | undefined): boolean {
  return linkText(a ?? {}) === linkText(b ?? {});
}

function linkText(link: object): string {
  return JSON.stringify(Object.entries(link).toSorted(([a], [b]) => compareTexts(a, b)));
}
