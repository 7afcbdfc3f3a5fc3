import { decodeJwt } from 'jose';
import type { Secret } from '../../lib/secret.ts';

/** Identifies the account of a token at the service of this address. Two teams of one service share no data (G1). */
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
