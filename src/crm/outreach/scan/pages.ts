// Reads single pages of the contact search, and detects ignored ranges and orders.
import { GatewayError, ValidationError } from '../../errors.ts';
import { isLastPage } from '../operations/answers.ts';
import type { ContactFilter, FilterValue } from '../operations/filter.ts';
import { matches } from '../operations/filter.ts';
import { searchUnread } from '../contacts/unread.ts';
import type { ServiceClient } from '../service-client.ts';
import type { Capabilities, Capability } from './capabilities.ts';
import { contactRow } from './contact-row.ts';
import type { ContactRow } from './contact-row.ts';

export type Stamp = 'created_at' | 'updated_at';

/** Bounds on a timestamp, ISO instants: from <= stamp, stamp <= to, stamp < before. */
export interface Range {
  readonly from?: string;
  readonly to?: string;
  readonly before?: string;
}

export interface PageRequest {
  readonly stamp: Stamp;
  readonly range: Range;
  /** `any`: some order is requested for stable pages, but the scan does not depend on it. */
  readonly order: 'asc' | 'desc' | 'any';
  /** The scan orders by it instead of the stamp: no two contacts have the same. */
  readonly by?: 'uuid';
  /** Only uuids after this one; goes with `by`. */
  readonly after?: string;
  readonly offset: number;
}

export interface ContactPage {
  /** Contacts in scope, in the order of the answer. */
  readonly contacts: readonly ContactRow[];
  /** The same and those out of scope, if the service does not filter by all of the scope. */
  readonly read: readonly ContactRow[];
  /** Rows of the answer: contacts, contacts out of scope, and rows that are no contacts. The offset grows by it. */
  readonly rows: number;
  readonly unreadable: number;
  readonly total: number | undefined;
  /** No page follows. */
  readonly isLast: boolean;
}

/** The service refuses or ignores a range or an order: this way of scanning is impossible, another may work. */
export class CapabilityMissing extends Error {
  override readonly name = 'CapabilityMissing';
  readonly capability: Capability;

  constructor(capability: Capability) {
    super(`the service does not offer ${capability}`);
    this.capability = capability;
  }
}

/** The search without an order, for a service that refuses every order. */
const unordered: typeof searchUnread = {
  ...searchUnread,
  defaults: Object.fromEntries(
    Object.entries(searchUnread.defaults ?? {}).filter(([name]) => !name.startsWith('order_')),
  ),
};

export interface PageSource {
  /** Throws CapabilityMissing when the answer shows that the service ignored range or order. */
  read(request: PageRequest): Promise<ContactPage>;
}

export function createPageSource(
  client: ServiceClient,
  scope: ContactFilter,
  capabilities: Capabilities,
  signal: AbortSignal | undefined,
): PageSource {
  async function ask(request: PageRequest, asked: ContactFilter, field = orderField(request, capabilities) ?? null) {
    const { stamp, range, order, after, offset } = request;
    const bounds = rangeFilter(range);
    const filter = {
      ...asked,
      ...(bounds && { [stamp]: bounds }),
      ...(after !== undefined && { uuid: { '>': after } }),
    };
    const call = { priority: 'scan', ...(signal && { signal }) } as const;
    if (field === null) return client.call(unordered, { filter, offset }, call);
    const input = { filter, offset, order_field: field, order_type: order === 'desc' ? 'desc' : 'asc' } as const;
    return client.call(searchUnread, input, call);
  }

  /** The part of the scope that the service filters by; the rest is matched here alone. */
  const accepted = () =>
    Object.fromEntries(Object.entries(scope).filter(([field]) => capabilities.offers(`filter:${field}`)));

  /**
   * Sends the query. If it is refused, finds the part that the service refuses: a range, the order, or a part of the
   * scope. Throws CapabilityMissing for a part that the way of scanning needs.
   */
  async function askTolerantly(request: PageRequest): ReturnType<typeof ask> {
    try {
      return await ask(request, accepted());
    } catch (error) {
      if (!isRefusal(error) || (await isOffsetRefused(request))) throw error;
      const refused = await findRefused({ ...request, offset: 0 });
      if (refused === undefined) throw error;
      // A service that failed for a while refused nothing: its answer now settles it.
      const isForGood = error instanceof ValidationError || !(await works(() => ask(request, accepted())));
      if (isForGood) for (const capability of refused.capabilities) capabilities.failed(capability);
      if (isForGood && refused.isStoodOn) throw new CapabilityMissing(refused.capabilities[0]!);
      // Another part may be refused as well: none that was found is asked for again.
      return isForGood ? askTolerantly(request) : ask(request, accepted());
    }
  }

  /** The first page of the same query is answered. It was not asked for yet if only later pages have an end of the range. */
  async function isOffsetRefused(request: PageRequest): Promise<boolean> {
    const { range, offset } = request;
    return offset > 0 && (range.to === undefined || works(() => ask({ ...request, offset: 0 }, accepted())));
  }

  interface Refused {
    readonly capabilities: readonly Capability[];
    /** The way of scanning needs it. A scope is matched here, and any order will do if none is needed. */
    readonly isStoodOn: boolean;
  }

  /** Leaves out one part after the other; undefined: the service answers nothing, or now answers all of it. */
  async function findRefused(request: PageRequest): Promise<Refused | undefined> {
    const { after: _after, ...whole } = request;
    const anywhere: PageRequest = { ...whole, range: {} };
    if (request.after !== undefined && (await works(() => ask(whole, accepted()))))
      return { capabilities: ['range:uuid'], isStoodOn: true };
    if (rangeFilter(request.range) && (await works(() => ask(anywhere, accepted()))))
      return { capabilities: [`range:${request.stamp}`], isStoodOn: true };
    const field = orderField(request, capabilities);
    if (field !== undefined && (await works(() => askUnordered(anywhere, accepted()))))
      return { capabilities: [`order:${field}`], isStoodOn: request.order !== 'any' };
    if (!(await works(() => askUnordered(anywhere, {})))) return undefined;
    const parts: Capability[] = [];
    for (const [name, value] of Object.entries(accepted())) {
      if (!(await works(() => askUnordered(anywhere, { [name]: value })))) parts.push(`filter:${name}`);
    }
    return parts.length === 0 ? undefined : { capabilities: parts, isStoodOn: false };
  }

  async function askUnordered(request: PageRequest, asked: ContactFilter) {
    return ask(request, asked, null);
  }

  return {
    async read(request) {
      const page = await askTolerantly(request);
      const rows: ContactRow[] = [];
      for (const each of page.rows) {
        const row = contactRow(each);
        if (row) rows.push(row);
      }
      check(request, rows, capabilities);
      // Excludes other lists if the service ignores the scope.
      const contacts = rows.filter((row) => matches(row, scope) !== false);
      return {
        contacts,
        read: rows,
        rows: page.rows.length,
        unreadable: page.rows.length - rows.length,
        total: page.total,
        isLast: isLastPage(page, page.rows.length, request.offset + page.rows.length),
      };
    },
  };
}

