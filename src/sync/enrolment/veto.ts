// Vetoes: column values with which a contact is not enrolled for now (E4).
import { isSame } from '../value/kinds.ts';
import { isReadFromCrm, type Mapping } from '../record/mapping.ts';
import type { Reading } from '../value/value.ts';

/**
 * E4: why a contact with these values is not enrolled; undefined: no veto. Asked again with fresh values before the call.
 */
export function vetoOf({ fields, enrolment }: Mapping, values: readonly Reading[]): string | undefined {
  for (const [name, texts] of Object.entries(enrolment?.unless ?? {})) {
    const index = fields.findIndex((field) => field.name === name);
    const value = values[index];
    const text = texts.find((each) => isSame('text', normalCase(value), normalCase(each)));
    if (text !== undefined) return `${fields[index]?.header ?? name} is ${text}`;
  }
  return undefined;
}

/** Why a contact is not enrolled for now. `waiting`: whether there is a veto is not known. */
export interface Refrain {
  readonly kind: 'ignored' | 'waiting';
  readonly reason: string;
}

/**
 * E4, V3, V4: judges the vetoes by the values of the row and by readings of its contact, if there are any. A value that is
 * unknown on one of the two sides may be a veto.
 */
export function refrainFrom(
  mapping: Mapping,
  row: readonly Reading[],
  contact: readonly (readonly Reading[])[] = [],
): Refrain | undefined {
  for (const values of [row, ...contact]) {
    const veto = vetoOf(mapping, values);
    if (veto !== undefined) return { kind: 'ignored', reason: `vetoed: ${veto}` };
  }
  for (const [index, field] of mapping.fields.entries()) {
    if (!mapping.enrolment || !Object.hasOwn(mapping.enrolment.unless, field.name)) continue;
    if (row[index] === undefined) {
      return { kind: 'waiting', reason: `waiting: ${field.header} may forbid it, and its cell cannot be read` };
    }
    const isShown = field.isHidden !== true && isReadFromCrm(field);
    if (isShown && contact.length > 0 && contact.every((values) => values[index] === undefined)) {
      return { kind: 'waiting', reason: `waiting: ${field.header} may forbid it, and the service does not show it` };
    }
  }
  return undefined;
}

function normalCase(value: Reading): string | null | undefined {
  return value === null || value === undefined ? value : String(value).toLowerCase();
}
