// Decides whether a run must read its tab, or may take it for unread and unchanged since the last look (W14, W15).

/** The answer of the spreadsheet's host about the time since a mark. It is never a proof: it may be late, wrong or missing. */
export type HintVerdict = 'unmoved' | 'moved' | 'unknown';

/** The last look at the tab after which a run had nothing to do. */
export interface LastLook {
  /** When it began, epoch milliseconds. */
  readonly at: number;
  /** The host's answer from before it began; undefined: the host was not asked, or gave no answer. */
  readonly mark?: string | undefined;
}

export interface LookCase {
  /** Undefined: there was none, or another process has run the job since. */
  readonly last: LastLook | undefined;
  /** A person or a hook asked for the run, it reads everything, or a decision waits. */
  readonly isWanted: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** How long a tab may go unread. */
  readonly fullLookMs: number;
  /** Undefined: not asked yet. */
  readonly hint?: HintVerdict;
}

export type LookReason = 'wanted' | 'never looked' | 'full look' | 'no mark' | 'moved' | 'no hint';

/**
 * Why the tab must be read; undefined: nothing so far says so. With more known, a reason stays a reason. A run without a look
 * plans nothing and writes nothing: where the service has a change to plan, the run reads the tab all the same.
 */
export function whyLook({ last, isWanted, now, fullLookMs, hint }: LookCase): LookReason | undefined {
  if (isWanted) return 'wanted';
  if (last === undefined) return 'never looked';
  const sinceMs = now - last.at;
  // The clock was set back: how long the tab went unread is not known.
  if (!(sinceMs >= 0 && sinceMs < fullLookMs)) return 'full look';
  if (last.mark === undefined) return 'no mark';
  if (hint === 'moved') return 'moved';
  return hint === 'unknown' ? 'no hint' : undefined;
}
