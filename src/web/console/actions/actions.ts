// Every action of the console by the last part of its address, `/do/NAME`.
import type { Action } from './action.ts';
import { endSession } from './sessions.ts';
import { resolveConflicts } from './conflicts.ts';
import { approveAll, approveTicked, refuseHeld } from './held.ts';
import { pauseJob, resumeJob, runNow } from './jobs.ts';
import { retryAgain, retryRecords } from './retry.ts';
import { carryOutUndo, planUndo } from './undo.ts';

export const actions: Readonly<Record<string, Action>> = {
  run: runNow,
  pause: pauseJob,
  resume: resumeJob,
  'end-session': endSession,
  resolve: resolveConflicts,
  'approve-all': approveAll,
  'approve-ticked': approveTicked,
  refuse: refuseHeld,
  retry: retryRecords,
  'send-again': retryAgain,
  'plan-undo': planUndo,
  undo: carryOutUndo,
};
