// Gives problems about refusals the instant from which each is tried again (W5).
import type { Problem } from '../change.ts';
import type { PlanInput } from '../input.ts';
import { groupEntries } from '../record/ledger.ts';
import { type Refusal, rowKey } from '../record/base.ts';
import type { Settled } from './settle.ts';

/** The run in which something is refused gives the same instant as the runs during the pause: the state has it (W9). */
export function withRetryTimes(
  { base, sheet, ledger }: Pick<PlanInput, 'base' | 'sheet' | 'ledger'>,
  { links, strays }: Pick<Settled, 'links' | 'strays'>,
  problems: readonly Problem[],
): readonly Problem[] {
  const isRefusal = ({ kind, rule, retryAt }: Problem) => kind === 'refused' && rule === 'W5' && retryAt === undefined;
  if (!problems.some(isRefusal)) return problems;
  const rows = new Map(sheet.rows.map((row) => [row.number, row]));
  const entries = groupEntries(ledger);
  return problems.map((each) => {
    const times = isRefusal(each) ? refusalsOf(each).flatMap(({ retryAt }) => retryAt ?? []) : [];
    return times.length === 0 ? each : { ...each, retryAt: Math.min(...times) };
  });

  function refusalsOf({ uuid, row }: Problem): readonly Pick<Refusal, 'retryAt'>[] {
    if (uuid !== null) {
      const link = links.has(uuid) ? links.get(uuid) : base.links.get(uuid);
      const cancels = (entries.get(uuid) ?? []).flatMap(({ entry }) => entry.refusedCancel ?? []);
      return [...(link?.refusal ? [link.refusal] : []), ...Object.values(link?.refusals ?? {}), ...cancels];
    }
    const planned = row === null ? undefined : rows.get(row);
    const refusal = planned && strays.get(rowKey(planned))?.refusal;
    return refusal ? [refusal] : [];
  }
}
