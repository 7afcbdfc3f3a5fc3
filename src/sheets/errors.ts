// The errors of any spreadsheet. Each has a `code` and says whether the same call may succeed later by itself
// (`retryable`).
// A message is a sentence a person can act on. A driver adds errors of its own (google/errors.ts); docs/errors.md lists
// all. No message and no property holds a key or a token. Expected outcomes of single rows are not errors: see port.ts.

export interface SheetsErrorContext {
  /** By the driver's name for it. */
  readonly spreadsheetId?: string;
  /** As `Snapshot.tabId`. */
  readonly tabId?: string;
  readonly cause?: unknown;
}

/** The base of all. `cause` is what the spreadsheet answered, without the request. */
export abstract class SheetsError extends Error {
  /** Stable; logs and docs/errors.md use it. */
  abstract readonly code: string;
  readonly retryable: boolean = false;
  /** Nothing of the call was applied, and the same again would be refused again while the spreadsheet is as it is (W5). */
  readonly isRefusal: boolean = false;
  /** The credentials were refused, or what they may do: every call of the account would be. */
  readonly isOfAccount: boolean = false;
  readonly spreadsheetId?: string;
  readonly tabId?: string;

  constructor(message: string, { spreadsheetId, tabId, cause }: SheetsErrorContext = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    if (spreadsheetId !== undefined) this.spreadsheetId = spreadsheetId;
    if (tabId !== undefined) this.tabId = tabId;
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

/** Deleted, never existed, or hidden from an account that only sees files it opened itself. */
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
      // Without quotation marks, which the log takes for a quote of a cell.
      `Spreadsheet ${context.spreadsheetId} has no tab ${tab}; it has ${titles.join(', ')}`,
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

/** The tab kept changing while it was read, in chunks or by columns that had moved; nothing may be concluded (L7). */
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

/** The answer to a read is larger than the limit. The same read would get the same answer. */
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

/** No connection was made: the request was surely not processed. */
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

/** A write was sent and no answer shows whether it was applied. Never resent without reading back first (W4). */
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
