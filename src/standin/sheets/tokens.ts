// The token endpoint, with the answers of oauth2.googleapis.com, and its access tokens.
import { decodeJwt, errors as joseErrors, importSPKI, jwtVerify } from 'jose';
import type { JsonObject } from './json.ts';

export interface ServiceAccount {
  readonly email: string;
  /** PEM, SubjectPublicKeyInfo: the public half of the key file's `private_key`. */
  readonly publicKey: string;
}

/** A person who gave an OAuth client a refresh token. */
interface AuthorizedUser {
  readonly email: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  /** What the person agreed to. Default: spreadsheets. */
  readonly scopes?: readonly string[];
}

/** A workload identity: an external token that stands for an account. */
interface ExternalAccount {
  readonly email: string;
  readonly audience: string;
  readonly subjectToken: string;
}

export interface Credentials {
  readonly serviceAccounts?: readonly ServiceAccount[];
  readonly authorizedUsers?: readonly AuthorizedUser[];
  readonly externalAccounts?: readonly ExternalAccount[];
}

/** The account of an access token. */
export interface Grant {
  readonly email: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** The token of a person at the sheet: not limited and not counted. */
  readonly person: boolean;
}

export interface TokenAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

const spreadsheetsScope = 'https://www.googleapis.com/auth/spreadsheets';
const driveScope = 'https://www.googleapis.com/auth/drive';

/** The lifetime of an access token: https://developers.google.com/identity/protocols/oauth2/service-account */
const lifetimeSecs = 3600;
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** The audience that a service account has to put into its assertion. */
const tokenAudiences = ['https://oauth2.googleapis.com/token', 'https://accounts.google.com/o/oauth2/token'];

export class TokenIssuer {
  private readonly credentials: Credentials;
  private readonly now: () => number;
  private readonly newSecret: (length: number) => string;
  /** Signatures and secrets are not checked: every request gets a token. */
  private readonly acceptAnything: boolean;
  private readonly grantByToken = new Map<string, Grant>();

  constructor(options: {
    readonly credentials: Credentials;
    readonly now: () => number;
    readonly newSecret: (length: number) => string;
    readonly acceptAnything: boolean;
  }) {
    this.credentials = options.credentials;
    this.now = options.now;
    this.newSecret = options.newSecret;
    this.acceptAnything = options.acceptAnything;
  }

  /** A valid access token, as if its owner had just requested it. */
  issue(email: string, scopes: readonly string[] = [spreadsheetsScope], person = false): string {
    const token = `ya29.${this.newSecret(60)}`;
    const expiresAt = person ? Number.POSITIVE_INFINITY : this.now() + lifetimeSecs * 1000;
    this.grantByToken.set(token, { email, scopes, expiresAt, person });
    return token;
  }

  /** Undefined: unknown, expired or revoked. */
  verify(token: string): Grant | undefined {
    const grant = this.grantByToken.get(token);
    if (grant && grant.expiresAt <= this.now()) {
      this.grantByToken.delete(token);
      return undefined;
    }
    return grant;
  }

  /** Revokes all tokens of the account. */
  revoke(email: string): void {
    for (const [token, grant] of this.grantByToken) {
      if (grant.email === email && !grant.person) this.grantByToken.delete(token);
    }
  }

  /** Answers a token request of any of the three kinds. */
  async answer(form: URLSearchParams): Promise<TokenAnswer> {
    switch (form.get('grant_type')) {
      case jwtBearer:
        return this.answerAssertion(form.get('assertion') ?? '');
      case 'refresh_token':
        return this.answerRefresh(form);
      case tokenExchange:
        return this.answerExchange(form);
      default:
        return refusal('unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type') ?? ''}`);
    }
  }

  private async answerAssertion(assertion: string): Promise<TokenAnswer> {
    let claims;
    try {
      claims = decodeJwt(assertion);
    } catch {
      return refusal('invalid_grant', 'Invalid JWT: Failed to parse.');
    }
    const scopes = String(claims['scope'] ?? '')
      .split(' ')
      .filter((scope) => scope !== '');
    const email = claims.iss ?? '';
    if (!this.acceptAnything) {
      const account = this.credentials.serviceAccounts?.find((candidate) => candidate.email === email);
      if (!account) return refusal('invalid_grant', 'Invalid grant: account not found');
      const problem = await this.checkAssertion(assertion, account);
      if (problem) return refusal('invalid_grant', problem);
    }
    if (scopes.length === 0) {
      return refusal('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
    }
    return this.success(email, scopes);
  }

  private async checkAssertion(assertion: string, account: ServiceAccount): Promise<string | undefined> {
    try {
      const key = await importSPKI(account.publicKey, 'RS256');
      const { payload } = await jwtVerify(assertion, key, {
        algorithms: ['RS256'],
        audience: tokenAudiences,
        currentDate: new Date(this.now()),
        requiredClaims: ['iat', 'exp'],
      });
      const nowSecs = this.now() / 1000;
      const reasonable = (payload.iat ?? 0) <= nowSecs + 300 && (payload.exp ?? 0) - (payload.iat ?? 0) <= lifetimeSecs;
      return reasonable ? undefined : unreasonableTimes;
    } catch (error) {
      if (error instanceof joseErrors.JWTExpired) return unreasonableTimes;
      if (error instanceof joseErrors.JWTClaimValidationFailed) return `Invalid JWT: ${error.message}`;
      return 'Invalid JWT Signature.';
    }
  }

  private answerRefresh(form: URLSearchParams): TokenAnswer {
    const token = form.get('refresh_token');
    const user = this.credentials.authorizedUsers?.find((candidate) => candidate.refreshToken === token);
    if (!user) {
      if (this.acceptAnything) return this.success('person@example.com', [spreadsheetsScope, driveScope]);
      return refusal('invalid_grant', 'Token has been expired or revoked.');
    }
    if (form.get('client_id') !== user.clientId || form.get('client_secret') !== user.clientSecret) {
      return { status: 401, body: { error: 'invalid_client', error_description: 'The OAuth client was not found.' } };
    }
    return this.success(user.email, user.scopes ?? [spreadsheetsScope]);
  }

  private answerExchange(form: URLSearchParams): TokenAnswer {
    const account = this.credentials.externalAccounts?.find(
      (candidate) =>
        candidate.audience === form.get('audience') && candidate.subjectToken === form.get('subject_token'),
    );
    const scopes = (form.get('scope') ?? spreadsheetsScope).split(' ');
    const email = account?.email ?? (this.acceptAnything ? 'workload@example.com' : undefined);
    if (email === undefined)
      return refusal('invalid_grant', 'The given credential is rejected by the attribute condition.');
    const { status, body } = this.success(email, scopes);
    return { status, body: { ...body, issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' } };
  }

  private success(email: string, scopes: readonly string[]): TokenAnswer {
    return {
      status: 200,
      body: {
        access_token: this.issue(email, scopes),
        expires_in: lifetimeSecs,
        token_type: 'Bearer',
        scope: scopes.join(' '),
      },
    };
  }
}

const unreasonableTimes =
  'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.';

function refusal(error: string, description: string): TokenAnswer {
  return { status: 400, body: { error, error_description: description } };
}
