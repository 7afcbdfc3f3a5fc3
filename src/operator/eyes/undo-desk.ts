// The desk of undos for a person who sees some jobs: undos of other jobs are not known to it.
import { OperatorError } from '../errors.ts';
import type { Operator } from '../operator.ts';
import { jobsOf } from '../select.ts';
import type { DeskUndo, UndoDesk } from '../undo-desk.ts';
import { readUndoable } from '../undoable.ts';

/** `operator`: narrowed to these jobs. */
export function undoDeskOf(desk: UndoDesk, operator: Operator): UndoDesk {
  const seen = (undo: DeskUndo | undefined) =>
    undo && jobsOf(operator.config).some(({ name }) => name === undo.job) ? undo : undefined;
  return {
    async plan(request, decider, signal, before) {
      // Throws for a run of another job, as for one that never was.
      await readUndoable(operator, request, signal);
      return desk.plan(request, decider, signal, before);
    },
    read: (id) => seen(desk.read(id)),
    whyGone: (id) => desk.whyGone(id),
    settled: async (id, waitMs, signal) => seen(desk.read(id)) && desk.settled(id, waitMs, signal),
    carryOut(id, digest, decider) {
      if (!seen(desk.read(id))) throw new OperatorError('unknown', 'this plan of an undo is not kept any more');
      desk.carryOut(id, digest, decider);
    },
  };
}
