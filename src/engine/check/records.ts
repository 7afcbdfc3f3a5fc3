// Does the service list what the feed mirrors, and take its filter and order?
import type { FeedConfig } from '../../config/config.ts';
import type { ServiceClient } from '../../crm/port.ts';
import { resourceListing } from '../../crm/outreach/resources.ts';
import { listingQuery } from '../feed/pull.ts';
import { type Finding, found } from './finding.ts';

interface RecordsDep {
  readonly client: ServiceClient;
  readonly signal: AbortSignal;
}

export async function* checkRecords(feed: FeedConfig, { client, signal }: RecordsDep): AsyncGenerator<Finding> {
  yield* found(feed.name, 'records', async () => {
    const query = { ...listingQuery(feed), limit: 1 };
    const { total } = await client.call(resourceListing(feed.resource), query, { signal, priority: 'scan' });
    const what = feed.resource.replaceAll('_', ' ');
    const wanted = feed.rowsMax === undefined ? '' : `, of which ${feed.rowsMax} at most are mirrored`;
    return { verdict: 'ok', detail: `${total ?? 'some'} ${what}${wanted}` };
  });
}
