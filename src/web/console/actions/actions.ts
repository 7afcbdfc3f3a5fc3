// Every action of the console by the last part of its address, `/do/NAME`.
import type { Action } from './action.ts';
import { cancelRecords } from './cancel.ts';
import { resolveConflicts } from './conflicts.ts';
import { approveAll, approveTicked, refuseHeld } from './held.ts';
import { endSession } from './sessions.ts';
import { pauseJob, resumeJob, runNow } from './jobs.ts';
import { retryAgain, retryRecords } from './retry.ts';
import { carryOutUndo, planUndo } from './undo.ts';

export const actions: Readonly<Record<string, Action>> = {
  run: runNow,
  pause: pauseJob,
  resume: resumeJob,
  resolve: resolveConflicts,
  'approve-all': approveAll,
  'approve-ticked': approveTicked,
  refuse: refuseHeld,
  retry: retryRecords,
  'send-again': retryAgain,
  cancel: cancelRecords,
  'plan-undo': planUndo,
  undo: carryOutUndo,
  'end-session': endSession,
};
