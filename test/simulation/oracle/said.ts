// The values that each side ever held for a person, and those that both held at once.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import { normalOf } from '../people/token.ts';
import { type FieldName, headerOf } from '../world/setting.ts';
import { contactValue, type RowView } from '../world/view.ts';
import type { Side } from './evidence.ts';

type ValueOf = (field: FieldName) => string;
/** Undefined: merged cells cover it. */
type KnownOf = (field: FieldName) => string | undefined;

export function createSaid(fields: readonly FieldName[]) {
  const holdings = new Map<string, Set<string>>();
  /** `person field text`, with the text as laws compare it. */
  const agreements = new Set<string>();

  function held(side: Side, person: string, field: FieldName): Set<string> {
    const key = `${side} ${person} ${field}`;
    const found = holdings.get(key);
    if (found) return found;
    const fresh = new Set<string>();
    holdings.set(key, fresh);
    return fresh;
  }

  const agree = (person: string | undefined, field: FieldName, text: string) => {
    agreements.add(`${person} ${field} ${normalOf(field, text)}`);
  };
  const isAgreed = (person: string | undefined, field: FieldName, text: string) =>
    agreements.has(`${person} ${field} ${normalOf(field, text)}`);

  return {
    held,
    agree,
    isAgreed,
    by(side: Side, person: string, knownOf: KnownOf): void {
      for (const field of fields) {
        const text = knownOf(field);
        if (text !== undefined) held(side, person, field).add(text);
      }
    },
    /** Compared to the letter. */
    was: (side: Side, person: string | undefined, field: FieldName, text: string): boolean =>
      person !== undefined && held(side, person, field).has(text),
    together(person: string, contact: ContactRecord, row: RowView): void {
      for (const field of fields) {
        const [a, b] = [contactValue(contact, field), row.value(field)];
        if (!row.isCovered(headerOf[field]) && normalOf(field, a) === normalOf(field, b)) agree(person, field, a);
      }
    },
    /** `field text` of each field that both sides agreed on. */
    agreedTexts: (person: string | undefined, valueOf: ValueOf): ReadonlySet<string> =>
      new Set(
        fields
          .filter((field) => isAgreed(person, field, valueOf(field)))
          .map((field) => `${field} ${normalOf(field, valueOf(field))}`),
      ),
  };
}
