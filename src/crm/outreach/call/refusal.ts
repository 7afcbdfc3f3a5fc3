// Reads the words of a refusal from the body of an error answer.
import { cutSaid } from '../../../limits/answer-size.ts';
import { isObject } from '../operations/answers.ts';
import type { FieldMessages } from '../../errors.ts';

/** The content of a refusal, in any of its shapes. */
export interface Refusal {
  /** The word of the service: `validation_error`, `not_found`, ... */
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
    ...(isText(error['reason']) && { reason: cutSaid(error['reason']) }),
    // The sentence of the service continues in ours.
    message: message === undefined ? plainText(text) : cutSaid(message.trim().replace(/\.$/, '')),
    fields: { ...readFields(json['errors']), ...readFields(error['data']) },
  };
}

/**
 * The envelope also occurs inside a 200. A record has a uuid and a page has rows; a refusal has neither. It may carry
 * an empty list for missing rows: such an answer is no end of the pages (T6).
 */
export function isRefusal(json: unknown): boolean {
  if (!isObject(json) || 'uuid' in json) return false;
  const { error, data } = json;
  if (Array.isArray(data) && data.length > 0) return false;
  return isText(error) || (isObject(error) && (isText(error['reason']) || isText(error['message'])));
}

/**
 * Whether a refusal may come from the service: it is a JSON object, or empty. The contract shows no body of a 404, so
 * its fields are left open. A page, a text or other JSON comes from a machine between here and the service.
 */
export function isOwnWord(json: unknown, text: string): boolean {
  if (isObject(json) || json === null) return true;
  return Array.isArray(json) ? json.length === 0 : text.trim() === '';
}

function readFields(value: unknown): FieldMessages {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, fieldsMax)
      .map(([field, messages]) => [
        cutSaid(field, 100),
        (Array.isArray(messages) ? messages : [messages]).slice(0, messagesMax).map((each) => cutSaid(String(each))),
      ]),
  );
}

/** More than the fields of any operation, and more than people read about one field. */
const fieldsMax = 50;
const messagesMax = 5;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The part of a body that is searched for a title, a doctype or a first sentence. */
const headChars = 10_000;

/** The first words of a body that is not JSON: the title of an HTML page, or the beginning of a text. */
function plainText(text: string): string {
  const head = text.slice(0, headChars);
  const title = titleOf(head);
  if (title) return `an HTML page titled "${cutSaid(title, 200)}"`;
  if (isHtml(head)) return 'an HTML page';
  const words = head.replaceAll(/\s+/g, ' ').trim();
  return words === '' ? 'no reason given' : cutSaid(words, 200);
}

/** Uses positions: a regular expression would begin anew at each unclosed `<title`. */
function titleOf(head: string): string | undefined {
  const lower = head.toLowerCase();
  const open = lower.indexOf('<title');
  const start = open < 0 ? -1 : lower.indexOf('>', open);
  const end = start < 0 ? -1 : lower.indexOf('<', start);
  // Some letters are longer in lower case and would shift the positions.
  return end < 0 || lower.length !== head.length ? undefined : head.slice(start + 1, end).trim();
}

export function isHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body|\?xml)/i.test(text.slice(0, headChars));
}
