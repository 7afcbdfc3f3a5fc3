// How one kind of job differs from the others, for code that treats all kinds alike.

export type JobKind = 'sync' | 'feed' | 'outbox';

export interface Kind {
  readonly name: JobKind;
  /** With its article: "a sync". */
  readonly one: string;
  readonly many: string;
  /** Which of its runs read every record of the service. */
  readonly fullScans: 'when asked' | 'always' | 'never';
  /** Whether `plan --out` saves its plans, for `apply`. */
  readonly isSaved: boolean;
  /** Whether people decide about single records of it: `resolve`, `retry`. */
  readonly takesDecisions: boolean;
  readonly words: KindWords;
}

/** What the reports of a kind are called, for people. */
export interface KindWords {
  /** Of `RunCounts.linked`: "12 linked". */
  readonly linked: (count: number) => string;
  /** What `created`, `updated` and `deleted` count. */
  readonly records: string;
  /** What changes of the service's side with `op: 'update'` are. */
  readonly update: { readonly one: string; readonly many: string };
  /** What an approval lets through where no guard holds the run: "to let the wishes through". */
  readonly approved: string;
}
