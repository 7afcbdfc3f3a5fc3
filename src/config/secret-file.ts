// Reads secrets from files, and checks their form and length.
import { Secret } from '../lib/secret.ts';
import { SettingsError } from './settings-error.ts';

/** The text of a file in UTF-8; throws as `node:fs` does, with a `code`. */
export type ReadFile = (file: string) => string;

/** A secret that is the whole content of a file, without the line end that editors and secret stores add. */
export function readSecretFile(what: string, file: string, readFile: ReadFile): string {
  let text: string;
  try {
    text = readFile(file);
  } catch (error) {
    throw new SettingsError(`the ${what} file ${file} cannot be read (${errorCode(error)})`, { cause: error });
  }
  const secret = text.replace(/(\r?\n)+$/, '');
  if (secret.trim() === '') throw new SettingsError(`no ${what}: ${file} is empty`);
  return secret;
}

/** A token is sent in a header, which cannot hold line ends. `source` is its origin, for the message. */
export function textToToken(text: string, source: string): Secret {
  const token = text.trim();
  if (token === '') throw new SettingsError(`no token: ${source} is empty`);
  if (!isToken(token)) {
    throw new SettingsError(`the token in ${source} has spaces or line ends inside; copy it again, as one word`);
  }
  if (isInQuotes(token)) {
    throw new SettingsError(
      `the token in ${source} has quotes around it; leave them out, since they count as part of it`,
    );
  }
  return new Secret(token);
}

export function isToken(text: string): boolean {
  return /^[\u0021-\u007e]+$/.test(text);
}

/**
 * `docker run --env-file` and a file that holds a token keep the quotes that `.env`, systemd and Compose take off. The service
 * would answer 401, and the advice about that is to make a new API key.
 */
export function isInQuotes(text: string): boolean {
  return /^(["']).*\1$/s.test(text);
}

/** Enough against guesses on this machine. */
export const hookSecretCharsMin = 16;
export const hookSecretWords = `one word of ${hookSecretCharsMin} characters or more, such as openssl rand -hex 32 makes`;
/** For an address that others can reach: 128 random bits, also when written as hexadecimal digits. */
export const hookSecretCharsMinBeyond = 32;

/**
 * NIST SP 800-63B-4, section 3.1.1.2: a password that is the only factor has 15 characters or more
 * (https://pages.nist.gov/800-63-4/sp800-63b.html).
 */
export const passwordCharsMinBeyond = 15;

/** It is sent in a header or in an address. */
export function isHookSecret(text: string, charsMin: number): boolean {
  return text.length >= charsMin && isToken(text);
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
