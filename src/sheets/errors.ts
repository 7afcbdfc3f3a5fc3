// What can go wrong at the spreadsheet, as a catalogue. Each error has a `code`, says whether the same call may succeed
// later without anybody doing anything (`retryable`), and its message is a sentence a person can act on at 3 a.m.
// No message, and no property, holds a key or a token. Expected outcomes of single rows are not errors: see port.ts.

export type SheetsErrorCode =
  | 'bad-spreadsheet-reference'
  | 'bad-endpoint'
  | 'credentials-unreadable'
  | 'credentials-refused'
  | 'not-shared'
  | 'read-only-share'
  | 'scope-missing'
  | 'api-disabled'
  | 'spreadsheet-gone'
  | 'tab-gone'
  | 'header-row-beyond-grid'
  | 'table-moving'
  | 'protected'
  | 'quota'
  | 'payload-too-large'
  | 'answer-too-large'
  | 'metadata-full'
  | 'unreachable'
  | 'unavailable'
  | 'outcome-unknown'
  | 'aborted'
  | 'refused';

export interface SheetsErrorContext {
  readonly spreadsheetId?: string;
  readonly sheetId?: number;
  readonly cause?: unknown;
}

/** The base of all. `cause`, where set, is Google's status and sentence, stripped of the request. */
export abstract class SheetsError extends Error {
  abstract readonly code: SheetsErrorCode;
  readonly retryable: boolean = false;
  readonly spreadsheetId?: string;
  readonly sheetId?: number;

  constructor(message: string, { spreadsheetId, sheetId, cause }: SheetsErrorContext = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    if (spreadsheetId !== undefined) this.spreadsheetId = spreadsheetId;
    if (sheetId !== undefined) this.sheetId = sheetId;
  }
}

export class BadSpreadsheetReferenceError extends SheetsError {
  readonly code = 'bad-spreadsheet-reference';
  constructor(text: string) {
    super(
      `"${text}" is neither a spreadsheet id nor the URL of one: copy the address from the browser, ` +
        'https://docs.google.com/spreadsheets/d/…',
    );
  }
}

export class BadEndpointError extends SheetsError {
  readonly code = 'bad-endpoint';
  constructor(endpoint: string, problem: string) {
    super(`google.endpoint ${endpoint} ${problem}`);
  }
}

/** The credentials file is missing, not JSON, of an unknown type or has a broken key. One line: file and remedy. */
export class CredentialsUnreadableError extends SheetsError {
  readonly code = 'credentials-unreadable';
  constructor(file: string, problem: string, remedy: string) {
    super(`${file}: ${problem}; ${remedy}`);
  }
}

/** Google refused the credentials themselves: deleted key, revoked consent, wrong clock. */
export class CredentialsRefusedError extends SheetsError {
  readonly code = 'credentials-refused';
  constructor(account: string, reason: string, context?: SheetsErrorContext) {
    super(
      `Google refused the credentials of ${account}: ${reason.replace(/\.$/, '')}. ` +
        'Check that the key or consent still exists and that this machine’s clock is right, or make a new credentials file',
      context,
    );
  }
}

export class NotSharedError extends SheetsError {
  readonly code = 'not-shared';
  constructor(account: string, context: SheetsErrorContext) {
    super(
      `Spreadsheet ${context.spreadsheetId} is not shared with ${account}: open it, choose Share, and add ${account} as an editor`,
      context,
    );
  }
}

export class ReadOnlyShareError extends SheetsError {
  readonly code = 'read-only-share';
  constructor(account: string, context: SheetsErrorContext) {
    super(
      `${account} may not write to spreadsheet ${context.spreadsheetId}: open it, choose Share, and make ${account} an editor`,
      context,
    );
  }
}

export class ScopeMissingError extends SheetsError {
  readonly code = 'scope-missing';
  constructor(account: string, scope: string, context: SheetsErrorContext) {
    super(
      `The credentials of ${account} lack the scope ${scope}: authorise again with it, or use a service account`,
      context,
    );
  }
}

export class ApiDisabledError extends SheetsError {
  readonly code = 'api-disabled';
  constructor(account: string, context: SheetsErrorContext) {
    super(
      `The Google Sheets API is switched off in the Cloud project of ${account}: enable it there and try again`,
      context,
    );
  }
}

/** 404: deleted, never existed, or hidden from an account that only sees files it opened itself. */
export class SpreadsheetGoneError extends SheetsError {
  readonly code = 'spreadsheet-gone';
  constructor(account: string, context: SheetsErrorContext) {
    super(
      `Spreadsheet ${context.spreadsheetId} was not found: it was deleted, the id is wrong, or ${account} cannot see it`,
      context,
    );
  }
}

