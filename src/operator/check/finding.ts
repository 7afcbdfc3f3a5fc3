// What a check has to say.
import { ServiceError } from '../../crm/errors.ts';
import { SheetsError } from '../../sheets/errors.ts';
import { StateError } from '../../state/errors.ts';
import { RunFailed } from '../../engine/errors.ts';

export interface Finding {
  readonly verdict: 'ok' | 'warning' | 'failed' | 'skipped';
  /** `service`, `google`, or the name of a sync or feed. */
  readonly about: string;
  /** What was looked at: `token`, `list`, `tab`, `headers`... */
  readonly what: string;
  /** What was found and, unless all is well, what to do. */
  readonly detail: string;
}

export type Found = Pick<Finding, 'verdict' | 'detail'>;

/** What can go wrong at a port says itself what to do; anything else is a fault of ours. */
export async function* found(about: string, what: string, look: () => Promise<Found>): AsyncGenerator<Finding> {
  try {
    yield { about, what, ...(await look()) };
  } catch (error) {
    const isExpected =
      error instanceof ServiceError ||
      error instanceof SheetsError ||
      error instanceof StateError ||
      error instanceof RunFailed;
    if (!isExpected) throw error;
    yield { about, what, verdict: 'failed', detail: error.message };
  }
}

export function skipped(about: string, what: string, why: string): Finding {
  return { verdict: 'skipped', about, what, detail: `not looked at: ${why}` };
}
