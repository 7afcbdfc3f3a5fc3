// The decisions of people about a held plan, as the operator layer records them, and what the log keeps of them.
import type { DecisionRequest } from '../../../src/engine/decision.ts';
import type { RunReport } from '../../../src/engine/report.ts';
import type { HeldFact } from '../../../src/engine/stored/facts.ts';
import type { Log } from './log.ts';

export interface Deciding {
  readonly log: Log;
  readonly held: HeldFact | null | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** G2: all of the plan, for its counts. */
export function approveWhole({ log }: Pick<Deciding, 'log'>, { approvable, planned }: RunReport): DecisionRequest {
  log.approvals += 1;
  log.pendingApprovals += 1;
  return { kind: 'approve', run: approvable!, counts: planned };
}

/** G6: some records of the held plan; undefined: it can only be approved whole. */
export function approveRecords({ log, held, now }: Deciding, a: number): DecisionRequest | undefined {
  const ticked = held?.records?.filter((_record, index) => (index + a) % 3 === 0) ?? [];
  if (!held || ticked.length === 0) return undefined;
  for (const { id, ops } of ticked) log.ticked.set(id, new Set([...(log.ticked.get(id) ?? []), ...ops]));
  log.ticks.push({ seq: log.seq, deletes: held.planned.deletes });
  const [ids, digests] = [ticked.map(({ id }) => id), ticked.map(({ digest }) => digest)];
  return { kind: 'approve-records', run: held.run, ids, digests, origin: originAt(now) };
}

/** G7: no to the plan. It ends the approvals of the same plan that no run has taken up yet. */
export function refusePlan({ log, now }: Deciding, { approvable, planned }: RunReport): DecisionRequest {
  log.approvals -= log.pendingApprovals;
  log.pendingApprovals = 0;
  log.refusals.push({ run: approvable!, seq: log.seq, planned: JSON.stringify(planned) });
  return { kind: 'refuse', run: approvable!, origin: originAt(now) };
}

function originAt(now: number) {
  const at = new Date(now).toISOString();
  return { by: 'ann', at, through: 'cli', text: '', seen: { problems: [] } } as const;
}
