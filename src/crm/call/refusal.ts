import { isObject } from '../operations/answers.ts';
import type { FieldMessages } from '../errors.ts';

/** What a refusal says, whichever of its shapes it came in. */
export interface Refusal {
  /** The service's own word: `validation_error`, `not_found`, ... */
  readonly reason?: string;
  readonly message: string;
  readonly fields: FieldMessages;
}

/**
 * Reads an error body: the service's envelope (`error` with reason, message, data), a plain `message`, Laravel's
 * `errors`, a bare text, an HTML page, or nothing.
 */
export function readRefusal(json: unknown, text: string): Refusal {
  if (!isObject(json)) return { message: plainText(text), fields: {} };
  const error = isObject(json['error']) ? json['error'] : {};
  const message = [error['message'], json['message'], json['error'], error['reason']].find(isText);
  return {
    ...(isText(error['reason']) && { reason: error['reason'] }),
    // Its sentence goes on in ours.
    message: message?.trim().replace(/\.$/, '') ?? plainText(text),
    fields: { ...readFields(json['errors']), ...readFields(error['data']) },
  };
}

/**
 * The envelope has been seen inside a 200 as well. A record has a uuid and a page has rows; a refusal has neither, though it
 * may carry an empty list for the rows that it does not answer: an end of the pages that says so is none (T6).
 */
export function isRefusal(json: unknown): boolean {
  if (!isObject(json) || 'uuid' in json) return false;
  const { error, data } = json;
  if (Array.isArray(data) && data.length > 0) return false;
  return isText(error) || (isObject(error) && (isText(error['reason']) || isText(error['message'])));
}

function readFields(value: unknown): FieldMessages {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([field, messages]) => [
      field,
      (Array.isArray(messages) ? messages : [messages]).map(String),
    ]),
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The first words of a body that is no JSON: an HTML page by its title, a text as it is. */
function plainText(text: string): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.trim();
  if (title) return `an HTML page titled "${title}"`;
  if (isHtml(text)) return 'an HTML page';
  const words = text.replaceAll(/\s+/g, ' ').trim();
  if (words === '') return 'no reason given';
  return words.length > 200 ? `${words.slice(0, 200)}...` : words;
}

export function isHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body|\?xml)/i.test(text);
}
