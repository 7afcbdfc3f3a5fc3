// Whose a contact and a row are.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import { normalOf, readToken } from '../people/token.ts';
import type { FieldName } from '../world/setting.ts';
import { contactValue, type RowView } from '../world/view.ts';

interface WhoseDep {
  readonly fields: readonly FieldName[];
  readonly contacts: () => Iterable<ContactRecord>;
}

export const keyFields: readonly FieldName[] = ['email', 'network_id'];

export function createWhose({ fields, contacts }: WhoseDep) {
  const owners = new Map<string, string>();
  /** By what a row showed in its fields: its person, while it still had an ID or note. */
  const showed = new Map<string, Set<string>>();

  const textOf = (row: RowView) => JSON.stringify(fields.map((field) => row.value(field)));
  const ownerOf = (uuid: string) => owners.get(uuid);
  const toldBy = (row: RowView) => row.notedPerson ?? ownerOf(row.id);

  /**
   * If neither a note nor an ID tells: the person whose row showed the same before, else the one whose values all are,
   * else who has its address or its profile in the service, where keys may have changed hands. If two contacts have them,
   * nobody can tell.
   */
  function personOf(row: RowView): string | undefined {
    const plain = toldBy(row);
    if (plain !== undefined) return plain;
    const before = [...(showed.get(textOf(row)) ?? [])];
    if (before.length === 1) return before[0];
    const named = new Set(fields.flatMap((field) => readToken(row.value(field))?.person ?? []));
    // Of two people who showed the same one after the other, as an address that changed hands, the words name the first.
    if (named.size === 1 && before.length === 0) return [...named][0];
    const hasOneOfItsKeys = (each: ContactRecord) =>
      keyFields.some((field) => {
        const key = normalOf(field, row.value(field));
        return key !== '' && normalOf(field, contactValue(each, field)) === key;
      });
    const holders = [...contacts()].filter(hasOneOfItsKeys);
    return holders.length === 1 ? ownerOf(holders[0]!.uuid) : undefined;
  }

  return {
    ownerOf,
    personOf,
    own: (uuid: string, person: string) => void owners.set(uuid, person),
    /** A row whose ID or note tells its person: without them, what it shows tells it from now on. */
    noteShown(row: RowView): void {
      const person = toldBy(row);
      if (person !== undefined) showed.set(textOf(row), new Set([...(showed.get(textOf(row)) ?? []), person]));
    },
  };
}
