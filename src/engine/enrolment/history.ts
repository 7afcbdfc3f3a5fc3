// Lines of the history about enrolments: each step of the ledger, so that the history has them all in order (L12).
import type { HistoryLine } from '../../state/port.ts';
import { type LedgerEntry, readLedgerKey } from '../../sync/record/ledger.ts';
import type { RuleId } from '../../sync/rules.ts';
import type { RunContext } from '../sync/context.ts';

interface Step {
  readonly key: string;
  readonly entry: LedgerEntry;
  /** The run that made the call. */
  readonly run: string;
  readonly row: number | null;
  readonly rule: RuleId;
  readonly reason: string;
}

/** The parts of a line about an enrolment besides its change. */
export function ofLedger({ name, state }: Pick<LedgerEntry, 'name' | 'state'>) {
  return { ...(name !== undefined && { automation_name: name }), state };
}

/** A step that no change of a plan tells. */
export function stepLine(
  { config, now }: Pick<RunContext, 'config' | 'now'>,
  { key, entry, run, row, rule, reason }: Step,
): HistoryLine {
  const { uuid: contact, automation } = readLedgerKey(key);
  const isUnknown = entry.state === 'unknown';
  return {
    time: new Date(now()).toISOString(),
    sync: config.name,
    run,
    side: 'crm',
    op: entry.state === 'cancelling' ? 'cancel' : 'enrol',
    contact,
    row,
    outcome: isUnknown ? 'unknown' : entry.state === 'refused' ? 'refused' : 'done',
    ...(isUnknown && { message: 'look in the service' }),
    ...(entry.message !== undefined && { message: entry.message }),
    automation,
    ...ofLedger(entry),
    field: null,
    before: null,
    after: null,
    rule,
    reason,
  };
}
