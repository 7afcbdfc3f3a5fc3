// Turns the input of a contact into stored fields.
import type { ContactUpdate, Lead } from '../../crm/outreach/operations/records.ts';
import type { ContactChange, ContactFields } from './contacts.ts';
import { handleOf, isMemberId } from './identifiers.ts';
import { invalid } from './refusal.ts';
import type { ContactRecord } from './stored.ts';
import type { Switches } from './switches.ts';

type InputName = keyof ContactUpdate;

/**
 * The effect of a contact input on the stored contact `before` (undefined: a new one). `prefix` is the path of the
 * fields in the request, for refusals.
 */
export function contactInputToChange(
  input: Readonly<ContactUpdate>,
  before: ContactRecord | undefined,
  switches: Switches,
  prefix = '',
): ContactChange {
  const { domain, email, ...direct } = Object.fromEntries(
    Object.entries(input).flatMap(([name, value]): [string, string | null][] => {
      const stored = storedValue(name as InputName, value, switches, prefix + name);
      return stored === undefined ? [] : [[name, stored]];
    }),
  ) as Partial<Record<InputName, string | null>>;
  const fields: ContactFields = {
    ...direct,
    ...(email !== undefined && { [switches.emailStoredAs]: email }),
  };
  return { fields: withName(fields, before), ...(domain !== undefined && { domain }) };
}

/**
 * The effect of `network_id`: sets a handle or member id if the lead has none and the contact has none yet. One that is
 * already an identifier of the contact changes nothing.
 */
export function networkIdToFields(
  networkId: string | undefined,
  lead: Readonly<Lead>,
  before: ContactRecord | undefined,
): ContactFields {
  if (networkId === undefined || networkId.trim() === '') return {};
  const memberId = networkId.trim();
  if (before?.ln_id === memberId || before?.sn_id === memberId) return {};
  if (isMemberId(memberId)) return lead.ln_id === undefined && !before?.ln_id ? { ln_id: memberId } : {};
  return lead.network === undefined && !before?.network ? { network: handleOf(networkId) } : {};
}

/** undefined: the value changes nothing. */
function storedValue(
  name: InputName,
  value: string | undefined,
  switches: Switches,
  place: string,
): string | null | undefined {
  if (value === undefined) return undefined;
  const text = normalised(name, value, switches);
  if (text !== '') return text;
  switch (switches.blankValue) {
    case 'cleared':
      return null;
    case 'stored':
      return '';
    case 'ignored':
      return undefined;
    case 'refused':
      throw invalid({ [place]: ['This field must not be blank.'] });
  }
}

function normalised(name: InputName, value: string, { normalises }: Switches): string {
  const trimmed = normalises.includes('trim') ? value.trim() : value;
  if (name === 'network' && normalises.includes('handle')) return handleOf(trimmed);
  if (name === 'email' && normalises.includes('email_case')) return trimmed.toLowerCase();
  return trimmed;
}

/** The full name is rebuilt whenever one of its parts is written. */
function withName(fields: ContactFields, before: ContactRecord | undefined): ContactFields {
  if (fields.first_name === undefined && fields.last_name === undefined) return fields;
  const first = fields.first_name === undefined ? before?.first_name : fields.first_name;
  const last = fields.last_name === undefined ? before?.last_name : fields.last_name;
  return { ...fields, name: [first, last].filter(Boolean).join(' ') || null };
}
