import { cutSaid } from '../../../limits/answer-size.ts';
import { isObject } from '../operations/answers.ts';
import type { FieldMessages } from '../../errors.ts';

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
    ...(isText(error['reason']) && { reason: cutSaid(error['reason']) }),
    // Its sentence goes on in ours.
    message: message === undefined ? plainText(text) : cutSaid(message.trim().replace(/\.$/, '')),
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

/**
 * Whether a refusal may be the service's own: a JSON object, or nothing at all. The contract shows no body of a 404, so its
 * fields are left open. A page, a text, or JSON of another kind is written by something between here and the service.
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

/** More than the fields of any operation, and more than anybody reads of one field. */
const fieldsMax = 50;
const messagesMax = 5;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The beginning of a body in which a title, a doctype or a first sentence is looked for. */
const headChars = 10_000;

/** The first words of a body that is no JSON: an HTML page by its title, a text as it is. */
function plainText(text: string): string {
  const head = text.slice(0, headChars);
  const title = titleOf(head);
  if (title) return `an HTML page titled "${cutSaid(title, 200)}"`;
  if (isHtml(head)) return 'an HTML page';
  const words = head.replaceAll(/\s+/g, ' ').trim();
  return words === '' ? 'no reason given' : cutSaid(words, 200);
}

/** By positions: an expression would begin anew at each of many `<title` that do not end. */
function titleOf(head: string): string | undefined {
  const lower = head.toLowerCase();
  const open = lower.indexOf('<title');
  const start = open < 0 ? -1 : lower.indexOf('>', open);
  const end = start < 0 ? -1 : lower.indexOf('<', start);
  // Letters that are longer in lower case would move the places.
  return end < 0 || lower.length !== head.length ? undefined : head.slice(start + 1, end).trim();
}

export function isHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body|\?xml)/i.test(text.slice(0, headChars));
}
