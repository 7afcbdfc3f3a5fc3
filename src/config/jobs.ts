// The jobs of a configuration, of every kind.
import type { Config, FeedConfig, OutboxConfig, SyncConfig } from './config.ts';

export type JobConfig =
  | { readonly kind: 'sync'; readonly name: string; readonly config: SyncConfig }
  | { readonly kind: 'feed'; readonly name: string; readonly config: FeedConfig }
  | { readonly kind: 'outbox'; readonly name: string; readonly config: OutboxConfig };

/** Syncs, feeds, outboxes, each in the order of the file. */
export function jobsIn({ syncs, feeds, outboxes }: Config): readonly JobConfig[] {
  return [
    ...syncs.map((config) => ({ kind: 'sync' as const, name: config.name, config })),
    ...feeds.map((config) => ({ kind: 'feed' as const, name: config.name, config })),
    ...outboxes.map((config) => ({ kind: 'outbox' as const, name: config.name, config })),
  ];
}
