/*
 * The errors of a call to a CRM, one class for each kind of failure, the same for every driver.
 * A code is stable, for logs, metrics and docs (docs/errors.md lists all of them). A message is a sentence for people.
 */

export interface FailedCall {
  /** The operation, by the driver's name for it: `contacts.update`. */
  readonly operation: string;
  /** The record that the call concerned, if known: for example the uuid of a contact. */
  readonly subject?: string;
  /** The HTTP status, from a driver over HTTP. undefined: no answer arrived. Only the driver decides by it. */
  readonly status?: number;
  readonly requestId?: string;
  /** How often the call was sent, this failure included. 0: it was refused before sending. */
  readonly attempts: number;
  /** An attempt before this one had no answer: that one may have been carried out, whatever this one was answered. */
  readonly mayHaveArrived?: true;
  /** The first 2 KB of the answer, secrets masked. */
  readonly body?: string;
}

const isAddressRight = 'Is crm.base_url (OUTREACH_BASE_URL) the address of the service?';

export abstract class ServiceError extends Error {
  abstract readonly code: string;
  /** Whether the same call may be made again later as it is. An unknown outcome is to be resolved by reading first. */
  readonly retryable: boolean = false;
  readonly call: FailedCall;

  constructor(call: FailedCall, what: string, remedy: string, options?: ErrorOptions) {
    const subject = call.subject === undefined ? '' : ` ${call.subject}`;
    const status = call.status === undefined ? '' : ` (HTTP ${call.status})`;
    const attempts = call.attempts > 1 ? ` after ${call.attempts} attempts` : '';
    const lost = call.mayHaveArrived ? ', of which an earlier one had no answer and may have been carried out' : '';
    super(`${call.operation}${subject}: ${what}${status}${attempts}${lost}. ${remedy}`, options);
    this.name = new.target.name;
    this.call = call;
  }
}

/** The input is not what the operation takes; nothing was sent. Fields by name, each with what is wrong. */
export class InvalidInputError extends ServiceError {
  override readonly code = 'invalid_input';
  readonly fields: FieldMessages;

  constructor(call: FailedCall, fields: FieldMessages) {
    super(call, `not sent, ${describeFields(fields)}`, 'See `leadsheet api --list` for what the operation takes');
    this.fields = fields;
  }
}

export type FieldMessages = Readonly<Record<string, readonly string[]>>;

/** The service does not accept the token. Final: the driver makes no further call. */
export class AuthenticationError extends ServiceError {
  override readonly code = 'authentication';
  /** The words of the service. */
  readonly said: string;
  /** True for calls that were refused unsent because an earlier call had this error. People are told once. */
  readonly repeated: boolean;

  constructor(call: FailedCall, said: string, repeated = false) {
    super(
      call,
      `the service does not accept the token: ${said}`,
      'Make a new API key and set it as crm.token of this account, or in the file or variable that its crm section names',
    );
    this.said = said;
    this.repeated = repeated;
  }
}

/** The refusal concerns this record or this feature only. */
export class PermissionError extends ServiceError {
  override readonly code = 'permission';

  constructor(call: FailedCall, said: string) {
    super(call, `the service refuses access: ${said}`, 'Ask for the right on this record or feature');
  }
}

/** The plan of the account does not allow the call: a subscription or a limit. Concerns this feature only. */
export class PlanLimitError extends ServiceError {
  override readonly code = 'plan_limit';

  constructor(call: FailedCall, said: string) {
    super(call, `the plan of the account does not allow it: ${said}`, 'Raise the plan or free capacity');
  }
}

/** The record does not exist. */
export class NotFoundError extends ServiceError {
  override readonly code = 'not_found';

  constructor(call: FailedCall, said: string) {
    const remedy = call.subject === undefined ? isAddressRight : 'It may have been deleted, or belong to another team';
    super(call, `does not exist: ${said}`, remedy);
  }
}

/** The service read the request and refuses it. Sending it again changes nothing. */
export class ValidationError extends ServiceError {
  override readonly code = 'validation';
  /** The words of the service, without advice about them. */
  readonly said: string;
  /** The words of the service, by field. Empty: the service named no field. */
  readonly fields: FieldMessages;

