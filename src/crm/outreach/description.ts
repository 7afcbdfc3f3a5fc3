// The capabilities of the outreach service as data of the port, made from the operations table.
import type { Kind } from '../../sync/value/kinds.ts';
import type { CollectionSpec, ContactFieldSpec, CrmDescription, MatchKeySpec } from '../port.ts';
import { contactFields, type OutreachField } from './contacts/fields.ts';
import { contactFilter } from './operations/filter.ts';
import { customFields } from './operations/records.ts';
import type { FieldKind } from './operations/shape.ts';
import { operations } from './operations/table.ts';
import { neededFields, outgoingNames, payloadFields } from './outgoing.ts';
import { type ResourceName, resourceFields, resourceNames, resourceQuery, takesRange } from './resources.ts';

const kinds = {
  text: 'text',
  integer: 'integer',
  flag: 'flag',
  instant: 'timestamp',
  texts: 'list',
  json: 'json',
} as const satisfies Record<FieldKind, Kind>;

/** For each part of a match key, the fields of which one has to be mapped. `name` is also made from its parts. */
const fieldsOfPart: Readonly<Record<string, readonly string[]>> = {
  network_id: ['network_id', 'network'],
  email: ['email'],
  name: ['name', 'first_name', 'last_name'],
  company_name: ['company_name'],
};

export const outreachDescription: CrmDescription = {
  fields: new Map([...contactFields].map(([name, field]) => [name, toFieldSpec(field)])),
  customFields: {
    isName: (name) => customFields.safeParse({ [name]: '' }).success,
    allowed: 'letters, digits and _, no digit first',
  },
  matchKeys: matchKeys(),
  identifiers: {
    network_id: [['network_id'], ['network']],
    email: [['email'], ['work_email'], ['personal_email']],
    name: [['name'], ['first_name', 'last_name']],
    company_name: [['company_name']],
  },
  filter: contactFilter,
  hasAutomations: true,
  collections: new Map(resourceNames.map((name) => [name, toCollectionSpec(name)])),
  messages: new Map(
    outgoingNames.map((name) => [name, { fields: payloadFields(name), needed: neededFields(name) }] as const),
  ),
};

function toFieldSpec({ name, kind, equality, directions, updateAs, description }: OutreachField): ContactFieldSpec {
  return {
    name,
    kind: equality === 'exact' ? kinds[kind] : equality,
    directions,
    writtenAs: updateAs ?? name,
    ...(description !== undefined && { description }),
  };
}

/** The names of the lookup, the strongest first. */
function matchKeys(): readonly MatchKeySpec[] {
  const lookups = operations.contacts.lookupOne.body?.meta()?.['anyOf'] as readonly { required: readonly string[] }[];
  return lookups.map(({ required }) => ({
    name: required.join('+'),
    parts: Object.fromEntries(required.map((part) => [part, fieldsOfPart[part] ?? [part]])),
  }));
}

function toCollectionSpec(name: ResourceName): CollectionSpec {
  const { filters, orders } = resourceQuery(name);
  return {
    fields: new Map(Object.entries(resourceFields(name)).map(([field, { kind }]) => [field, { kind: kinds[kind] }])),
    filters: new Map(filters.map((field) => [field, { takesRange: takesRange(name, field) }])),
    orders,
    ...(name === 'automations' && { controlled: 'status' }),
  };
}
