// Whether a person edited a contact, or its row, since both sides last agreed. Deletions depend on it (D2, D3).
import type { Link } from './base.ts';
import { isSame, type Kind } from '../value/kinds.ts';
import { isReadFromCrm, type Mapping } from './mapping.ts';
import { type Packed, type RowRecord, unpack } from './record.ts';
import { isBlank, type Reading } from '../value/value.ts';

/** D2: whether a field that is read from the CRM changed since the base. */
export function isChangedSince({ fields }: Mapping, link: Link, crm: Packed): boolean {
  const [before, now] = [unpack(link.agreed), unpack(crm)];
  return fields.some(
    (field, index) =>
      isReadFromCrm(field) && now[index] !== undefined && !isAlike(field.kind, before[index], now[index]),
  );
}

/**
 * D3: why the row must not be removed; undefined: nothing was edited there. An unreadable cell may hold anything (L1).
 */
export function whyRowIsKept({ fields }: Mapping, link: Link, row: RowRecord): string | undefined {
  const [before, now] = [unpack(link.agreed), unpack(row.values)];
  if (now.includes(undefined)) return 'not all of it can be read';
  const isEdited = fields.some(({ kind }, index) => !isAlike(kind, before[index], now[index]));
  return isEdited ? 'edited here since' : undefined;
}

function isAlike(kind: Kind, before: Reading, now: Reading): boolean {
  return isSame(kind, before, now) || (before === undefined && isBlank(now));
}
