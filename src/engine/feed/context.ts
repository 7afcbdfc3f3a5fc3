// What one feed is run with. Put together once by app.ts; runs of one feed share it.
import type { FeedConfig } from '../../config/config.ts';
import type { Collections } from '../../crm/port.ts';
import type { Inspection } from '../../sheets/google/inspect.ts';
import type { SyncContext } from '../context.ts';
import { RunFailed } from '../errors.ts';
import type { Noted } from '../incomplete.ts';
import type { Ending } from '../sync/run.ts';
import type { FeedShape } from './shape.ts';

export interface FeedContext extends Pick<
  SyncContext,
  'crm' | 'openTable' | 'state' | 'account' | 'budgets' | 'startMeter' | 'emit' | 'now' | 'newRunId'
> {
  readonly kind: 'feed';
  readonly config: FeedConfig;
  readonly shape: FeedShape;
  /** Looks at the header row, for a tab that is not the feed's yet: two reads. */
  readonly inspect: (signal: AbortSignal) => Promise<Inspection>;
  readonly session: FeedSession;
}

export interface FeedSession {
  /** As `Facts.drifted`, and newer: that something is over is not written by itself (W9). */
  noted?: Noted;
  /** The last run, if another one over the same readings would do nothing either. */
  quiet?: { readonly fingerprint: string; readonly digest: string; readonly ending: Ending };
}

/** The configuration is refused where it needs them and the CRM has none: this is for a program that skipped that. */
export function collectionsOf({ crm }: Pick<FeedContext, 'crm'>): Collections {
  if (!crm.collections) throw new RunFailed('this CRM has nothing to mirror: remove the feed');
  return crm.collections;
}

export function isFeed(context: object): context is FeedContext {
  return 'kind' in context && context.kind === 'feed';
}
