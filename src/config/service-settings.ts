// Reads the connection to the service from flags and the environment.
import { readFileSync } from 'node:fs';
import { addressFault } from './address.ts';
import { textToHeaders } from './headers.ts';
import type { Secret } from '../lib/secret.ts';
import { readSecretFile, textToToken } from './secret-file.ts';
import { SettingsError } from './settings-error.ts';

/** The settings of a connection to the service. */
export interface ServiceSettings {
  readonly baseUrl: string;
  readonly token: Secret;
  readonly requestsPerMinute: number;
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** Sent with each request. */
  readonly extraHeaders?: Readonly<Record<string, Secret>>;
}

/** The defaults. */
export const serviceDefaults = {
  /** Under the 300 a minute at which the service starts to refuse (docs/service.md). */
  requestsPerMinute: 240,
  concurrency: 2,
  timeoutSecs: 30,
} as const;

/** Reads the settings from flags, else from the environment. The token is given directly or in a file. */
export function readServiceSettings(
  env: Readonly<Record<string, string | undefined>>,
  flags: { readonly baseUrl?: string; readonly tokenFile?: string; readonly timeoutSecs?: number } = {},
): ServiceSettings {
  const baseUrl = flags.baseUrl ?? env['OUTREACH_BASE_URL'];
  if (!baseUrl) throw new SettingsError('no service address: set OUTREACH_BASE_URL, or give --base-url or --config');
  return {
    baseUrl: checkAddress(baseUrl),
    token: readToken(env, flags.tokenFile),
    requestsPerMinute: serviceDefaults.requestsPerMinute,
    concurrency: serviceDefaults.concurrency,
    timeoutMs: (flags.timeoutSecs ?? serviceDefaults.timeoutSecs) * 1_000,
    ...(env['OUTREACH_HEADERS'] && { extraHeaders: textToHeaders(env['OUTREACH_HEADERS'], 'OUTREACH_HEADERS') }),
  };
}

/** Throws SettingsError. `flag`: the file that an option names. */
export function readToken(env: Readonly<Record<string, string | undefined>>, flag: string | undefined): Secret {
  const file = flag ?? (env['OUTREACH_TOKEN'] ? undefined : env['OUTREACH_TOKEN_FILE']);
  if (file !== undefined) return textToToken(readSecretFile('token', file, readText), file);
  const token = env['OUTREACH_TOKEN'];
  if (!token) throw new SettingsError('no token: set OUTREACH_TOKEN, or OUTREACH_TOKEN_FILE to a file that holds it');
  return textToToken(token, 'OUTREACH_TOKEN');
}

function readText(file: string): string {
  return readFileSync(file, 'utf8');
}

/** https, or plain http to this machine: the token is sent with each request. */
function checkAddress(text: string): string {
  switch (addressFault(text)) {
    case undefined:
      return text;
    case 'no-address':
      throw new SettingsError(
        `the service address "${withoutUser(text)}" is no http address; it looks like https://host`,
      );
    case 'plain-http':
      throw new SettingsError(`the service address ${origin(text)} must be https: the token would travel in the open`);
    case 'extras':
      throw new SettingsError(
        `the service address ${origin(text)} must be just the address: no user, query or fragment`,
      );
  }
}

function origin(address: string): string {
  return new URL(address).origin;
}

/** A mistake in the scheme must not show the password after it. */
function withoutUser(address: string): string {
  return address.replace(/^([a-z+.-]{1,20}:\/\/)?.*@/is, '$1[secret]@');
}
