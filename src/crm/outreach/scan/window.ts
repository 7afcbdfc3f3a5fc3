// The input of each way of reading a window, and the counts of a scan.
import type { Capabilities } from './capabilities.ts';
import type { PageSource } from './pages.ts';
import type { Seen } from './seen.ts';

export interface WindowOptions {
  readonly source: PageSource;
  readonly capabilities: Capabilities;
  /** Rows read from one query at most. */
  readonly windowRows: number;
  /** The instant from which new contacts are excluded, once the scan needs more than one page. */
  readonly upperBound: () => string | undefined;
  readonly tally: Tally;
  readonly seen: Seen;
}

/** The counts of a scan, for its report. */
export interface Tally {
  pages: number;
  duplicates: number;
  /** Rows that were no contacts, counted again when read again. */
  unreadable: number;
  drifted: number;
  /** Windows whose totals moved in every reading. */
  unsettled: number;
  /** Windows that did not move and gave less than their totals: how many contacts of how many. */
  short: { read: number; of: number };
  /** Windows that no query gives to its end: the reason, in words. */
  limits: string[];
  /** The number of contacts by the service; undefined: it does not say, or counts others too. */
  expected: number | undefined;
}
