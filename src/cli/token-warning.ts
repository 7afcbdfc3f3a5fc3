// Warns when the API key ends soon.
import { decodeJwt } from 'jose';
import type { Secret } from '../lib/secret.ts';

const dayMs = 24 * 3_600_000;
/** A person has to make the next key, and needs time for it. */
const warnDays = 30;

/** A sentence if the token ends soon or has ended. The service checks the signature; a token may be no JWT. */
export function tokenWarning(token: Secret, now: number): string | undefined {
  const expiresAt = expiryOf(token);
  if (expiresAt === undefined || expiresAt - now > warnDays * dayMs) return undefined;
  const date = new Date(expiresAt).toISOString().slice(0, 10);
  return expiresAt <= now
    ? `the token expired on ${date}; make a new API key in the service`
    : `the token expires on ${date}, in ${Math.ceil((expiresAt - now) / dayMs)} days; make a new API key in time`;
}

function expiryOf(token: Secret): number | undefined {
  try {
    const { exp } = decodeJwt(token.reveal());
    return exp === undefined ? undefined : exp * 1_000;
  } catch {
    return undefined;
  }
}