  constructor(call: FailedCall, said: string, fields: FieldMessages) {
    const named = Object.keys(fields).length > 0 ? `${said} (${describeFields(fields)})` : said;
    const remedy = named === said ? 'Sending it again as it is will not help' : 'Correct the value it names';
    super(call, `refused: ${named}`, remedy);
    this.said = named;
    this.fields = fields;
  }
}

/** Too many calls. This call was not carried out; the whole budget pauses for `retryAfterMs`. */
export class RateLimitError extends ServiceError {
  override readonly code = 'rate_limit';
  override readonly retryable = true;
  readonly retryAfterMs: number;

  constructor(call: FailedCall, retryAfterMs: number) {
    const seconds = Math.ceil(retryAfterMs / 1000);
    super(call, `too many requests, the service asks for ${seconds} s`, 'Lower crm.requests_per_minute if it persists');
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * No usable answer to a call that changes nothing or was surely not carried out. The service, or a machine between here
 * and the service, failed.
 */
export class GatewayError extends ServiceError {
  override readonly code = 'gateway';
  override readonly retryable = true;

  constructor(call: FailedCall, what: string, options?: ErrorOptions) {
    const remedy = 'Nothing was changed; it can be tried again';
    super(call, what, call.status === 404 ? `${remedy}. ${isAddressRight}` : remedy, options);
  }
}

/** The service could not be reached at all; nothing was sent. */
export class UnreachableError extends ServiceError {
  override readonly code = 'unreachable';
  override readonly retryable = true;

  constructor(call: FailedCall, what: string, options?: ErrorOptions) {
    super(call, what, 'Check crm.base_url (OUTREACH_BASE_URL) and the network', options);
  }
}

/** The answer does not come from the service. */
export class UnexpectedAnswerError extends ServiceError {
  override readonly code = 'unexpected_answer';

  constructor(call: FailedCall, what: string) {
    super(call, what, isAddressRight);
  }
}

/**
 * The answer to a read is larger than any valid answer of its kind. It was not kept. The same call would get the same
 * answer.
 */
export class AnswerTooLargeError extends ServiceError {
  override readonly code = 'answer_too_large';

  constructor(call: FailedCall, what: string, options?: ErrorOptions) {
    super(call, `${what}, and was not read`, isAddressRight, options);
  }
}

/**
 * The call was sent, and its answer is lost or unclear: it may have been carried out. Before a repeat, the caller reads
 * what the service offers to read, or asks a person (docs/errors.md says which write is read how).
 */
export class OutcomeUnknownError extends ServiceError {
  override readonly code = 'outcome_unknown';
  /** True: after reading, a repeat leaves the service as one call does. */
  readonly harmlessToRepeat: boolean;

  constructor(call: FailedCall, what: string, harmlessToRepeat: boolean, options?: ErrorOptions) {
    super(call, `${what}, so it may have happened or not`, 'Look in the service before doing it again', options);
    this.harmlessToRepeat = harmlessToRepeat;
  }
}

/** Whether the call may have been carried out: its answer is lost, or that of an attempt before the last one. */
export function mayHaveArrived(error: unknown): boolean {
  return error instanceof OutcomeUnknownError || (error instanceof ServiceError && error.call.mayHaveArrived === true);
}

/** The caller asked to stop before this call began (`CallOptions.stop`). Nothing of it was carried out. */
export class StoppedError extends ServiceError {
  override readonly code = 'stopped';
  override readonly retryable = true;

  constructor(call: FailedCall) {
    super(call, 'not begun, because the end was asked for', 'The next run does it');
  }
}

/** The call was surely not carried out. A repeat fails too until a person corrects what the error names. */
export function isRefusal(error: ServiceError): boolean {
  return (
    error instanceof ValidationError ||
    error instanceof NotFoundError ||
    error instanceof PermissionError ||
    error instanceof PlanLimitError ||
    error instanceof InvalidInputError
  );
}

/**
 * The text behind "refused: " in a row or a list. Where the service itself refused, these are its own words. The name of the
 * operation, the uuid and the HTTP status would tell the person at the sheet nothing.
 */
export function refusalText(error: ServiceError): string {
  return error instanceof ValidationError && !error.call.mayHaveArrived ? error.said : error.message;
}

function describeFields(fields: FieldMessages): string {
  return Object.entries(fields)
    .map(([field, messages]) => `${field}: ${messages.join(', ')}`)
    .join('; ');
}
