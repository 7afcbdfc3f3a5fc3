// The context of the runs of one outbox. Created once; all runs share it.
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
  /** Reads the header row of a tab that is not the outbox's yet: two reads. */
  readonly inspect: (signal: AbortSignal) => Promise<Inspection>;
  readonly session: OutboxSession;
}

export interface OutboxSession extends JobSession {
  /** When bounces were last read, epoch milliseconds on our clock. */
  bouncesReadAt?: number;
}

/** A run of an outbox: the data that its steps share. */
export interface OutboxRun extends OutboxContext, JobRun {}

/** The tab as it is, ready for a run. */
export interface OutboxTab {
  readonly snapshot: Snapshot;
  /** Headers without which nothing is sent (W11). */
  readonly missing: readonly string[];
  /** The ID column existed before and is missing now. */
  readonly isIdColumnLost: boolean;
}

/**
 * Throws if the CRM has no messages. The configuration is refused then, so that only a program without that check gets
 * here.
 */
export function messagesOf({ crm }: Pick<OutboxContext, 'crm'>): Messages {
  if (!crm.messages) throw new RunFailed('this CRM sends no messages: remove the outbox');
  return crm.messages;
}
