// What one outbox is run with. Put together once by app.ts; runs of one outbox share it.
import type { OutboxConfig } from '../../config/config.ts';
import type { Snapshot, Table } from '../../sheets/port.ts';
import type { RunRequest, SyncContext } from '../context.ts';
import type { FeedContext } from '../feed/context.ts';
import type { OutboxShape } from './shape.ts';

export interface OutboxContext extends Pick<
  FeedContext,
  'client' | 'openTable' | 'state' | 'account' | 'budgets' | 'startMeter' | 'emit' | 'now' | 'newRunId' | 'inspect'
> {
  readonly kind: 'outbox';
  readonly config: OutboxConfig;
  readonly shape: OutboxShape;
  readonly capabilities: SyncContext['capabilities'];
  /** A version 4 uuid: the ID of a row. */
  readonly randomId: () => string;
  readonly session: OutboxSession;
}

export interface OutboxSession {
  /** When bounces were last looked for, epoch milliseconds on our clock. */
  bouncesReadAt?: number;
}

/** A run of an outbox: what its steps hand to each other. */
export interface OutboxRun extends OutboxContext {
  readonly run: string;
  readonly request: RunRequest;
  readonly table: Table;
}

/** The tab as it is, ready to be worked on. */
export interface OutboxTab {
  readonly snapshot: Snapshot;
  /** Headers without which nothing is sent (W11). */
  readonly missing: readonly string[];
  /** The ID column was there before and is not any more. */
  readonly isIdColumnLost: boolean;
}

export function isOutbox(context: object): context is OutboxContext {
  return 'kind' in context && context.kind === 'outbox';
}
