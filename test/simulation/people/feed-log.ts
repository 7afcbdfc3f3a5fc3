// The acts of people in the tab of the feed that its judge has to know.
export interface FeedLog {
  /** IDs that people put into more than one row. */
  readonly copied: Set<string>;
  /** People merged cells of the tab. */
  hasMerged: boolean;
}

export function createFeedLog(): FeedLog {
  return { copied: new Set(), hasMerged: false };
}
