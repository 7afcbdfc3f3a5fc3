// Sabotages that only stories notice in which people pause the sync.
import type { Sabotage } from './sabotage.ts';

export const pausing: readonly Sabotage[] = [
  {
    name: 'a daemon runs a job that is paused',
    file: 'daemon/scheduler.ts',
    text: 'return (await isPausedNow()) && mayRest();',
    instead: 'return (await isPausedNow()) && !mayRest();',
  },
  {
    name: 'a full scan that came in a pause is forgotten',
    file: 'daemon/scheduler.ts',
    text: '    isPaused = true;\n    isWanted = false;',
    instead: '    isPaused = true;\n    isFullScanDue = false;\n    isWanted = false;',
  },
  {
    name: 'a run that is asked for in a pause is not refused',
    file: 'operator/pause.ts',
    text: "if (paused) throw new OperatorError('paused', pausedText(name, paused));",
    instead: '',
  },
  {
    name: 'a pause with an end lasts until somebody resumes the job',
    file: 'engine/at-once.ts',
    text: 'Date.parse(paused.until) <= now ?',
    instead: 'Date.parse(paused.until) <= 0 ?',
  },
];
