import type { Config } from '../config/config.ts';
import { didYouMean, UsageError } from './errors.ts';

/** The names of the syncs, feeds and outboxes meant, in the order of the file, syncs first; all if none is named. */
export function selectAll({ syncs, feeds, outboxes }: Config, names: readonly string[]): readonly string[] {
  const known = [...syncs, ...feeds, ...outboxes].map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new UsageError(
      `there is no sync, feed or outbox ${name}${didYouMean(name, known) || `; there are ${known.join(', ')}`}`,
    );
  }
  return names.length === 0 ? known : known.filter((name) => names.includes(name));
}

/** The names of the syncs meant, in the order of the file; all if none is named. */
export function selectSyncs(config: Config, names: readonly string[]): readonly string[] {
  return selectOf(config, config.syncs, 'sync', names);
}

/** As `selectSyncs`, and outboxes: both take what people decide about a record. */
export function selectDeciding(config: Config, names: readonly string[]): readonly string[] {
  const { syncs, outboxes } = config;
  return selectOf(config, [...syncs, ...outboxes], outboxes.length > 0 ? 'sync or outbox' : 'sync', names);
}

function selectOf(
  { feeds, outboxes }: Config,
  all: readonly { readonly name: string }[],
  what: string,
  names: readonly string[],
): readonly string[] {
  const known = all.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const isFeed = feeds.some((feed) => feed.name === name);
    if (isFeed || outboxes.some((outbox) => outbox.name === name)) {
      const takes = `and this command takes ${what.replace('sync', 'syncs')}: ${known.join(', ') || 'there are none'}`;
      throw new UsageError(`${name} is ${isFeed ? 'a feed' : 'an outbox'}, ${takes}`);
    }
    throw new UsageError(`there is no ${what} ${name}${didYouMean(name, known) || `; there are ${known.join(', ')}`}`);
  }
  return names.length === 0 ? known : known.filter((name) => names.includes(name));
}
