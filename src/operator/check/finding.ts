// Findings: the result of one check, and the turning of a failure into a finding.
import { areSeveral } from '../../config/accounts.ts';
import type { Config } from '../../config/config.ts';
import { ServiceError } from '../../crm/errors.ts';
import { SheetsError } from '../../sheets/errors.ts';
import { StateError } from '../../state/errors.ts';
import { RunFailed } from '../../engine/errors.ts';

export interface Finding {
  readonly verdict: 'ok' | 'warning' | 'failed' | 'skipped';
  /** `service`, `google`, or the name of a sync or feed. With several accounts `service of ACCOUNT`. */
  readonly about: string;
  /** The thing that was checked: `token`, `list`, `tab`, `headers`... */
  readonly what: string;
  /** The result and, unless it is `ok`, what to do. */
  readonly detail: string;
}

/** The subject of findings about a side of an account. With one account, none is named. */
export function aboutSide(config: Pick<Config, 'accounts'>, account: string, side: 'service' | 'google'): string {
  return areSeveral(config) ? `${side} of ${account}` : side;
}

export type Found = Pick<Finding, 'verdict' | 'detail'>;

/** Runs a check. An error of a port becomes a finding, because its message says what to do; any other error is thrown. */
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
