// The errors that only Google Sheets has. Errors of any spreadsheet are in ../errors.ts.
import { SheetsError, type SheetsErrorContext } from '../errors.ts';

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
  override readonly isOfAccount = true;
  constructor(account: string, reason: string, context?: SheetsErrorContext) {
    super(
      `Google refused the credentials of ${account}: ${reason.replace(/\.$/, '')}. ` +
        'Check that the key or consent still exists and that this machine’s clock is right, or make a new credentials file',
      context,
    );
  }
}

export class ScopeMissingError extends SheetsError {
  readonly code = 'scope-missing';
  override readonly isOfAccount = true;
  constructor(account: string, scope: string, context: SheetsErrorContext) {
    super(
      `The credentials of ${account} lack the scope ${scope}: authorise again with it, or use a service account`,
      context,
    );
  }
}

export class ApiDisabledError extends SheetsError {
  readonly code = 'api-disabled';
  override readonly isOfAccount = true;
  constructor(account: string, context: SheetsErrorContext) {
    super(
      `The Google Sheets API is switched off in the Cloud project of ${account}: enable it there and try again`,
      context,
    );
  }
}

/** The account may not edit the cells. The protected ranges decide it, because Google’s sentence is localised. */
export class ProtectedError extends SheetsError {
  readonly code = 'protected';
  override readonly isRefusal = true;
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

/** Other metadata uses up the 30,000 characters of developer metadata of the tab (or of the spreadsheet). */
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

/** A read failed repeatedly. */
export class UnavailableError extends SheetsError {
  readonly code = 'unavailable';
  override readonly retryable = true;
  constructor(problem: string, context: SheetsErrorContext) {
    super(`Google Sheets does not answer properly (${problem}); the next run tries again`, context);
  }
}

/** Any other refusal; the sentence is Google’s. */
export class RefusedError extends SheetsError {
  readonly code = 'refused';
  override readonly isRefusal = true;
  readonly status: number;
  constructor(status: number, message: string, context: SheetsErrorContext) {
    super(`Google refused the request, and nothing of it was applied (${status}): ${message}`, context);
    this.status = status;
  }
}
