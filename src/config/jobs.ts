// The jobs of a configuration, of every kind.
import type { Config, FeedConfig, OutboxConfig, SyncConfig } from './config.ts';

export type JobConfig =
  | { readonly kind: 'sync'; readonly name: string; readonly config: SyncConfig }
  | { readonly kind: 'feed'; readonly name: string; readonly config: FeedConfig }
  | { readonly kind: 'outbox'; readonly name: string; readonly config: OutboxConfig };

const jobsByConfig = new WeakMap<object, readonly JobConfig[]>();

/** Syncs, feeds, outboxes, each in the order of the file. A configuration never changes, and a page of 500 jobs asks a hundred times. */
export function jobsIn(config: Config): readonly JobConfig[] {
  const known = jobsByConfig.get(config) ?? listJobs(config);
  jobsByConfig.set(config, known);
  return known;
}

function listJobs({ syncs, feeds, outboxes }: Config): readonly JobConfig[] {
  return [
    ...syncs.map((config) => ({ kind: 'sync' as const, name: config.name, config })),
    ...feeds.map((config) => ({ kind: 'feed' as const, name: config.name, config })),
    ...outboxes.map((config) => ({ kind: 'outbox' as const, name: config.name, config })),
  ];
}
