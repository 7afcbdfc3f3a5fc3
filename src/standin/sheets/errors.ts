// The refusals of the Sheets and Drive APIs.
import type { Json, JsonObject } from './json.ts';

/** The canonical codes the API answers with, and the HTTP status of each (google.rpc.Code). */
const httpStatusByCode = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
} as const;
export type ErrorCode = keyof typeof httpStatusByCode;

/** A refusal of the Sheets API. Clients see the message verbatim. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: readonly JsonObject[];

  constructor(code: ErrorCode, message: string, details: readonly JsonObject[] = []) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get httpStatus(): number {
    return httpStatusByCode[this.code];
  }

  /** The body of the Sheets API: google.rpc.Status in an envelope, without an `errors` list. */
  toSheetsBody(): JsonObject {
    return {
      error: {
        code: this.httpStatus,
        message: this.message,
        status: this.code,
        ...(this.details.length > 0 ? { details: this.details } : {}),
      },
    };
  }
}

/** A refusal in the Drive API's older envelope. */
export class DriveError extends Error {
  override readonly name = 'DriveError';
  readonly httpStatus: number;
  readonly reason: string;
  readonly location: JsonObject;
  /** Of google.rpc.Status, which newer refusals carry beside the list. */
  readonly status: JsonObject;

  constructor(httpStatus: number, reason: string, message: string, location: JsonObject = {}, status: JsonObject = {}) {
    super(message);
    this.httpStatus = httpStatus;
    this.reason = reason;
    this.location = location;
    this.status = status;
  }

  toDriveBody(): JsonObject {
    const entry: Json = { message: this.message, domain: 'global', reason: this.reason, ...this.location };
    return { error: { code: this.httpStatus, message: this.message, errors: [entry], ...this.status } };
  }
}

/** Runs `body`; a refusal from it gets `prefix` before its message (`Invalid requests[2].updateCells: ...`). */
export function withErrorPrefix<T>(prefix: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'INVALID_ARGUMENT') {
      throw new ApiError(error.code, `${prefix}: ${error.message}`, error.details);
    }
    throw error;
  }
}

export function invalidArgument(message: string): ApiError {
  return new ApiError('INVALID_ARGUMENT', message);
}

/** A body that does not match its message; every violation is named, one line each. */
export function badRequest(violations: readonly { readonly field: string; readonly description: string }[]): ApiError {
  return new ApiError('INVALID_ARGUMENT', violations.map(({ description }) => description).join('\n'), [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: violations.map(({ field, description }) =>
        field === '' ? { description } : { field, description },
      ),
    },
  ]);
}

/** Features of Google that the stand-in lacks: the refusal says so, so that the request does not look wrong. */
export const notPlayed = (what: string): ApiError =>
  new ApiError('UNIMPLEMENTED', `The stand-in does not play ${what}, which Google has. Try it with Google.`);

export const notFound = (): ApiError => new ApiError('NOT_FOUND', 'Requested entity was not found.');

export const permissionDenied = (): ApiError =>
  new ApiError('PERMISSION_DENIED', 'The caller does not have permission');

const scopeMessage = 'Request had insufficient authentication scopes.';

function scopeDetails(service: string, method: string): JsonObject {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
    domain: 'googleapis.com',
    metadata: { service, method },
  };
}

export function scopeInsufficient(method: string): ApiError {
  return new ApiError('PERMISSION_DENIED', scopeMessage, [scopeDetails('sheets.googleapis.com', method)]);
}

/** The newer form of Drive, with the status of all Google APIs beside its own list. */
export function driveScopeInsufficient(operation: string): DriveError {
  const details = [scopeDetails('drive.googleapis.com', `google.apps.drive.v3.${operation}`)];
  return new DriveError(403, 'insufficientPermissions', scopeMessage, {}, { status: 'PERMISSION_DENIED', details });
}

/** This body is not recorded; the wording is the one Google documents for all its APIs. */
export function unauthenticated(): ApiError {
  return new ApiError(
    'UNAUTHENTICATED',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
  );
}

export const driveFileNotFound = (fileId: string): DriveError =>
  new DriveError(404, 'notFound', `File not found: ${fileId}.`, { locationType: 'parameter', location: 'fileId' });
