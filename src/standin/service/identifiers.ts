/*
 * The identifiers of a person, as index keys `kind:normal form`. Two spellings of one identifier give the same key:
 * profile URL or bare handle, upper or lower case, surplus spaces.
 */
import type { ContactRecord } from './stored.ts';

type Kind = 'ln_id' | 'sn_id' | 'network' | 'work_email' | 'personal_email' | 'person';

const key = (kind: Kind, normal: string) => `${kind}:${normal}`;
const folded = (text: string) => text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
/** Letters and digits of base64, in which case matters; all of them begin alike. */
const isCoded = (text: string) => /^AC[a-z]A[\w-]+$/.test(text);
const memberIdOf = (text: string) => (isCoded(text.trim()) ? text.trim() : folded(text));

function keys(kind: Kind, value: string | null | undefined, normal: (text: string) => string): string[] {
  const form = value == null ? '' : normal(value);
  return form === '' ? [] : [key(kind, form)];
}

/** `https://www.network.test/in/Jane-Doe/de/?x=1`, `@jane-doe` and `JANE-DOE ` are all `jane-doe`. */
export function handleOf(text: string): string {
  const address = text.trim().replace(/[?#].*$/s, '');
  const path = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const profile = /(?:^|\/)in\/+([^/]+)/i.exec(path)?.[1];
  const segments = path.split('/').filter((segment) => segment !== '');
  const handle = decode(profile ?? segments.at(-1) ?? '').replace(/^@/, '');
  return isCoded(handle) ? handle : handle.toLowerCase();
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A member number, not a handle. */
export const isMemberId = (text: string) => /^\d+$/.test(text.trim());

/** Every key under which a contact can be found. */
export function contactKeys(record: ContactRecord): string[] {
  return [
    ...keys('ln_id', record.ln_id, memberIdOf),
    ...keys('sn_id', record.sn_id, memberIdOf),
    ...keys('network', record.network, handleOf),
    ...keys('work_email', record.work_email, folded),
    ...keys('personal_email', record.personal_email, folded),
    ...personKeys(record.name, record.company_name),
  ];
}

interface GivenIdentifiers {
  readonly network_id?: string | undefined;
  readonly ln_id?: string | undefined;
  readonly sn_id?: string | undefined;
  readonly network?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly company_name?: string | undefined;
}

/**
 * The keys to try for given identifiers, in the documented order: numeric member id, ln_id, sn_id, handle, work e-mail,
 * personal e-mail, name and company. A network_id that is no number may be a handle or either member identifier.
 */
export function givenKeys({
  network_id,
  ln_id,
  sn_id,
  network,
  email,
  name,
  company_name,
}: GivenIdentifiers): string[] {
  const asMember = network_id !== undefined && isMemberId(network_id) ? network_id : undefined;
  const asOther = asMember === undefined ? network_id : undefined;
  return [
    ...keys('ln_id', asMember, memberIdOf),
    ...keys('ln_id', ln_id, memberIdOf),
    ...keys('ln_id', asOther, handleOf),
    ...keys('sn_id', sn_id, memberIdOf),
    ...keys('sn_id', asOther, handleOf),
    ...keys('network', network, handleOf),
    ...keys('network', asOther, handleOf),
    ...keys('work_email', email, folded),
    ...keys('personal_email', email, folded),
    ...personKeys(name, company_name),
  ];
}

function personKeys(name: string | null | undefined, company: string | null | undefined): string[] {
  if (name == null || company == null || folded(name) === '' || folded(company) === '') return [];
  return [key('person', `${folded(name)}\n${folded(company)}`)];
}
