// The options of the tab that a sync or feed writes.
import { text, wholeNumber } from './leaves.ts';
import { duration } from './times.ts';

export const spreadsheetWords =
  'the id of a spreadsheet, or its address as the browser shows it: https://docs.google.com/spreadsheets/d/...';

export const spreadsheet = text(spreadsheetWords).describe(
  'The spreadsheet: its id, or its address as copied from the browser.',
);
export const tab = text('the title of the tab, or gid:123').describe(
  'The tab: its title, or `gid:123` as in its address, which stays true when the tab is renamed.',
);
/**
 * Google's limit: a spreadsheet has at most ten million cells, so no row number is higher.
 * https://support.google.com/drive/answer/37603
 */
export const headerRow = wholeNumber(1, 10_000_000)
  .default(1)
  .describe('The row that holds the headers. Rows above it are never looked at.');
export const fullLook = () =>
  duration('10s', '1h')
    .default('5m')
    .describe(
      'How long the tab may go unread while `google.hints` is on and nothing says that it changed: 30s, 5m or 1h. An edit that ' +
        'Google shows late, or never, waits for so long at most. Without hints every run reads the tab.',
    );
export const header = () => text('the header of a column');
