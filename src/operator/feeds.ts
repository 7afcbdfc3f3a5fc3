// Pages of the feeds: what each shows, and how many rows it has.
import type { FeedConfig } from '../config/config.ts';
import { readStanding } from '../engine/standing.ts';
import type { FeedAnswer, FeedsPageAnswer } from './answers/ledgers.ts';
import type { Operator } from './operator.ts';
import { type PageQuery, pageOf } from './paging.ts';

/** One page of feeds, in the order of the file. Throws OperatorError if the cursor is not one of this list, and StateError. */
export async function readFeedsPage({ config, store }: Operator, page: PageQuery): Promise<FeedsPageAnswer> {
  const all = config.feeds.map((feed, index) => ({ feed, index }));
  const { items, next, previous } = pageOf('feeds', all, ({ index }) => [index], page);
  const feeds: FeedAnswer[] = [];
  for (const { feed } of items) {
    const { feedLinks, counts } = await readStanding(store.sync(feed.name));
    const gone = [...feedLinks.values()].filter(({ isGone }) => isGone).length;
    feeds.push({ ...shownOf(feed), rows: counts.linked, gone });
  }
  return { feeds, total: all.length, next, previous };
}

function shownOf({ name, resource, sheet, columns, rowsMax, controlled, onGone }: FeedConfig) {
  return {
    name,
    resource,
    tab: sheet.tab,
    columns: columns.map(({ header, key }) => ({ header, field: key })),
    rows_max: rowsMax ?? null,
    controlled: columns.find(({ key }) => key === controlled)?.header ?? null,
    on_gone: onGone,
  };
}
