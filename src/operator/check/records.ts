// Checks that the service lists the collection of a feed, and takes its filter and order.
import type { FeedConfig } from '../../config/config.ts';
import type { Crm } from '../../crm/port.ts';
import { collectionsOf } from '../../engine/feed/context.ts';
import { collectionQuery } from '../../engine/feed/pull.ts';
import { type Finding, found } from './finding.ts';

interface RecordsDep {
  readonly crm: Crm;
  readonly signal: AbortSignal;
}

export async function* checkRecords(feed: FeedConfig, { crm, signal }: RecordsDep): AsyncGenerator<Finding> {
  yield* found(feed.name, 'records', async () => {
    const call = { signal, priority: 'scan' } as const;
    const total = await collectionsOf({ crm }).count(feed.resource, collectionQuery(feed), call);
    const what = feed.resource.replaceAll('_', ' ');
    const wanted = feed.rowsMax === undefined ? '' : `, of which ${feed.rowsMax} at most are mirrored`;
    return { verdict: 'ok', detail: `${total ?? 'some'} ${what}${wanted}` };
  });
}
