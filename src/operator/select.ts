// Which jobs a request names: syncs, feeds and outboxes of the configuration.
import type { Config } from '../config/config.ts';
import { didYouMean } from '../lib/nearest.ts';
import { OperatorError } from './errors.ts';

export interface NamedJob {
  readonly name: string;
  readonly kind: 'sync' | 'feed' | 'outbox';
}

/** In the order of the file, syncs first. */
export function jobsOf({ syncs, feeds, outboxes }: Config): readonly NamedJob[] {
  return [
    ...syncs.map(({ name }) => ({ name, kind: 'sync' as const })),
    ...feeds.map(({ name }) => ({ name, kind: 'feed' as const })),
    ...outboxes.map(({ name }) => ({ name, kind: 'outbox' as const })),
  ];
}

/** The names of the syncs, feeds and outboxes meant, in the order of the file, syncs first; all if none is named. */
export function selectAll(config: Config, names: readonly string[]): readonly string[] {
  const known = jobsOf(config).map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new OperatorError(
      'unknown',
      `there is no sync, feed or outbox ${name}${didYouMean(name, known) || `; there are ${known.join(', ')}`}`,
    );
  }
  return names.length === 0 ? known : known.filter((name) => names.includes(name));
}

/** The names of the syncs meant, in the order of the file; all if none is named. */
export function selectSyncs(config: Config, names: readonly string[]): readonly string[] {
  return selectOf(config, ['sync'], 'sync', names).map(({ name }) => name);
}

/** Syncs and outboxes: both take what people decide about a record. */
export function selectDeciding(config: Config, names: readonly string[]): readonly NamedJob[] {
  const what = config.outboxes.length > 0 ? 'sync or outbox' : 'sync';
  return selectOf(config, ['sync', 'outbox'], what, names);
}

function selectOf(
  config: Config,
  kinds: readonly NamedJob['kind'][],
  what: string,
  names: readonly string[],
): readonly NamedJob[] {
  const all = jobsOf(config);
  const taken = all.filter(({ kind }) => kinds.includes(kind));
  const known = taken.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const other = all.find((job) => job.name === name);
    if (other) {
      const takes = `and this command takes ${what.replace('sync', 'syncs')}: ${known.join(', ') || 'there are none'}`;
      throw new OperatorError('unknown', `${name} is ${other.kind === 'feed' ? 'a feed' : 'an outbox'}, ${takes}`);
    }
    const hint = didYouMean(name, known) || `; there are ${known.join(', ')}`;
    throw new OperatorError('unknown', `there is no ${what} ${name}${hint}`);
  }
  return names.length === 0 ? taken : taken.filter(({ name }) => names.includes(name));
}
