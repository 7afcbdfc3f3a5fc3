// Every action of the console by the last part of its address, `/do/NAME`.
import type { Action } from './action.ts';
import { endSession } from './sessions.ts';
import { pauseJob, resumeJob, runNow } from './jobs.ts';

export const actions: Readonly<Record<string, Action>> = {
  run: runNow,
  pause: pauseJob,
  resume: resumeJob,
  'end-session': endSession,
};
