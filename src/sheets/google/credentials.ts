// Reads and checks the credentials file, and makes auth clients from it. An error is one line that names the file and
// the remedy; nothing from inside the file is quoted but the account's name.
import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  type OAuth2ClientOptions,
  AwsClient,
  type AwsClientOptions,
  type BaseExternalAccountClient,
  IdentityPoolClient,
  type IdentityPoolClientOptions,
  JWT,
  UserRefreshClient,
} from 'google-auth-library';
import { z } from 'zod';
import { CredentialsUnreadableError } from './errors.ts';

/** Reading and writing cells and developer metadata. Reading metadata needs the full scope too. */
export const sheetsScope = 'https://www.googleapis.com/auth/spreadsheets';

export type Transporter = NonNullable<OAuth2ClientOptions['transporterOptions']>;
export type GoogleClient = JWT | UserRefreshClient | BaseExternalAccountClient;

export interface Credentials {
  /** The account to share the spreadsheet with: an e-mail address if the file has one. Never a secret. */
  readonly account: string;
  /**
   * A client without a cached token. `transporter` has the fetch for token calls and API calls. `scope`: that of Sheets if left
   * out. The consent of a person decides the scopes of an authorized user.
   */
  createAuthClient(transporter: Transporter, scope?: string): GoogleClient;
}

const serviceAccount = z.looseObject({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
});

const authorizedUser = z.looseObject({
  type: z.literal('authorized_user'),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  refresh_token: z.string().min(1),
});

/** The sources of a workload's own token: a file, a URL or a certificate, or Amazon's metadata. */
const poolSource = z.custom<NonNullable<IdentityPoolClientOptions['credential_source']>>(
  (source) => isObject(source) && ('file' in source || 'url' in source || 'certificate' in source),
);
const awsSource = z.custom<NonNullable<AwsClientOptions['credential_source']>>(
  (source) => isObject(source) && 'environment_id' in source,
);

const externalAccount = z.looseObject({
  type: z.literal('external_account'),
  audience: z.string().min(1),
  subject_token_type: z.string().min(1),
  token_url: z.url(),
  credential_source: z.looseObject({}),
  service_account_impersonation_url: z.url().optional(),
});

const credentialsFile = z.discriminatedUnion('type', [serviceAccount, authorizedUser, externalAccount]);
type CredentialsFile = z.infer<typeof credentialsFile>;

/** Files that the Cloud console also offers for download and that are easily mistaken for a key. */
const oauthClient = z.union([
  z.looseObject({ installed: z.looseObject({}) }),
  z.looseObject({ web: z.looseObject({}) }),
]);

const makeNewKey = 'download a new JSON key for the service account in the Google Cloud console';

export async function readCredentials(file: string): Promise<Credentials> {
  return parseCredentials(await readText(file), file);
}

/**
 * Like `readCredentials`, from text already read; `file` is for messages only.
 * @internal
 */
export function parseCredentials(text: string, file: string): Credentials {
  const parsed = check(parseJson(text, file), file);
  if (parsed.type === 'service_account') return serviceAccountCredentials(parsed, file);
  if (parsed.type === 'authorized_user') return authorizedUserCredentials(parsed, file);
  return externalAccountCredentials(parsed, file);
}

// The library's request log would hold tokens and cells, so it is off.
const quiet = { useAuthRequestParameters: false } as const;

function serviceAccountCredentials(parsed: z.infer<typeof serviceAccount>, file: string): Credentials {
  const { client_email: email, private_key: key, private_key_id: keyId } = parsed;
  checkPrivateKey(key, file);
  return {
    account: email,
    createAuthClient: (transporterOptions, scope = sheetsScope) =>
      new JWT({ ...quiet, email, key, ...(keyId && { keyId }), scopes: [scope], transporterOptions }),
  };
}

function authorizedUserCredentials(parsed: z.infer<typeof authorizedUser>, file: string): Credentials {
  const { client_id: clientId, client_secret: clientSecret, refresh_token: refreshToken } = parsed;
  return {
    account: `the Google account that gave its consent for ${file}`,
    createAuthClient: (transporterOptions) =>
      new UserRefreshClient({ ...quiet, clientId, clientSecret, refreshToken, transporterOptions }),
  };
}

function externalAccountCredentials(parsed: z.infer<typeof externalAccount>, file: string): Credentials {
  createExternalClient(parsed, {}, sheetsScope, file);
  return {
    account: impersonatedEmail(parsed.service_account_impersonation_url) ?? parsed.audience,
    createAuthClient: (transporterOptions, scope = sheetsScope) =>
      createExternalClient(parsed, transporterOptions, scope, file),
  };
}

function createExternalClient(
  parsed: z.infer<typeof externalAccount>,
  transporterOptions: Transporter,
  scope: string,
  file: string,
): BaseExternalAccountClient {
  const { service_account_impersonation_url: impersonation, credential_source: source, ...rest } = parsed;
  const options = {
    ...rest,
    ...(impersonation !== undefined && { service_account_impersonation_url: impersonation }),
    ...quiet,
    scopes: [scope],
    transporterOptions,
  };
  const pool = poolSource.safeParse(source);
  if (pool.success) return new IdentityPoolClient({ ...options, credential_source: pool.data });
  const aws = awsSource.safeParse(source);
  if (aws.success) return new AwsClient({ ...options, credential_source: aws.data });
  const problem = 'its credential_source names no file, url, certificate or environment_id';
  throw new CredentialsUnreadableError(file, problem, 'make the file anew');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw code === 'ENOENT'
      ? new CredentialsUnreadableError(file, 'there is no such file', 'correct google.credentials_file')
      : new CredentialsUnreadableError(file, `cannot be read (${code})`, 'give this process the right to read it');
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    // Some editors put a byte order mark first, which is invalid JSON.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The parser's own message quotes the text around the error, which may be the key.
    throw new CredentialsUnreadableError(file, 'is not JSON', makeNewKey);
  }
}

function check(json: unknown, file: string): CredentialsFile {
  const result = credentialsFile.safeParse(json);
  if (result.success) return result.data;
  const type = z.looseObject({ type: z.string() }).safeParse(json).data?.type;
  const known = credentialsFile.options.map((option) => option.shape.type.value);
  if (oauthClient.safeParse(json).success) {
    const remedy = 'use a service account, or the authorized_user file that a consent to this client gives';
    throw new CredentialsUnreadableError(file, 'is an OAuth client, which opens nothing by itself', remedy);
  }
  if (type === undefined || !known.some((name) => name === type)) {
    throw new CredentialsUnreadableError(
      file,
      type === undefined ? 'has no "type"' : `has the unknown type "${type.slice(0, 40)}"`,
      `it must be the JSON file of a ${known.join(', ')}`,
    );
  }
  const fields = [...new Set(result.error.issues.map((issue) => issue.path.join('.')))];
  throw new CredentialsUnreadableError(file, `lacks a usable ${fields.join(', ')}`, 'make the file anew');
}

function checkPrivateKey(key: string, file: string): void {
  let type: string | undefined;
  try {
    type = createPrivateKey(key).asymmetricKeyType;
  } catch {
    throw new CredentialsUnreadableError(file, 'its private_key is broken', makeNewKey);
  }
  // Google's tokens are requested with RS256.
  if (type !== 'rsa') throw new CredentialsUnreadableError(file, 'its private_key is not an RSA key', makeNewKey);
}

function impersonatedEmail(url: string | undefined): string | undefined {
  return url && /serviceAccounts\/([^/:]+):/.exec(url)?.[1];
}
