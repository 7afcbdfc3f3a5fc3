// Plays the given stories one after the other, and reports the result of each.
import { parentPort, workerData } from 'node:worker_threads';
import { play } from './play.ts';
import { type DrawOptions, drawScenario } from './scenario/draw.ts';
import type { Scenario } from './scenario/scenario.ts';
import type { Violation } from './oracle/evidence.ts';

export interface Share {
  /** Seeds, or whole stories. */
  readonly stories: readonly Story[];
  readonly options: DrawOptions;
}

export type Story = number | Scenario;

export interface Verdict {
  /** The place in the share. */
  readonly place: number;
  readonly violations: readonly Violation[];
  readonly coverage: Record<string, Record<string, number>>;
  /** Milliseconds that passed on the clock of the story. */
  readonly simulatedMs: number;
}

const { stories, options } = workerData as Share;
for (const [place, story] of stories.entries()) {
  const { violations, coverage, simulatedMs } = await play(storyOf(story));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage({ place, violations, coverage: coverage.toJson(), simulatedMs } satisfies Verdict);
}

function storyOf(story: Story): Scenario {
  return typeof story === 'number' ? drawScenario(story, options) : story;
}
