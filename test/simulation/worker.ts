// Plays the given seeds one after the other, and reports the result of each.
import { parentPort, workerData } from 'node:worker_threads';
import { play } from './play.ts';
import { drawScenario } from './scenario/draw.ts';
import type { Violation } from './oracle/evidence.ts';

export interface Share {
  readonly seeds: readonly number[];
  readonly stepsMax: number | undefined;
}

export interface Verdict {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly coverage: Record<string, Record<string, number>>;
  /** Milliseconds that passed on the clock of the story. */
  readonly simulatedMs: number;
}

const { seeds, stepsMax } = workerData as Share;
for (const seed of seeds) {
  const { violations, coverage, simulatedMs } = await play(drawScenario(seed, { stepsMax }));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage({ seed, violations, coverage: coverage.toJson(), simulatedMs } satisfies Verdict);
}
