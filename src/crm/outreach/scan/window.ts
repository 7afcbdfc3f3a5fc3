// What each way of reading a window is given, and what a scan counts as it goes.
import type { Capabilities } from './capabilities.ts';
import type { PageSource } from './pages.ts';
import type { Seen } from './seen.ts';

export interface WindowOptions {
  readonly source: PageSource;
  readonly capabilities: Capabilities;
  /** Rows read from one query at most. */
  readonly windowRows: number;
  /** The instant new contacts are kept out from, once the scan is seen to need more than one page. */
  readonly upperBound: () => string | undefined;
  readonly tally: Tally;
  readonly seen: Seen;
}

/** What a scan counts as it goes, for its report. */
export interface Tally {
  pages: number;
  duplicates: number;
  /** Rows that were no contacts, also when they were read again. */
  unreadable: number;
  drifted: number;
  /** Windows whose totals kept moving however often they were read. */
  unsettled: number;
  /** Of windows that stood still and never gave all they promised: how many of how many. */
  short: { read: number; of: number };
  /** Of windows that no query gives to its end: why, in words. */
  limits: string[];
  /** Contacts the service says there are; undefined where it does not tell, or counts others in. */
  expected: number | undefined;
}