/** The uuids of contacts out of scope, which come if the service does not filter by all of the scope. */
export function foreignOf({ read, contacts }: ContactPage): readonly string[] {
  if (read.length === contacts.length) return [];
  const own = new Set(contacts);
  return read.flatMap((row) => (own.has(row) ? [] : [row.uuid]));
}

/** Rows outside the range, or out of order, show that the service silently ignored them. */
function check(request: PageRequest, rows: readonly ContactRow[], capabilities: Capabilities): void {
  const { stamp, range, order, by, after } = request;
  const missing = (capability: Capability) => {
    capabilities.failed(capability);
    throw new CapabilityMissing(capability);
  };
  // A contact that is updated during the scan may come with its newer stamp: no upper bound is checked then.
  const first = range.from === undefined ? -Infinity : Date.parse(range.from);
  const end = range.before === undefined || stamp === 'updated_at' ? Infinity : Date.parse(range.before);
  let previous = order === 'desc' ? Infinity : -Infinity;
  for (const row of rows) {
    const at = Date.parse(String(row[stamp]));
    if (at < first || at >= end) missing(`range:${stamp}`);
    if (by !== undefined) continue;
    if ((order === 'asc' && at < previous) || (order === 'desc' && at > previous)) missing(`order:${stamp}`);
    previous = Number.isNaN(at) ? previous : at;
  }
  if (by === undefined) return;
  const [head] = rows;
  if (after !== undefined && head !== undefined && head.uuid <= after) missing('range:uuid');
  const isInOrder = (row: ContactRow, index: number) => {
    const before = rows[index - 1]?.uuid;
    return before === undefined || (order === 'desc' ? row.uuid < before : row.uuid > before);
  };
  if (!rows.every(isInOrder)) missing('order:uuid');
}

function rangeFilter({ from, to, before }: Range): FilterValue | undefined {
  const filter = { ...(from && { '>=': from }), ...(to && { '<=': to }), ...(before && { '<': before }) };
  return Object.keys(filter).length > 0 ? filter : undefined;
}

/** The service has answered an unknown query with 422, with 500 each time, and a wide query with 504. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ValidationError) return true;
  return error instanceof GatewayError && (error.call.status === 500 || error.call.status === 504);
}

/** The field the search orders by: the one the scan needs; else the first that the service accepts, or none. */
function orderField({ stamp, order, by }: PageRequest, { offers }: Capabilities): 'uuid' | Stamp | undefined {
  if (by !== undefined) return by;
  if (order !== 'any') return stamp;
  return ([stamp, 'created_at', 'uuid'] as const).find((field) => offers(`order:${field}`));
}

async function works(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch {
    return false;
  }
}
