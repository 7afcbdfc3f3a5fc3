// Says when the API key ends, and warns if that is soon.
import { decodeJwt } from 'jose/jwt/decode';
import { areSeveral } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import { jobsIn } from '../config/jobs.ts';
import type { Secret } from '../lib/secret.ts';
import type { Found } from '../operator/check/finding.ts';

const dayMs = 24 * 3_600_000;
/** A person has to make the next key, and needs time for it. */
const warnDays = 30;
/** The last instant of a date (ECMAScript, 21.4.1.1). */
const dateMsMax = 8.64e15;

/** A sentence if the token ends soon or has ended. The service checks the signature; a token may be no JWT. */
export function tokenWarning(token: Secret, now: number): string | undefined {
  const expiresAt = expiryOf(token);
  if (expiresAt === undefined || expiresAt - now > warnDays * dayMs) return undefined;
  return expiresAt <= now
    ? `the token expired on ${dayText(expiresAt)}; make a new API key in the service`
    : `the token expires on ${dayText(expiresAt)}, in ${Math.ceil((expiresAt - now) / dayMs)} days; make a new API key in time`;
}

/** Warnings about tokens that end soon: of the accounts of these jobs, or of all accounts. With several accounts, each sentence names its account. */
export function tokenWarnings(config: Config, now: number, names?: readonly string[]): readonly string[] {
  const jobs = jobsIn(config).filter(({ name }) => names?.includes(name) ?? true);
  const used = new Set(jobs.map((job) => job.config.account));
  return [...config.accounts.values()].flatMap(({ name, crm }) => {
    const warning = used.has(name) ? tokenWarning(crm.token, now) : undefined;
    if (warning === undefined) return [];
    return [areSeveral(config) ? `account ${name}: ${warning}` : warning];
  });
}

/** The finding of `check` about the token. */
export function judgeToken(token: Secret, now: number): Found {
  const warning = tokenWarning(token, now);
  if (warning !== undefined) return { verdict: 'warning', detail: warning };
  const expiresAt = expiryOf(token);
  return {
    verdict: 'ok',
    detail: `there is one; ${expiresAt === undefined ? 'its expiry is not known' : `it expires on ${dayText(expiresAt)}`}`,
  };
}

function dayText(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** Epoch milliseconds; undefined: the token does not say, or says no date. */
function expiryOf(token: Secret): number | undefined {
  try {
    const { exp } = decodeJwt(token.reveal());
    const isDate = typeof exp === 'number' && exp >= 0 && exp * 1_000 <= dateMsMax;
    return isDate ? exp * 1_000 : undefined;
  } catch {
    return undefined;
  }
}
