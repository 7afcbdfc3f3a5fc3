// The context of one feed. It is put together once; runs of the feed share it.
import type { FeedConfig } from '../../config/config.ts';
import type { Collections } from '../../crm/port.ts';
import { RunFailed } from '../errors.ts';
import type { Inspection } from '../../sheets/port.ts';
import type { JobContext, JobRun } from '../job.ts';
import type { FeedShape } from './shape.ts';

export interface FeedContext extends JobContext {
  readonly config: FeedConfig;
  readonly shape: FeedShape;
  /** Looks at the header row, for a tab that is not the feed's yet: two reads. */
  readonly inspect: (signal: AbortSignal) => Promise<Inspection>;
}

/** A run of a feed: what its steps hand to each other. */
export interface FeedRun extends FeedContext, JobRun {}

/** The configuration is refused where it needs them and the CRM has none: this is for a program that skipped that. */
export function collectionsOf({ crm }: Pick<FeedContext, 'crm'>): Collections {
  if (!crm.collections) throw new RunFailed('this CRM has nothing to mirror: remove the feed');
  return crm.collections;
}
