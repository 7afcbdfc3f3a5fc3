// Further headers that a service may require with each request, such as Team-ID.
import { Secret } from '../lib/secret.ts';
import { SettingsError } from './settings-error.ts';

/** Headers that HTTP needs for a request, and those that leadsheet sets itself. */
const ownHeaders = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

export const headerNameWords =
  'the name of a header, such as Team-ID, that is none of authorization, content-type, host and others that leadsheet sets';
export const headerValueWords = 'one line of printable ASCII without spaces around it';

/** A field name by RFC 9110, section 5.1, and none of ours. */
export function isExtraHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) && !ownHeaders.has(name.toLowerCase());
}

export const identityHeaderWords =
  'the name of a header such as X-Forwarded-User, that is none of authorization, cookie, x-forwarded-for and others with a meaning of their own';

/** A header that a proxy sets with the name of a person. */
export function isIdentityHeader(name: string): boolean {
  const meaningful = ['origin', 'referer', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded'];
  const lower = name.toLowerCase();
  return isExtraHeaderName(name) && !meaningful.includes(lower) && !lower.startsWith('sec-');
}

export function isHeaderValue(value: string): boolean {
  return /^[\u0021-\u007e](?:[\u0020-\u007e]{0,8000}[\u0021-\u007e])?$/.test(value);
}

/** The first name that occurs earlier in another case. */
export function repeatedHeader(names: readonly string[]): string | undefined {
  const lower = names.map((name) => name.toLowerCase());
  return names.find((name, index) => lower.indexOf(name.toLowerCase()) < index);
}

/** `{"Team-ID": "5"}`, the form of OUTREACH_HEADERS. Never quotes a value. */
export function textToHeaders(text: string, source: string): Readonly<Record<string, Secret>> {
  const given = parseObject(text);
  const names = Object.keys(given ?? {});
  const isFine =
    given !== undefined &&
    names.every((name) => isExtraHeaderName(name)) &&
    repeatedHeader(names) === undefined &&
    Object.values(given).every((value) => typeof value === 'string' && isHeaderValue(value));
  if (!isFine) {
    throw new SettingsError(
      `${source} must be a JSON object of headers, such as {"Team-ID": "5"}: each key ${headerNameWords}, each value ${headerValueWords}`,
    );
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, new Secret(value as string)]));
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
