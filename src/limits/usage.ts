// How much of each budget is spent: for metrics, the heartbeat and whoever asks.

/** `sheet_reads` and `sheet_writes` as Google counts them. */
export type BudgetName = 'crm' | 'sheet_reads' | 'sheet_writes';

export interface BudgetUsage {
  /** Calls started since the process began. */
  readonly total: number;
  readonly lastMinute: number;
  /** How many a minute may have. */
  readonly perMinute: number;
}

export type Usage = Readonly<Record<BudgetName, BudgetUsage>>;
