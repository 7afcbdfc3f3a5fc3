// Signs and checks the bearer tokens of the stand-in.
import { errors, jwtVerify, SignJWT } from 'jose';
import { Refusal } from './refusal.ts';

export interface AuthOptions {
  readonly teamId: number;
  /** HS256 key of the tokens this stand-in signs and accepts. */
  readonly secret: string;
  /** Further accepted tokens. */
  readonly acceptedTokens: readonly string[];
  readonly now: () => number;
}

/** Three years, as the tokens of the service. */
const tokenLifetimeSecs = 3 * 365 * 24 * 3600;

/** Bearer tokens: JWTs bound to one team. */
export class Auth {
  readonly #options: AuthOptions;
  readonly #key: Uint8Array;

  constructor(options: AuthOptions) {
    this.#options = options;
    this.#key = new TextEncoder().encode(options.secret);
  }

  /** A token like those of the service; tests may give a wrong `teamId` or `expiresAt` (epoch ms). */
  async sign({
    teamId = this.#options.teamId,
    expiresAt = this.#options.now() + tokenLifetimeSecs * 1000,
  }: { teamId?: number; expiresAt?: number } = {}): Promise<string> {
    return new SignJWT({ specific_team_id: teamId, token_type: 'api' })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuedAt(new Date(this.#options.now()))
      .setExpirationTime(new Date(expiresAt))
      .sign(this.#key);
  }

  /** The valid token of the header; calls are counted by it. */
  async verify(authorization: string | undefined): Promise<string> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw unauthenticated('The bearer token is missing.');
    if (this.#options.acceptedTokens.includes(token)) return token;
    try {
      const { payload } = await jwtVerify(token, this.#key, {
        algorithms: ['HS256'],
        currentDate: new Date(this.#options.now()),
        requiredClaims: ['exp'],
      });
      if (payload['specific_team_id'] === this.#options.teamId) return token;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw unauthenticated('The token has expired.');
      if (!(error instanceof errors.JOSEError)) throw error;
      throw unauthenticated('The token is not valid.');
    }
    throw unauthenticated('The token belongs to another team.');
  }
}

const unauthenticated = (message: string) => new Refusal({ status: 401, reason: 'auth_exception', message });
