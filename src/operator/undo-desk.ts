// Undos for a face that cannot wait: they are planned and carried out between the runs of a job, and looked at meanwhile.
import delay from 'delay';
import type { UndoPlanAnswer } from './answers/undo.ts';
import type { Decider } from './decide.ts';
import { OperatorError } from './errors.ts';
import { planUndo, undo, type UndoOperator, type UndoRequest } from './undo.ts';
import { readUndoable } from './undoable.ts';

export interface UndoDeskOptions {
  readonly operator: UndoOperator;
  /** Does work between two runs of a job, and never beside one; undefined: it does not run this job. */
  readonly inTurn: <Result>(
    name: string,
    work: (signal: AbortSignal) => Promise<Result>,
  ) => Promise<Result> | undefined;
  /** An id that cannot be guessed. */
  readonly newId: () => string;
}

/** Why an undo is not known: the process that had it has ended, or newer ones took its place. */
export type UndoGone = 'earlier start' | 'made room';

/**
 * - planning: both sides are being read. -> planned or failed.
 * - planned: nothing has happened. -> working, if a person has exactly this plan carried out.
 * - working: the plan is being carried out. -> done; or planned again, if it is another plan by now.
 * - done: `run` is the run that took it back, or that was held.
 * - failed: nothing was done; `why`.
 */
export type UndoStage =
  | { readonly kind: 'planning' }
  /** `isAnother`: a person wanted the one before carried out, and nothing was done. */
  | { readonly kind: 'planned'; readonly plan: UndoPlanAnswer; readonly isAnother: boolean }
  | { readonly kind: 'working'; readonly by: string }
  | { readonly kind: 'done'; readonly run: string; readonly status: string; readonly by: string }
  | { readonly kind: 'failed'; readonly why: string };

export interface DeskUndo {
  readonly id: string;
  readonly job: string;
  readonly request: UndoRequest;
  /** The person who asked for the plan. */
  readonly by: string;
  /** The digest of the plan that the person saw before, and that was forgotten. */
  readonly seen?: string | undefined;
  readonly stage: UndoStage;
}

export interface UndoDesk {
  /**
   * Begins to plan, and returns the id. `seen`: the digest of a plan that was forgotten; the new one says whether it is the same.
   * Throws OperatorError at once if the run cannot be taken back, and StateError.
   */
  plan(request: UndoRequest, decider: Decider, signal: AbortSignal, seen?: string): Promise<string>;
  /** Undefined: not known, or no longer. */
  read(id: string): DeskUndo | undefined;
  /** For an id that `read` does not know. */
  whyGone(id: string): UndoGone;
  /** The same, once it is neither planned nor carried out any more, or after so long. */
  settled(id: string, waitMs: number, signal: AbortSignal): Promise<DeskUndo | undefined>;
  /**
   * Begins to carry the plan of this digest out. Throws OperatorError `ambiguous`, and does nothing, if it is another plan, or
   * another person had it carried out.
   */
  carryOut(id: string, digest: string, decider: Decider): void;
}

/**
 * A plan holds values of contacts, in memory alone: it is of both sides as they were read, and old soon. Older ones make room, and
 * none outlives the process. A plan that was seen and forgotten is made again, and compared by its digest.
 */
const keptMax = 100;

export function createUndoDesk({ operator, inTurn, newId }: UndoDeskOptions): UndoDesk {
  /** Ids of this process begin with it. */
  const begin = `${newId()}.`;
  const undos = new Map<string, DeskUndo>();
  /** Work under way, by the id of its undo. Never rejects. */
  const following = new Map<string, Promise<void>>();

  function put(entry: DeskUndo): void {
    undos.set(entry.id, entry);
    if (undos.size <= keptMax) return;
    const oldest = [...undos.values()].find(({ stage }) => stage.kind !== 'working' && stage.kind !== 'planning');
    if (oldest) undos.delete(oldest.id);
  }

  function follow(entry: DeskUndo, work: (signal: AbortSignal) => Promise<UndoStage>): void {
    const begun = inTurn(entry.job, work);
    if (!begun) {
      put({ ...entry, stage: { kind: 'failed', why: `the daemon does not run ${entry.job}: restart it` } });
      return;
    }
    const ended = begun.then(
      (stage) => put({ ...entry, stage }),
      (error: unknown) => put({ ...entry, stage: { kind: 'failed', why: whyOf(error) } }),
    );
    following.set(entry.id, ended);
    void ended.then(() => following.delete(entry.id));
  }

  return {
    async plan(request, { by }, signal, seen) {
      const { name: job } = await readUndoable(operator, request, signal);
      if (!operator.jobs.get(job)?.planUndo) {
        throw new OperatorError('nothing', `${job} is an outbox: what it sent is sent, and nothing can be taken back`);
      }
      const entry: DeskUndo = { id: begin + newId(), job, request, by, seen, stage: { kind: 'planning' } };
      put(entry);
      follow(entry, async (stop) => {
        const { answer, report } = await planUndo(operator, request, stop);
        if (report.error !== undefined) return { kind: 'failed', why: report.error };
        return { kind: 'planned', plan: answer, isAnother: seen !== undefined && answer.digest !== seen };
      });
      return entry.id;
    },

    read: (id) => undos.get(id),
    whyGone: (id) => (id.startsWith(begin) ? 'made room' : 'earlier start'),

    async settled(id, waitMs, signal) {
      const ended = following.get(id);
      if (ended) await Promise.race([ended, delay(waitMs, { signal }).catch(() => undefined)]);
      return undos.get(id);
    },

    carryOut(id, digest, decider) {
      const entry = undos.get(id);
      if (!entry) throw new OperatorError('unknown', 'this plan of an undo is not kept any more: have it made again');
      const { stage, request } = entry;
      if (stage.kind === 'working' || stage.kind === 'done') {
        throw new OperatorError('ambiguous', `${stage.by} had this plan carried out already`);
      }
      if (stage.kind !== 'planned' || stage.plan.digest !== digest) {
        throw new OperatorError('ambiguous', 'it is another plan by now: look at it again');
      }
      const { by } = decider;
      const working: DeskUndo = { ...entry, stage: { kind: 'working', by } };
      put(working);
      follow(working, async (stop) => {
        const { answer } = await undo(operator, decider, request, { digest, signal: stop });
        if (answer.outcome === 'another plan') return { kind: 'planned', plan: answer.plan, isAnother: true };
        const { run, status, error } = answer.run;
        return error === null ? { kind: 'done', run, status, by } : { kind: 'failed', why: error };
      });
    },
  };
}

function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
