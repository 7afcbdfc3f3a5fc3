// Turns what Google's client throws into the errors of the catalogue. Decides by status, machine-readable reason and
// system code; never by Google's sentences, which are in the account's language.
import { gaxios } from 'google-auth-library';
import { z } from 'zod';
import { cutSaid, findTooLarge, sizeText } from '../../limits/answer-size.ts';
import {
  AnswerTooLargeError,
  NotSharedError,
  OutcomeUnknownError,
  ReadOnlyShareError,
  SheetsError,
  type SheetsErrorContext,
  SpreadsheetGoneError,
  UnreachableError,
} from '../errors.ts';
import {
  ApiDisabledError,
  CredentialsRefusedError,
  PayloadTooLargeError,
  QuotaError,
  RefusedError,
  ScopeMissingError,
  UnavailableError,
} from './errors.ts';
import type { BudgetKind } from './budget.ts';
import { sheetsScope } from './credentials.ts';
import { NoTokenAnswered, whereOf } from './endpoint.ts';

/** The kind of a failed call: a write may have been applied, a read has no effect. */
export interface FailedCall {
  readonly kind: BudgetKind;
  readonly account: string;
  readonly spreadsheetId: string;
  /** Attempts made so far, including this one. */
  readonly attempts: number;
  /** Where calls go instead of to Google. */
  readonly endpoint?: string | undefined;
}

const googleStatus = z.looseObject({
  error: z.looseObject({
    message: z.string().default(''),
    status: z.string().optional(),
    details: z.array(z.looseObject({ reason: z.string().optional() })).optional(),
  }),
});

const tokenRefusal = z.looseObject({ error: z.string(), error_description: z.string().optional() });

/** Codes of the system, undici and ours of connections that were never made: nothing was sent. */
const notConnectedCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const sheetsHost = 'sheets.googleapis.com';

/** Google's 401 for an API call: the token is no longer valid, the credentials may be. */
export function isTokenRejected(error: unknown): boolean {
  return error instanceof gaxios.GaxiosError && error.status === 401 && isSheetsCall(error);
}

/** Any thrown value as a `SheetsError`; one of the catalogue stays as it is. */
export function toSheetsError(error: unknown, call: FailedCall): SheetsError {
  if (error instanceof SheetsError) return error;
  const { account, spreadsheetId } = call;
  const context: SheetsErrorContext = { spreadsheetId, cause: describeCause(error) };
  if (!(error instanceof gaxios.GaxiosError)) {
    return new CredentialsRefusedError(account, error instanceof Error ? error.message : 'no token was given', context);
  }
  if (error.status === undefined) return connectionError(error, call, context);
  if (!isSheetsCall(error)) return tokenError(error, error.status, account, context);
  return answerError(error, error.status, call, context);
}

function connectionError(
  error: gaxios.GaxiosError,
  { kind, endpoint }: FailedCall,
  context: SheetsErrorContext,
): SheetsError {
  const tooLarge = findTooLarge(error);
  if (tooLarge && isSheetsCall(error)) {
    return kind === 'reads'
      ? new AnswerTooLargeError(sizeText(tooLarge.bytesMax), context)
      : new OutcomeUnknownError(tooLarge.message, context);
  }
  const code = systemCode(error) ?? error.code?.toString() ?? 'no answer';
  const host = whereOf(new URL(error.config.url).host, endpoint);
  if (notConnectedCodes.has(code)) return new UnreachableError(host, code, context);
  // Without a token the write itself was not sent.
  if (error.cause instanceof NoTokenAnswered) return new UnavailableError(error.cause.message, context);
  if (!isSheetsCall(error)) return new UnavailableError(`${host}: ${code}`, context);
  return kind === 'reads' ? new UnavailableError(code, context) : new OutcomeUnknownError(code, context);
}

function tokenError(
  error: gaxios.GaxiosError,
  status: number,
  account: string,
  context: SheetsErrorContext,
): SheetsError {
  if (status >= 500 || status === 429) return new UnavailableError(`no token: ${status}`, context);
  const refusal = tokenRefusal.safeParse(answeredJson(error)).data;
  const reason = refusal ? [refusal.error, refusal.error_description].filter(Boolean).join(', ') : `status ${status}`;
  return new CredentialsRefusedError(account, cutSaid(reason), context);
}

function answerError(
  error: gaxios.GaxiosError,
  status: number,
  call: FailedCall,
  context: SheetsErrorContext,
): SheetsError {
  const { kind, account, attempts } = call;
  const body = googleStatus.safeParse(answeredJson(error)).data?.error;
  const message = cutSaid(body?.message ?? error.message);
  const reasons = new Set(body?.details?.map((detail) => detail.reason));
  // Google always sends these two as its own JSON. The page of a proxy proves nothing about the spreadsheet, and is
  // temporary.
  if ((status === 403 || status === 404) && body === undefined) {
    const problem = `${status}, and not in Google’s words`;
    return kind === 'reads' ? new UnavailableError(problem, context) : new OutcomeUnknownError(problem, context);
  }
  switch (status) {
    case 401:
      return new CredentialsRefusedError(account, 'a fresh token was not accepted', context);
    case 403:
      if (reasons.has('ACCESS_TOKEN_SCOPE_INSUFFICIENT')) return new ScopeMissingError(account, sheetsScope, context);
      if (reasons.has('SERVICE_DISABLED')) return new ApiDisabledError(account, context);
      return kind === 'reads' ? new NotSharedError(account, context) : new ReadOnlyShareError(account, context);
    case 404:
      return new SpreadsheetGoneError(account, context);
    case 413:
      return new PayloadTooLargeError(context);
    case 429:
      return new QuotaError(kind, attempts, context);
  }
  if (status < 500 && status !== 408) return new RefusedError(status, message, context);
  return kind === 'reads'
    ? new UnavailableError(`${status}: ${message}`, context)
    : new OutcomeUnknownError(`${status}: ${message}`, context);
}

/** A call that requested its answer as text gets its refusal as text, too. */
function answeredJson({ response }: gaxios.GaxiosError): unknown {
  const data: unknown = response?.data;
  if (typeof data !== 'string') return data;
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

function isSheetsCall(error: gaxios.GaxiosError): boolean {
  return new URL(error.config.url).hostname === sheetsHost;
}

/** `fetch failed` has the system's code one or two causes down. */
function systemCode(error: Error): string | undefined {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'string' && /^[A-Z_]+$/.test(cause.code)) return cause.code;
  }
  return undefined;
}

/** Status and sentence only: the error itself holds the request with its token and cells. */
function describeCause(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const status = error instanceof gaxios.GaxiosError && error.status !== undefined ? `${error.status} ` : '';
  return new Error(`${status}${cutSaid(error.message)}`);
}
