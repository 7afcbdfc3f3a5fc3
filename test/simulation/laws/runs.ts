// Which events belong to a run.
import type { Evidence, RunView } from '../oracle/evidence.ts';

export function duringRun({ runs }: Evidence, run: RunView) {
  const next = runs.find(({ pid, seq }) => pid === run.pid && seq > run.seq);
  return ({ pid, seq }: { readonly pid: number; readonly seq: number }) =>
    pid === run.pid && seq >= run.seq && seq < (next?.seq ?? Infinity);
}
