// Builds the bodies that write a contact. Every writable field is text there.
import type { ContactsSpec, FieldWrite, Identifiers } from '../../port.ts';
import type { ContactUpdate, Lead } from '../operations/records.ts';
import { contactField, type ContactFieldName, type OutreachField } from './fields.ts';

export interface ContactBodies {
  readonly toLead: (fields: readonly FieldWrite[]) => Lead;
  readonly toUpdate: (fields: readonly FieldWrite[]) => ContactUpdate;
  readonly toCustomFields: (fields: readonly FieldWrite[]) => { readonly custom_fields?: Record<string, string> };
}

export function createContactBodies({ fields }: ContactsSpec): ContactBodies {
  const targetByKey = new Map(fields.map(({ key, target }) => [key, target]));

  function bodyOf<Body extends ContactUpdate>(
    writes: readonly FieldWrite[],
    nameOf: (field: OutreachField) => keyof Body | undefined,
  ): Body {
    const entries = writes.flatMap(({ field, after }): [string, string][] => {
      const target = targetByKey.get(field);
      const name = target?.kind === 'field' ? nameOf(contactField(target.field.name as ContactFieldName)) : undefined;
      return name === undefined ? [] : [[String(name), toText(after)]];
    });
    return Object.fromEntries(entries) as Body;
  }

  return {
    toLead: (writes) => bodyOf(writes, ({ createAs }) => createAs),
    toUpdate: (writes) => bodyOf(writes, ({ updateAs }) => updateAs),
    toCustomFields(writes) {
      const entries = writes.flatMap(({ field, after }) => {
        const target = targetByKey.get(field);
        return target?.kind === 'custom_field' ? [[target.name, toText(after)] as const] : [];
      });
      return entries.length === 0 ? {} : { custom_fields: Object.fromEntries(entries) };
    },
  };
}

/** '' empties a field. */
function toText(value: FieldWrite['after']): string {
  return value === null ? '' : String(value);
}

/** The strongest identifier that names a contact alone; none without handle and address. */
export function leadOf({ network_id, email }: Identifiers): Lead {
  return network_id !== undefined ? { network_id } : email !== undefined ? { email } : {};
}

/** The identifiers by which the service finds a contact. */
export function hasIdentifier({
  network_id,
  ln_id,
  sn_id,
  network,
  email,
  first_name,
  last_name,
  company_name,
}: Lead): boolean {
  return Boolean(network_id || ln_id || sn_id || network || email || ((first_name || last_name) && company_name));
}
