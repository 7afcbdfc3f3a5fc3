// What one outbox is run with. Put together once; runs of one outbox share it.
import type { OutboxConfig } from '../../config/config.ts';
import type { Messages } from '../../crm/port.ts';
import { RunFailed } from '../errors.ts';
import type { Inspection } from '../../sheets/port.ts';
import type { Snapshot } from '../../sheets/port.ts';
import type { JobContext, JobRun, JobSession } from '../job.ts';
import type { OutboxShape } from './shape.ts';

export interface OutboxContext extends JobContext {
  readonly config: OutboxConfig;
  readonly shape: OutboxShape;
  /** A version 4 uuid: the ID of a row. */
  readonly randomId: () => string;
  /** Looks at the header row, for a tab that is not the outbox's yet: two reads. */
  readonly inspect: (signal: AbortSignal) => Promise<Inspection>;
  readonly session: OutboxSession;
}

export interface OutboxSession extends JobSession {
  /** When bounces were last looked for, epoch milliseconds on our clock. */
  bouncesReadAt?: number;
}

/** A run of an outbox: what its steps hand to each other. */
export interface OutboxRun extends OutboxContext, JobRun {}

/** The tab as it is, ready to be worked on. */
export interface OutboxTab {
  readonly snapshot: Snapshot;
  /** Headers without which nothing is sent (W11). */
  readonly missing: readonly string[];
  /** The ID column was there before and is not any more. */
  readonly isIdColumnLost: boolean;
}

/** The configuration is refused where it needs them and the CRM has none: this is for a program that skipped that. */
export function messagesOf({ crm }: Pick<OutboxContext, 'crm'>): Messages {
  if (!crm.messages) throw new RunFailed('this CRM sends no messages: remove the outbox');
  return crm.messages;
}
