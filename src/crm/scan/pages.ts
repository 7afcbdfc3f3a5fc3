import { GatewayError, ValidationError } from '../errors.ts';
import { openPage } from '../operations/answers.ts';
import type { Operation } from '../operations/define.ts';
import type { ContactFilter, FilterValue } from '../operations/filter.ts';
import { matches } from '../operations/filter.ts';
import { operations } from '../operations/table.ts';
import type { ServiceClient } from '../port.ts';
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

interface PageRequest {
  readonly stamp: Stamp;
  readonly range: Range;
  /** `any`: the order is asked for, so that pages are stable, but the scan does not stand on it. */
  readonly order: 'asc' | 'desc' | 'any';
  readonly offset: number;
}

interface ContactPage {
  /** Contacts in scope, in the order of the answer. */
  readonly contacts: readonly ContactRow[];
  /** Rows the answer held: contacts, contacts out of scope, and rows that are none. The offset moves on by it. */
  readonly rows: number;
  readonly unreadable: number;
  readonly total: number | undefined;
}

/** A range or an order the service refuses or ignores: this way of scanning is closed, another may be open. */
export class CapabilityMissing extends Error {
  override readonly name = 'CapabilityMissing';
  readonly capability: Capability;

  constructor(capability: Capability) {
    super(`the service does not offer ${capability}`);
    this.capability = capability;
  }
}

/** The contact search, read row by row: a full parse of every contact would cost more than fetching it. */
const search: Operation<{ readonly filter?: ContactFilter }, ReturnType<typeof openPage>> = {
  ...operations.contacts.search,
  answer: { ...operations.contacts.search.answer, read: openPage },
} as Operation as Operation<{ readonly filter?: ContactFilter }, ReturnType<typeof openPage>>;

export interface PageSource {
  /** Throws CapabilityMissing when the answer shows that range or order were not honoured. */
  read(request: PageRequest): Promise<ContactPage>;
}

export function createPageSource(
  client: ServiceClient,
  scope: ContactFilter,
  capabilities: Capabilities,
  signal: AbortSignal | undefined,
): PageSource {
  const isScoped = Object.keys(scope).length > 0;

  async function ask({ stamp, range, order, offset }: PageRequest, asked: ContactFilter) {
    const bounds = rangeFilter(range);
    const filter = { ...asked, ...(bounds && { [stamp]: bounds }) };
    const input = { filter, offset, order_field: stamp, order_type: order === 'desc' ? 'desc' : 'asc' } as const;
    return client.call(search, input, { priority: 'scan', ...(signal && { signal }) });
  }

  /** The part of the scope the service accepts a filter for; the rest is matched here alone. */
  const accepted = () =>
    Object.fromEntries(Object.entries(scope).filter(([field]) => capabilities.offers(`filter:${field}`)));

  /** Asks; when the filter is refused, finds out which part of it was too much for the service. */
  async function askTolerantly(request: PageRequest) {
    try {
      return await ask(request, accepted());
    } catch (error) {
      if (!isFilterRefusal(error)) throw error;
      const anywhere = { ...request, range: {}, offset: 0 };
      if (rangeFilter(request.range) && (await works(() => ask(anywhere, accepted())))) {
        capabilities.failed(`range:${request.stamp}`);
        throw new CapabilityMissing(`range:${request.stamp}`);
      }
      // A service that answers 500 to everything has refused no filter.
      if (!(await works(() => ask(anywhere, {})))) throw error;
      const before = Object.keys(accepted()).length;
      for (const [field, value] of Object.entries(accepted())) {
        if (!(await works(() => ask(anywhere, { [field]: value })))) capabilities.failed(`filter:${field}`);
      }
      if (Object.keys(accepted()).length === before) throw error;
      return ask(request, accepted());
    }
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
      // Where the service ignores the scope, this is what keeps other lists out.
      const contacts = isScoped ? rows.filter((row) => matches(row, scope) !== false) : rows;
      return { contacts, rows: page.rows.length, unreadable: page.rows.length - rows.length, total: page.total };
    },
  };
}

/** Rows outside the range, or out of order, show what was silently ignored. */
function check({ stamp, range, order }: PageRequest, rows: readonly ContactRow[], capabilities: Capabilities): void {
  const missing = (capability: Capability) => {
    capabilities.failed(capability);
    throw new CapabilityMissing(capability);
  };
  // Not `to`: a contact that is updated while the scan runs may be answered with its newer stamp.
  const first = range.from === undefined ? -Infinity : Date.parse(range.from);
  const end = range.before === undefined ? Infinity : Date.parse(range.before);
  let previous = order === 'desc' ? Infinity : -Infinity;
  for (const row of rows) {
    const at = Date.parse(String(row[stamp]));
    if (at < first || at >= end) missing(`range:${stamp}`);
    if ((order === 'asc' && at < previous) || (order === 'desc' && at > previous)) missing(`order:${stamp}`);
    previous = Number.isNaN(at) ? previous : at;
  }
}

function rangeFilter({ from, to, before }: Range): FilterValue | undefined {
  const filter = { ...(from && { '>=': from }), ...(to && { '<=': to }), ...(before && { '<': before }) };
  return Object.keys(filter).length > 0 ? filter : undefined;
}

/** A filter the service does not know has been answered with 422, and with 500 for ever. */
function isFilterRefusal(error: unknown): boolean {
  return error instanceof ValidationError || (error instanceof GatewayError && error.call.status === 500);
}

async function works(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch {
    return false;
  }
}
