// Masks the secrets of a request in its answer: a service may repeat what it was sent.
import type { Secret } from '../../../lib/secret.ts';
import type { Exchange } from './exchange.ts';

/**
 * A shorter secret would mask parts of ordinary words, such as the number of a team in an extra header. A key of five characters or
 * fewer is one that a person types for a stand-in: in a success its mask would change names, and what a sync writes.
 */
const maskedCharsMin = 6;

export interface SentSecrets {
  readonly token: Secret;
  readonly extraHeaders?: Readonly<Record<string, Secret>> | undefined;
}

type Mask = (text: string) => string;

/**
 * The exchange without secrets. Values of extra headers stay in the body of a success: a team's number may be part of a
 * contact's data. `maskAll` masks them there too, for an error that is made from the body.
 */
export function maskExchange(result: Exchange, sent: SentSecrets): Exchange {
  if (!isSuccess(result)) return maskAll(result, sent);
  return masked(result, allOf(sent), isLong(sent.token) ? (text) => sent.token.maskIn(text) : (text) => text);
}

/** The exchange without any secret of the request. JSON stays JSON of the same shape. */
export function maskAll(result: Exchange, sent: SentSecrets): Exchange {
  const mask = allOf(sent);
  return masked(result, mask, sent.extraHeaders ? (text) => maskJson(text, mask) : mask);
}

function isSuccess(result: Exchange): boolean {
  return result.outcome === 'answered' && result.status >= 200 && result.status < 300;
}

function allOf({ token, extraHeaders = {} }: SentSecrets): Mask {
  const values = Object.values(extraHeaders).filter(isLong);
  const secrets = [token, ...values];
  return (text) => secrets.reduce((rest, secret) => secret.maskIn(rest), text);
}

function isLong(secret: Secret): boolean {
  return secret.reveal().length >= maskedCharsMin;
}

function masked(result: Exchange, mask: Mask, maskBody: Mask): Exchange {
  if (result.outcome !== 'answered') return { ...result, why: mask(result.why) };
  const headers = new Headers([...result.headers].map(([name, value]): [string, string] => [name, mask(value)]));
  return { ...result, headers, text: maskBody(result.text) };
}

/** A masked number would be invalid JSON; a text is valid. */
function maskJson(text: string, mask: Mask): string {
  const whole = mask(text);
  if (whole === text) return text;
  try {
    return JSON.stringify(JSON.parse(text), (_key, value: unknown) => {
      if (typeof value === 'string') return mask(value);
      return typeof value === 'number' && mask(String(value)) !== String(value) ? mask(String(value)) : value;
    });
  } catch {
    return whole;
  }
}
