// Vetoes: column values with which a contact is not enrolled for now (E4).
import { isSame } from '../value/kinds.ts';
import type { Mapping } from '../record/mapping.ts';
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

function normalCase(value: Reading): string | null | undefined {
  return value === null || value === undefined ? value : String(value).toLowerCase();
}
