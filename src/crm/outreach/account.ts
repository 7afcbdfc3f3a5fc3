import { decodeJwt } from 'jose';
import type { Secret } from '../../lib/secret.ts';

/** Which account a token is of, at the service of this address: two teams of one service have nothing in common (G1). */
export function accountOf(baseUrl: string, token: Secret): string {
  return `${baseUrl}${teamOf(token)}`;
}

/** Of a token that tells. */
function teamOf(token: Secret): string {
  try {
    const { specific_team_id: team } = decodeJwt<{ specific_team_id?: number | string }>(token.reveal());
    return team === undefined ? '' : ` team ${team}`;
  } catch {
    return '';
  }
}
