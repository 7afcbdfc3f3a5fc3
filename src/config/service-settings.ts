import { readFileSync } from 'node:fs';
import { Secret } from './secret.ts';

/** How to reach the service. */
export interface ServiceSettings {
  readonly baseUrl: string;
  readonly token: Secret;
  readonly requestsPerMinute: number;
  readonly concurrency: number;
  readonly timeoutMs: number;
}

/** A setting is missing or wrong; the message says which and what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Under the 300 a minute at which the service starts to refuse. */
const requestsPerMinute = 240;

/** Reads the settings from flags, else from the environment. The token is given by itself or in a file. */
export function readServiceSettings(
  env: Readonly<Record<string, string | undefined>>,
  flags: { readonly baseUrl?: string; readonly tokenFile?: string; readonly timeoutSecs?: number } = {},
): ServiceSettings {
  const baseUrl = flags.baseUrl ?? env['OUTREACH_BASE_URL'];
  if (!baseUrl) throw new SettingsError('no service address: set OUTREACH_BASE_URL, or give --base-url');
  return {
    baseUrl: checkAddress(baseUrl),
    token: readToken(env, flags.tokenFile),
    requestsPerMinute,
    concurrency: 2,
    timeoutMs: (flags.timeoutSecs ?? 30) * 1_000,
  };
}

function readToken(env: Readonly<Record<string, string | undefined>>, flag: string | undefined): Secret {
  const file = flag ?? (env['OUTREACH_TOKEN'] ? undefined : env['OUTREACH_TOKEN_FILE']);
  if (file !== undefined) return new Secret(oneLine(readTokenFile(file), file));
  const token = env['OUTREACH_TOKEN'];
  if (!token) throw new SettingsError('no token: set OUTREACH_TOKEN, or OUTREACH_TOKEN_FILE to a file that holds it');
  return new Secret(oneLine(token, 'OUTREACH_TOKEN'));
}

function readTokenFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new SettingsError(`the token file ${file} cannot be read (${why})`, { cause: error });
  }
}

/** A header cannot carry line ends; a file usually ends with one. */
function oneLine(text: string, source: string): string {
  const token = text.trim();
  if (token === '') throw new SettingsError(`no token: ${source} is empty`);
  if (!/^[\u0021-\u007e]+$/.test(token)) {
    throw new SettingsError(`the token in ${source} has spaces or line ends inside; copy it again, as one word`);
  }
  return token;
}

/** https, or plain http to this machine: the token travels with each request. */
function checkAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new SettingsError(`the service address "${text}" is no http address; it looks like https://host`);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new SettingsError(`the service address ${url.origin} must be https: the token would travel in the open`);
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new SettingsError(`the service address ${url.origin} must be just the address: no user, query or fragment`);
  }
  return text;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
