// Looks whether the account of the key reaches a spreadsheet, and names what a person has to do if it does not.
import { SheetsError } from '../../sheets/errors.ts';
import type { CallSettings, Sheets, SpreadsheetTabs } from '../../sheets/port.ts';

export type Access =
  | { readonly kind: 'ready'; readonly spreadsheet: SpreadsheetTabs }
  /** A person can change this while we wait. `code`: of the error. */
  | { readonly kind: 'waiting'; readonly code: string; readonly what: string; readonly remedy: string };

/** One read, and one write that changes nothing. Throws what is no SheetsError, and an aborted call. */
export async function lookAtSpreadsheet(
  sheets: Sheets,
  spreadsheet: string,
  settings: CallSettings = {},
): Promise<Access> {
  try {
    const tabs = await sheets.listTabs(spreadsheet, settings);
    const spec = {
      spreadsheet,
      tab: tabs.tabs[0]?.reference ?? '',
      headerRow: 1,
      idHeader: '',
      columns: [],
      owner: '',
    };
    await sheets.checkMayWrite(spec, settings);
    return { kind: 'ready', spreadsheet: tabs };
  } catch (error) {
    if (!(error instanceof SheetsError) || error.code === 'aborted') throw error;
    return { kind: 'waiting', code: error.code, ...wordsFor(error, sheets.account) };
  }
}

function wordsFor({ code, message }: SheetsError, account: string): { what: string; remedy: string } {
  switch (code) {
    case 'not-shared':
      return {
        what: 'The sheet is not shared yet',
        remedy: `In the sheet choose Share, and add ${account} as an editor`,
      };
    case 'read-only-share':
      return {
        what: 'The sheet is shared, but read only',
        remedy: `In the sheet choose Share, and make ${account} an editor`,
      };
    case 'spreadsheet-gone':
      return {
        what: 'There is no such sheet',
        remedy: `Correct the address, or share the sheet with ${account} as an editor`,
      };
    case 'api-disabled':
      return {
        what: 'The Google Sheets API is off',
        remedy: `In the project of ${account} enable it: https://console.cloud.google.com/apis/library/sheets.googleapis.com`,
      };
    case 'credentials-refused':
      // Google names the times of a token, which this machine's clock makes.
      return /timeframe|iat and exp|expired|token used too early/i.test(message)
        ? {
            what: 'The clock of this machine is wrong',
            remedy: 'Set it: Google refuses a key that is signed at another time',
          }
        : { what: 'Google refuses the key', remedy: message };
    default:
      return { what: 'The sheet cannot be read', remedy: message };
  }
}
