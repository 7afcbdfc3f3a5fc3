import type { Config } from '../config/config.ts';
import { didYouMean, UsageError } from './errors.ts';

/** The names of the syncs and feeds meant, in the order of the file, syncs first; all if none is named. */
export function selectAll({ syncs, feeds }: Config, names: readonly string[]): readonly string[] {
  const known = [...syncs, ...feeds].map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new UsageError(
      `there is no sync or feed ${name}${didYouMean(name, known) || `; there are ${known.join(', ')}`}`,
    );
  }
  return names.length === 0 ? known : known.filter((name) => names.includes(name));
}

/** The names of the syncs meant, in the order of the file; all if none is named. */
export function selectSyncs({ syncs, feeds }: Config, names: readonly string[]): readonly string[] {
  const known = syncs.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    if (feeds.some((feed) => feed.name === name)) {
      throw new UsageError(`${name} is a feed, and this command takes syncs: ${known.join(', ') || 'there are none'}`);
    }
    throw new UsageError(`there is no sync ${name}${didYouMean(name, known) || `; there are ${known.join(', ')}`}`);
  }
  return names.length === 0 ? known : known.filter((name) => names.includes(name));
}
