// The used part of each budget, for metrics and the heartbeat.

/** `sheet_reads` and `sheet_writes` as Google counts them. */
export type BudgetName = 'crm' | 'sheet_reads' | 'sheet_writes';

export interface BudgetUsage {
  /** Calls started since the process began. */
  readonly total: number;
  readonly lastMinute: number;
  /** The limit for a minute. */
  readonly perMinute: number;
}

export type Usage = Readonly<Record<BudgetName, BudgetUsage>> & {
  /** Calls to Drive, which Google counts apart from Sheets. Left out: hints are off. */
  readonly drive?: BudgetUsage;
};
