// Asks the service what an init needs: its lists with their counts, and contacts of one to compare with.
import type { Crm, CrmCall } from '../../crm/port.ts';
import type { FieldTexts } from './keys.ts';
import { readCrm, writeCell } from '../../sync/value/kinds.ts';

export interface ListFound {
  readonly uuid: string;
  readonly name: string;
  /** Undefined: the service does not say, or there are too many lists to count them all. */
  readonly contacts: number | undefined;
}

/** The most lists that are counted: each count is a call. */
const countedMax = 30;

/** The lists, sorted by name. `notice`: a sentence for people if not all could be listed. */
export async function findLists(
  crm: Crm,
  call: CrmCall,
): Promise<{ readonly lists: readonly ListFound[]; readonly notice?: string }> {
  const { lists, notice } = await crm.lists.list(call);
  const named = lists.map(({ uuid, name = '' }) => ({ uuid, name }));
  const sorted = named.toSorted((a, b) => a.name.localeCompare(b.name));
  const contacts = crm.openContacts({ fields: [] });
  const found = await Promise.all(
    sorted.map(async ({ uuid, name }, index) => ({
      uuid,
      name,
      contacts: index < countedMax ? await contacts.count(uuid, call) : undefined,
    })),
  );
  return { lists: found, ...(notice !== undefined && { notice }) };
}

export interface ContactsRead {
  readonly contacts: readonly FieldTexts[];
  /** The list has more than were read. */
  readonly isCut: boolean;
}

/** The first contacts of a list, about `contactsMax`, with every field as a cell would show it. */
export async function readContacts(crm: Crm, list: string, contactsMax: number, call: CrmCall): Promise<ContactsRead> {
  const fields = [...crm.description.fields.values()];
  const readable = fields.filter(({ directions }) => directions.includes('to_sheet'));
  const spec = readable.map((field) => ({ key: field.name, target: { kind: 'field' as const, field } }));
  const contacts: FieldTexts[] = [];
  const scan = crm.openContacts({ fields: spec }).scan({
    list,
    keep: ({ values }): FieldTexts =>
      Object.fromEntries(
        readable.flatMap(({ name, kind }, index) => {
          const value = readCrm(kind, values[index]);
          return value === null || value === undefined ? [] : [[name, String(writeCell('text', value))]];
        }),
      ),
    ...(call.signal && { signal: call.signal }),
  });
  for await (const page of scan) {
    contacts.push(...page);
    if (contacts.length >= contactsMax) return { contacts, isCut: true };
  }
  return { contacts, isCut: false };
}
