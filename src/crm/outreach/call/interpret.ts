// Turns one HTTP exchange into an answer or an error of its operation.
import {
  AnswerTooLargeError,
  AuthenticationError,
  GatewayError,
  NotFoundError,
  OutcomeUnknownError,
  PermissionError,
  PlanLimitError,
  RateLimitError,
  UnexpectedAnswerError,
  UnreachableError,
  ValidationError,
} from '../../errors.ts';
import type { FailedCall, ServiceError } from '../../errors.ts';
import type { Exchange } from './exchange.ts';
import { NotThisAnswer } from '../operations/define.ts';
import type { Operation } from '../operations/define.ts';
import { isHtml, isOwnWord, isRefusal, readRefusal } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { retryAfterMs } from './retry-after.ts';

/** Decides what one exchange means for the operation that made it. */
export type Interpretation<Answer> =
  | { readonly answer: Answer }
  /** `again`: a repeat may help, and does no harm if the operation may be repeated. */
  | { readonly error: ServiceError; readonly again: boolean };

/** How a pause of unknown length is asked for: the budget knows how many 429s came before. */
export type PauseFor = (retryAfterMs: number | undefined) => number;

export function interpret<Answer>(
  operation: Operation<never, Answer>,
  exchange: Exchange,
  call: FailedCall,
  pauseFor: PauseFor,
  now: number,
): Interpretation<Answer> {
  switch (exchange.outcome) {
    case 'not-sent':
      return { error: new UnreachableError(call, exchange.why, { cause: exchange.cause }), again: true };
    case 'too-large':
      return operation.repeat === 'read'
        ? { error: new AnswerTooLargeError(call, exchange.why, { cause: exchange.cause }), again: false }
        : unanswered(operation, call, exchange.why, false, exchange.cause);
    case 'no-answer':
      return unanswered(operation, call, exchange.why, !exchange.aborted, exchange.cause);
    case 'answered': {
      const { status, headers, text } = exchange;
      if (status >= 200 && status < 300) return success(operation, status, text, call);
      if (status >= 300 && status < 400) {
        const where = headers.get('location') ?? 'another address';
        return { error: new UnexpectedAnswerError(call, `redirected to ${where}`), again: false };
      }
      if (status === 429) {
        return { error: new RateLimitError(call, pauseFor(retryAfterMs(headers, now))), again: true };
      }
      const json = parseJson(text);
      const refusal = readRefusal(json, text);
      if (isOwnWord(json, text)) {
        const known = operation.answer.refused?.({ status, message: refusal.message });
        if (known) return known;
      } else if (claimsOfRecords.has(status)) {
        return unanswered(operation, call, `answered by something else than the service: ${refusal.message}`, true);
      }
      return refused(operation, status, refusal, call);
    }
  }
}

/**
 * Statuses that describe a record: it does not exist, or it exists already. Contacts are deleted, created or left alone
 * because of them. So they count from the service alone; proxies and load balancers send them too.
 */
const claimsOfRecords: ReadonlySet<number> = new Set([404, 409]);

function success<Answer>(
  operation: Operation<never, Answer>,
  status: number,
  text: string,
  call: FailedCall,
): Interpretation<Answer> {
  const { blank, read } = operation.answer;
  // No trimming: that would copy the whole text.
  if (!/\S/.test(text)) {
    if (status === 204 && blank === 'unknown') return reading(operation, call, () => read(undefined, status));
    // A loaded service answers a repeated read in full. A write has happened or not, and the answer does not say which.
    return typeof blank === 'object' ? blank : unanswered(operation, call, `a blank answer`, blank === 'again');
  }
  const json = parseJson(text);
  if (json === undefined) {
    if (!isHtml(text))
      return unanswered(operation, call, 'an answer that is cut or no JSON', operation.repeat === 'read');
    if (operation.repeat !== 'read') return unanswered(operation, call, 'an HTML page for an answer', false);
    return {
      error: new UnexpectedAnswerError(call, `answered ${readRefusal(json, text).message} instead of JSON`),
      again: false,
    };
  }
  if (isRefusal(json)) return refused(operation, status, readRefusal(json, text), call);
  return reading(operation, call, () => read(json, status));
}

function reading<Answer>(
  operation: Operation<never, Answer>,
  call: FailedCall,
  read: () => Answer,
): Interpretation<Answer> {
  try {
    return { answer: read() };
  } catch (error) {
    if (!(error instanceof NotThisAnswer)) throw error;
    const what = `answered something else: ${error.message}`;
    if (operation.repeat !== 'read') return unanswered(operation, call, what, false);
    return { error: new UnexpectedAnswerError(call, what), again: false };
  }
}

/** Words of refusals that mean a limit of the plan although their status is 403 or 422. */
const planWords = /\b(limit|subscription|payment|capacity|upgrade)\b/i;

function refused<Answer>(
  operation: Operation<never, Answer>,
  status: number,
  refusal: Refusal,
  call: FailedCall,
): Interpretation<Answer> {
  const { message, reason, fields } = refusal;
  const final = (error: ServiceError) => ({ error, again: false });
  switch (kindOf(status, reason)) {
    case 401:
      return final(new AuthenticationError(call, message));
    case 402:
      return final(new PlanLimitError(call, message));
    case 403:
      return final(
        mayMeetLimit(operation, message) ? new PlanLimitError(call, message) : new PermissionError(call, message),
      );
    case 404:
      return final(new NotFoundError(call, message));
    case 422:
      return final(
        mayMeetLimit(operation, message)
          ? new PlanLimitError(call, message)
          : new ValidationError(call, message, fields),
      );
    default:
      return unanswered(operation, call, `the service failed: ${message}`, true);
  }
}

/** The plan limits the making of sender profiles only; elsewhere a text about limits concerns a value. */
function mayMeetLimit({ path, method }: Operation<never>, message: string): boolean {
  return method === 'POST' && path.includes('/sender-profiles') && planWords.test(message);
}

type RefusalKind = 401 | 402 | 403 | 404 | 422 | 500;

const kindByReason: Readonly<Record<string, RefusalKind>> = {
  auth_exception: 401,
  payment_required: 402,
  access_denied: 403,
  not_found: 404,
  validation_error: 422,
  bad_request: 422,
};

/** Only the reason identifies a refusal inside a 200. 408 comes from a gateway that gave up, like 504. */
function kindOf(status: number, reason: string | undefined): RefusalKind {
  if (status < 300) return kindByReason[reason ?? ''] ?? 500;
  if (status === 401 || status === 402 || status === 403 || status === 404) return status;
  return status < 500 && status !== 408 ? 422 : 500;
}

/** No usable answer: harmless for a read; a write may have happened or not. */
function unanswered(
  { repeat }: Operation<never>,
  call: FailedCall,
  what: string,
  again: boolean,
  cause?: unknown,
): { readonly error: ServiceError; readonly again: boolean } {
  const error =
    repeat === 'read'
      ? new GatewayError(call, what, { cause })
      : new OutcomeUnknownError(call, what, repeat === 'harmless', { cause });
  return { error, again };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
