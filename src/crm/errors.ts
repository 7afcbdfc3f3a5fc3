/*
 * What can go wrong with a call to a CRM, one class a kind, whichever driver made it. The code is stable, for logs, metrics and docs
 * (docs/errors.md lists them all); the message is a sentence for the person who reads it at night.
 */

export interface FailedCall {
  /** What was done, by the driver's name for it: `contacts.update`. */
  readonly operation: string;
  /** What the call was about, as far as it is known: a contact's uuid, say. */
  readonly subject?: string;
  /** Of a driver over HTTP: the status. Undefined when no answer arrived. Only the driver decides by it. */
  readonly status?: number;
  readonly requestId?: string;
  /** How often the call was sent, this failure included; 0 when it was refused before sending. */
  readonly attempts: number;
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
    super(`${call.operation}${subject}: ${what}${status}${attempts}. ${remedy}`, options);
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

/** The token is not accepted. Final: it will not get better by asking again, so the driver makes no further call. */
export class AuthenticationError extends ServiceError {
  override readonly code = 'authentication';
  /** The service's words. */
  readonly said: string;
  /** True for the calls that were refused unsent because an earlier one had been told so; say it to people once. */
  readonly repeated: boolean;

  constructor(call: FailedCall, said: string, repeated = false) {
    super(
      call,
      `the service does not accept the token: ${said}`,
      'Make a new API key and set it as crm.token (OUTREACH_TOKEN)',
    );
    this.said = said;
    this.repeated = repeated;
  }
}

/** Concerns this record or this feature only. */
export class PermissionError extends ServiceError {
  override readonly code = 'permission';

  constructor(call: FailedCall, said: string) {
    super(call, `the service refuses access: ${said}`, 'Ask for the right on this record or feature');
  }
}

/** The plan of the account does not allow it: a subscription or a limit. Concerns this feature only. */
export class PlanLimitError extends ServiceError {
  override readonly code = 'plan_limit';

  constructor(call: FailedCall, said: string) {
    super(call, `the plan of the account does not allow it: ${said}`, 'Raise the plan or free capacity');
  }
}

/** There is no such record. */
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
  /** The service's own words, without what to do about them. */
  readonly said: string;
  /** The service's own words, by field. Empty when it named none. */
  readonly fields: FieldMessages;

  constructor(call: FailedCall, said: string, fields: FieldMessages) {
    const named = Object.keys(fields).length > 0 ? `${said} (${describeFields(fields)})` : said;
    const remedy = named === said ? 'Sending it again as it is will not help' : 'Mend the value it names';
    super(call, `refused: ${named}`, remedy);
    this.said = named;
    this.fields = fields;
  }
}

/** Too many calls. This one was not carried out; the whole budget pauses for `retryAfterMs`. */
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
 * No usable answer to a call that changes nothing or was surely not carried out: the service failed, or something between
 * here and there.
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

/** Something answered, and it is not the service. */
export class UnexpectedAnswerError extends ServiceError {
  override readonly code = 'unexpected_answer';

  constructor(call: FailedCall, what: string) {
    super(call, what, isAddressRight);
  }
}

/**
 * A read was answered with more than any honest answer of its kind; nothing of it was kept. The same call would be answered
 * so again.
 */
export class AnswerTooLargeError extends ServiceError {
  override readonly code = 'answer_too_large';

  constructor(call: FailedCall, what: string, options?: ErrorOptions) {
    super(call, `${what}, and was not read`, isAddressRight, options);
  }
}

/**
 * The call may have been carried out or not: it was sent and its answer is lost or says nothing. The caller reads what the
 * service offers to read, or asks a person, before it repeats the call (docs/errors.md says which write is read how).
 */
export class OutcomeUnknownError extends ServiceError {
  override readonly code = 'outcome_unknown';
  /** True where a repeat leaves the service as one call does, once reading has shown what is there. */
  readonly harmlessToRepeat: boolean;

  constructor(call: FailedCall, what: string, harmlessToRepeat: boolean, options?: ErrorOptions) {
    super(call, `${what}, so it may have happened or not`, 'Look in the service before doing it again', options);
    this.harmlessToRepeat = harmlessToRepeat;
  }
}

/** The end was asked for before this call began (`CallOptions.stop`): nothing of it was carried out. */
export class StoppedError extends ServiceError {
  override readonly code = 'stopped';
  override readonly retryable = true;

  constructor(call: FailedCall) {
    super(call, 'not begun, because the end was asked for', 'The next run does it');
  }
}

/** Surely not carried out, and the same again would not be either, until somebody mends what it names. */
export function isRefusal(error: ServiceError): boolean {
  return (
    error instanceof ValidationError ||
    error instanceof NotFoundError ||
    error instanceof PermissionError ||
    error instanceof PlanLimitError ||
    error instanceof InvalidInputError
  );
}

function describeFields(fields: FieldMessages): string {
  return Object.entries(fields)
    .map(([field, messages]) => `${field}: ${messages.join(', ')}`)
    .join('; ');
}
