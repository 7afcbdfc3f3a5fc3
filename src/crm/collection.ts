import type { Page } from './operations/answers.ts';
import type { Operation } from './operations/define.ts';
import type { List } from './operations/records.ts';
import { operations } from './operations/table.ts';
import type { CallOptions, ServiceClient } from './port.ts';

interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** More pages than any account has; a service that never ends must not keep a run for ever. */
const pagesMax = 10_000;

/**
 * Every record of a collection (lists, automations, sender profiles, messages, e-mails), each once. Pages follow by the
 * rows that really came; the end is where the rows end. Records that come or go meanwhile may be missed or not: a caller
 * that concludes something from an absence reads twice.
 */
export async function* collection<Query extends PageQuery, T extends { readonly uuid: string }>(
  client: ServiceClient,
  operation: Operation<Query, Page<T>>,
  query: Query,
  options: CallOptions = {},
): AsyncGenerator<T> {
  const seen = new Set<string>();
  let offset = query.offset ?? 0;
  for (let page = 0; page < pagesMax; page += 1) {
    const { data, unreadable, total } = await client.call(
      operation,
      { ...query, offset },
      { priority: 'scan', ...options },
    );
    for (const item of data) {
      if (seen.has(item.uuid)) continue;
      seen.add(item.uuid);
      yield item;
    }
    const rows = data.length + unreadable;
    offset += rows;
    if (rows === 0 || offset >= (total ?? Infinity)) return;
  }
}

/** The lists of exactly this name; more than one is possible, the service does not mind. */
export async function listsNamed(client: ServiceClient, name: string, options?: CallOptions): Promise<List[]> {
  const found: List[] = [];
  // `q` narrows where it is understood; the name decides. Where it is ignored, all pages are read.
  for await (const list of collection(client, operations.lists.list, { filter: { q: name } }, options)) {
    if (list.name === name) found.push(list);
  }
  return found;
}
