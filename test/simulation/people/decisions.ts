// The decisions of people, as the operator layer records them, and what the log keeps of them.
import type { DecisionRequest } from '../../../src/engine/decision.ts';
import type { RunReport } from '../../../src/engine/report.ts';
import type { HeldFact } from '../../../src/engine/stored/facts.ts';
import type { ConflictAnswer } from '../../../src/operator/answers/conflicts.ts';
import { cancel } from '../../../src/operator/cancel.ts';
import { readEnrolmentsPage } from '../../../src/operator/enrolments.ts';
import type { Operator } from '../../../src/operator/operator.ts';
import { resolveSeen } from '../../../src/operator/resolve-seen.ts';
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
  const isDeletion = ({ ops }: (typeof ticked)[number]) => ops.includes('delete') || ops.includes('remove');
  const areAllTicked = ticked.filter(isDeletion).length >= held.planned.deletes;
  log.ticks.push({ seq: log.seq, deletes: held.planned.deletes, areAllTicked });
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

const person = { by: 'a person', through: 'console' } as const;

export interface DecidingSeen {
  readonly operator: Operator;
  readonly log: Log;
  /** The conflicts that the person looked at last. */
  readonly shown: readonly ConflictAnswer[];
}

/** M1: one of the conflicts that were shown, by its values. Returns what to tell; undefined: there is none. */
export async function resolveAsSeen({ operator, log, shown }: DecidingSeen, a: number): Promise<string | undefined> {
  const seen = shown[a % Math.max(1, shown.length)];
  if (!seen) return undefined;
  const { sync, id, digest } = seen;
  const use = a % 2 === 0 ? 'crm' : 'sheet';
  const { outcome } = await resolveSeen(operator, person, { seen: [{ sync, id, digest }], choice: { use } });
  const text = (value: ConflictAnswer['crm']) => (typeof value === 'string' ? value : '');
  const [crm, sheet] = [text(seen.crm), text(seen.sheet)];
  if (outcome === 'recorded') log.resolved.push({ id, crm, sheet, value: use === 'crm' ? crm : sheet });
  return `a person keeps the value of the ${use} for ${id}, having seen "${crm}" and "${sheet}": ${outcome}`;
}

/** E8: a wish that waits. Returns what to tell; undefined: none does. */
export async function cancelWish({ operator, log }: DecidingSeen, a: number): Promise<string | undefined> {
  const { enrolments } = await readEnrolmentsPage(operator, { state: 'waiting' }, { limit: 100 });
  const wish = enrolments[a % Math.max(1, enrolments.length)];
  if (!wish) return undefined;
  const id = `${wish.contact}/${wish.automation}`;
  const { cancels } = await cancel(operator, person, { ids: [id] });
  for (const { outcome } of cancels) if (outcome === 'cancelled') log.cancels.push({ id, seq: log.seq });
  return `a person cancels ${id}: ${cancels.map(({ said }) => said).join('; ')}`;
}
