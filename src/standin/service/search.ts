// The contact search of the stand-in.
import { matches } from '../../crm/outreach/operations/filter.ts';
import type { ContactFilter } from '../../crm/outreach/operations/filter.ts';
import { contact } from '../../crm/outreach/operations/records.ts';
import type { ContactField } from '../../crm/outreach/operations/records.ts';
import type { Random } from './random.ts';
import { pageLimit } from './paging.ts';
import type { Window } from './paging.ts';
import { invalid, Refusal, serverError } from './refusal.ts';
import type { FieldTexts } from './refusal.ts';
import type { SearchIndex } from './search-index.ts';
import type { ContactRecord } from './stored.ts';
import type { Switches } from './switches.ts';
import { byField } from './order.ts';

export interface SearchRequest {
  readonly filter?: ContactFilter | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly order_field?: ContactField | undefined;
  readonly order_type?: 'asc' | 'desc' | undefined;
}

/** Results kept until the next write: paging through one query sorts the contacts once. */
const resultsMax = 8;

/** The contact search: filter, order and window over the contacts of the index. */
export class ContactSearch {
  readonly #index: SearchIndex;
  readonly #switches: Switches;
  readonly #resultByQuery = new Map<string, readonly ContactRecord[]>();
  #version = -1;

  readonly #random: Random;

  constructor(index: SearchIndex, switches: Switches, random: Random) {
    this.#index = index;
    this.#random = random;
    this.#switches = switches;
  }

  page({ filter = {}, offset = 0, ...request }: SearchRequest): Window<ContactRecord> {
    const switches = this.#switches;
    const limit = pageLimit(request.limit, switches.pageRowsMax, switches);
    const served = servedFilter(filter, switches);
    const beyond = offset + limit > switches.windowRowsMax;
    if (beyond && switches.windowBeyond === 'server_error') throw serverError();
    if (beyond && switches.windowBeyond === 'refused') {
      throw invalid({
        offset: [`Result window is too large: offset + limit must be at most ${switches.windowRowsMax}.`],
      });
    }
    const field = servedOrder(request.order_field, switches);
    const direction = request.order_type ?? 'desc';
    const ordered = this.#find(served, field, direction);
    const found = switches.tieOrder === 'random' ? shuffleTies(ordered, field, this.#random) : ordered;
    return { rows: beyond ? [] : found.slice(offset, offset + limit), limit, offset, total: found.length };
  }

  #find(filter: ContactFilter, field: ContactField, direction: 'asc' | 'desc'): readonly ContactRecord[] {
    if (this.#version !== this.#index.version) {
      this.#resultByQuery.clear();
      this.#version = this.#index.version;
    }
    const query = JSON.stringify([filter, field, direction]);
    const known = this.#resultByQuery.get(query);
    if (known) return known;
    const found = this.#candidates(filter).filter((record) => isMatch(record, filter));
    const result = found.toArray().toSorted(byField(field, direction));
    const oldest = this.#resultByQuery.keys().next();
    if (this.#resultByQuery.size >= resultsMax && !oldest.done) this.#resultByQuery.delete(oldest.value);
    this.#resultByQuery.set(query, result);
    return result;
  }

  /** All contacts, or those of a filter by uuid: comparing a hundred uuids with each contact is slow. */
  #candidates({ uuid }: ContactFilter): IteratorObject<ContactRecord> {
    const records = this.#index.records();
    if (!Array.isArray(uuid)) return records;
    const wanted: ReadonlySet<unknown> = new Set(uuid);
    return records.filter((record) => wanted.has(record.uuid));
  }
}

const freeTextFields = [
  'name',
  'company_name',
  'position',
  'headline',
  'work_email',
  'personal_email',
  'network',
] as const;

function isMatch(record: ContactRecord, { q, ...fields }: ContactFilter): boolean {
  return matches(record, fields) === true && (typeof q !== 'string' || containsText(record, q.toLowerCase()));
}

function containsText(record: ContactRecord, wanted: string): boolean {
  return freeTextFields.some((field) => record[field]?.toLowerCase().includes(wanted) ?? false);
}

/** The applied part of a filter; the rest is refused, fails or is dropped, by the switches. */
function servedFilter(filter: ContactFilter, { filterByField }: Switches): ContactFilter {
  refuse(unusable(filter));
  const troubled = Object.keys(filter).filter((name) => filterByField[name as ContactField] !== undefined);
  for (const name of troubled) {
    failFilter(filterByField[name as ContactField] ?? 'ignored', `filter.${name}`);
  }
  return Object.fromEntries(Object.entries(filter).filter(([name]) => !troubled.includes(name)));
}

/** The field of the order: created_at by default, or if the requested one is ignored. */
function servedOrder(field: ContactField | undefined, { orderFieldIgnored, orderByField }: Switches): ContactField {
  const trouble = field && orderByField[field];
  if (trouble !== undefined) failFilter(trouble, 'order_field', 'Ordering by this field is not possible.');
  return field === undefined || orderFieldIgnored || trouble !== undefined ? 'created_at' : field;
}

/** Each answer puts contacts that are equal in the field into another order, like a database without a second order. */
function shuffleTies(found: readonly ContactRecord[], field: ContactField, random: Random): readonly ContactRecord[] {
  const dice = new Map(found.map((record) => [record, random.integer(0, 2 ** 30)]));
  const compare = byField<ContactRecord>(field, 'asc');
  return found
    .map((record, index) => ({ record, index }))
    .toSorted((a, b) =>
      compare(a.record, b.record) === 0 ? dice.get(a.record)! - dice.get(b.record)! : a.index - b.index,
    )
    .map(({ record }) => record);
}

/** Answers an unsupported filter: returns only if it is to be ignored. */
export function failFilter(
  trouble: Switches['unknownFilter'],
  place: string,
  text = 'Filtering by this field is not possible.',
): void {
  switch (trouble) {
    case 'ignored':
      return;
    case 'refused':
      throw invalid({ [place]: [text] });
    case 'server_error':
      throw serverError();
    case 'gateway_timeout':
      throw new Refusal({ status: 504, reason: 'gateway_timeout', message: 'Gateway Time-out' });
  }
}

/** Values that the schema accepts and SQL would not: a q that is no text, an instant that is none. */
function unusable(filter: ContactFilter): FieldTexts {
  const data: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(filter)) {
    if (name === 'q') {
      if (typeof value !== 'string') data['filter.q'] = ['This filter takes a text.'];
    } else if (contact.fields[name as ContactField].kind === 'instant' && !bounds(value).every(isInstant)) {
      data[`filter.${name}`] = ['This is no instant.'];
    }
  }
  return data;
}

function refuse(data: FieldTexts): void {
  if (Object.keys(data).length > 0) throw invalid(data);
}

function bounds(value: ContactFilter[ContactField]): unknown[] {
  if (value === 'is_null' || value === 'is_not_null') return [];
  return typeof value === 'object' ? Object.values(value) : [value];
}

const isInstant = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