export class TabGoneError extends SheetsError {
  readonly code = 'tab-gone';
  constructor(tab: string, titles: readonly string[], context: SheetsErrorContext) {
    super(
      `Spreadsheet ${context.spreadsheetId} has no tab ${tab}; it has ${titles.map((title) => `"${title}"`).join(', ')}`,
      context,
    );
  }
}

export class HeaderRowBeyondGridError extends SheetsError {
  readonly code = 'header-row-beyond-grid';
  constructor(title: string, headerRow: number, rowCount: number, context: SheetsErrorContext) {
    super(
      `header_row is ${headerRow}, but tab "${title}" has only ${rowCount} rows: correct header_row or add rows`,
      context,
    );
  }
}

/** The tab kept changing while it was read, in chunks or by columns that were elsewhere; nothing may be concluded (L7). */
export class TableMovingError extends SheetsError {
  readonly code = 'table-moving';
  override readonly retryable = true;
  constructor(attempts: number, context: SheetsErrorContext) {
    super(
      `The tab’s rows or columns moved each of the ${attempts} times it was read; the next run tries again`,
      context,
    );
  }
}

/** Cells the account may not edit. Told by the protected ranges themselves, since Google’s sentence is localised. */
export class ProtectedError extends SheetsError {
  readonly code = 'protected';
  constructor(account: string, ranges: readonly string[], context: SheetsErrorContext) {
    super(
      `${account} may not edit the protected range ${ranges.join(', ')}: ` +
        'its owner can add the account under Data, Protected sheets and ranges',
      context,
    );
  }
}

export class QuotaError extends SheetsError {
  readonly code = 'quota';
  override readonly retryable = true;
  constructor(budget: 'reads' | 'writes', attempts: number, context: SheetsErrorContext) {
    super(
      `Google kept answering that the quota of ${budget} per minute is used up (${attempts} attempts): ` +
        `lower google.${budget}_per_minute, or see what else uses this account`,
      context,
    );
  }
}

export class PayloadTooLargeError extends SheetsError {
  readonly code = 'payload-too-large';
  constructor(context: SheetsErrorContext) {
    super(
      'Google refused a request as too large although it was kept within the advised 2 MB: ' +
        'shorten the longest cells, or map fewer columns',
      context,
    );
  }
}

/** A read was answered with more than is taken in; the same read would be answered so again. */
export class AnswerTooLargeError extends SheetsError {
  readonly code = 'answer-too-large';
  constructor(size: string, context: SheetsErrorContext) {
    super(
      `An answer about spreadsheet ${context.spreadsheetId} was larger than ${size}, and was not read: ` +
        'map fewer columns, or move long texts to a tab of their own',
      context,
    );
  }
}

/** The 30,000 characters of developer metadata of the tab (or of the spreadsheet) are used up, not by this project. */
export class MetadataFullError extends SheetsError {
  readonly code = 'metadata-full';
  constructor(context: SheetsErrorContext) {
    super(
      `The developer metadata of spreadsheet ${context.spreadsheetId} is full (30,000 characters a tab), used up by another ` +
        'add-on or program: no row can be pinned, so nothing was written; remove that add-on’s metadata or use another tab',
      context,
    );
  }
}

/** No connection was made: the request was certainly not processed. */
export class UnreachableError extends SheetsError {
  readonly code = 'unreachable';
  override readonly retryable = true;
  constructor(host: string, problem: string, context: SheetsErrorContext) {
    super(
      `${host} cannot be reached (${problem}): check the network, DNS, proxy and certificates of this machine`,
      context,
    );
  }
}

/** A read failed again and again. */
export class UnavailableError extends SheetsError {
  readonly code = 'unavailable';
  override readonly retryable = true;
  constructor(problem: string, context: SheetsErrorContext) {
    super(`Google Sheets does not answer properly (${problem}); the next run tries again`, context);
  }
}

/** A write was sent and no answer tells whether it was applied. Never resent by itself: read back first (W4). */
export class OutcomeUnknownError extends SheetsError {
  readonly code = 'outcome-unknown';
  constructor(problem: string, context: SheetsErrorContext) {
    super(
      `A write was sent, but whether it was applied is not known (${problem}); the next run reads it back`,
      context,
    );
  }
}

/** The caller’s signal; nothing of this call was sent. */
export class AbortedError extends SheetsError {
  readonly code = 'aborted';
  constructor(context: SheetsErrorContext) {
    super('Stopped before the spreadsheet was called', context);
  }
}

/** Any other refusal; the sentence is Google’s. */
export class RefusedError extends SheetsError {
  readonly code = 'refused';
  readonly status: number;
  constructor(status: number, message: string, context: SheetsErrorContext) {
    super(`Google refused the request, and nothing of it was applied (${status}): ${message}`, context);
    this.status = status;
  }
}
