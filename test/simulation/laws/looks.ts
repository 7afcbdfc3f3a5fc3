// W14 and W15, judged as runs go on: every write follows a look of its run, and no tab goes unread for too long.
import type { Violation } from '../oracle/evidence.ts';
import { tabReads } from '../oracle/knowledge.ts';
import type { SideEvent } from '../world/sides.ts';
import { hasChangedCells } from './holders.ts';

export interface LookJudge {
  begin(pid: number, now: number): void;
  answered(pid: number, what: string, now: number): void;
  /** A side changed while this process went on. */
  changed(pid: number, event: SideEvent): Violation | undefined;
  /** A run that did not fail. */
  ended(pid: number, run: string): Violation | undefined;
  /** How many runs of the story did without a look. */
  readonly spared: () => number;
}

export function createLookJudge(fullLookMs: number): LookJudge {
  const lookedIn = new Set<number>();
  const begunAt = new Map<number, number>();
  const lookedAt = new Map<number, number>();
  let spared = 0;
  return {
    begin(pid, now) {
      lookedIn.delete(pid);
      begunAt.set(pid, now);
    },
    answered(pid, what, now) {
      if (!tabReads.has(what)) return;
      lookedIn.add(pid);
      lookedAt.set(pid, now);
    },
    changed(pid, event) {
      // The service deletes a contact some time after it was asked to: the request is what a run did.
      if (event.side === 'crm' && event.after === undefined) return undefined;
      // Another job than the sync may have done it.
      if (event.side === 'message' || (event.side === 'sheet' && !hasChangedCells(event))) return undefined;
      const isCall = event.side === 'enrolment' || event.side === 'cancel' || event.side === 'deletion';
      const isOwn = isCall || event.by === 'leadsheet';
      if (!isOwn || pid === 0 || lookedIn.has(pid)) return undefined;
      return { law: 'W14', text: `process ${pid} changed the ${event.side} in a run that had not read the tab` };
    },
    ended(pid, run) {
      if (lookedIn.has(pid)) return undefined;
      spared += 1;
      const unreadMs = (begunAt.get(pid) ?? 0) - (lookedAt.get(pid) ?? -Infinity);
      if (unreadMs < fullLookMs) return undefined;
      return { law: 'W15', text: `run ${run} read no tab, which had gone unread for ${unreadMs / 1_000} s` };
    },
    spared: () => spared,
  };
}
