// The differences between the kinds of jobs, for code that treats all kinds alike.

export type JobKind = 'sync' | 'feed' | 'outbox';

export interface Kind {
  readonly name: JobKind;
  /** The name with its article: "a sync". */
  readonly one: string;
  readonly many: string;
  /** Which of its runs read every record of the service. */
  readonly fullScans: 'when asked' | 'always' | 'never';
  /** Whether `plan --out` saves its plans for `apply`. */
  readonly isSaved: boolean;
  /** Whether people decide about single records: `resolve`, `retry`. */
  readonly takesDecisions: boolean;
  readonly words: KindWords;
}

/** The words of a kind's reports, for people. */
export interface KindWords {
  /** For `RunCounts.linked`: "12 linked". */
  readonly linked: (count: number) => string;
  /** The records that `created`, `updated` and `deleted` count. */
  readonly records: string;
  /** The name of changes of the service with `op: 'update'`. */
  readonly update: { readonly one: string; readonly many: string };
  /** The effect of an approval if no guard holds the run: "to let the wishes through". */
  readonly approved: string;
}
