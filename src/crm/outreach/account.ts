// Reads the account out of a token.
import { decodeJwt } from 'jose/jwt/decode';
import type { Secret } from '../../lib/secret.ts';

/**
 * Names the service by its address, and the account if the token has one. Two teams of one service share no data (G1).
 */
export function accountOf(baseUrl: string, token: Secret): string {
  return `${baseUrl}${teamOf(token)}`;
}

/** If the token names an account. */
function teamOf(token: Secret): string {
  try {
    const { specific_team_id: team } = decodeJwt<{ specific_team_id?: number | string }>(token.reveal());
    return team === undefined ? '' : ` team ${team}`;
  } catch {
    return '';
  }
}
