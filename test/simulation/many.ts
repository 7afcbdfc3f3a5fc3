// Plays many stories in threads, and reports each as it ends.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { DrawOptions } from './scenario/draw.ts';
import type { Share, Story, Verdict } from './worker.ts';

export interface ManyOptions {
  readonly draw: DrawOptions;
  /** Left out: two threads, or one for a few stories. */
  readonly workers?: number | undefined;
  readonly signal: AbortSignal;
}

/** `place`: of the story among all. */
export type Told = (verdict: Verdict, story: Story, place: number) => void;

/**
 * Megabytes for new objects of a thread. With what V8 takes by itself, a story costs a twelfth more: it has to collect them
 * before the story lets them go.
 */
const youngMb = 96;
/** The first hundred stories of a thread take half as long again as later ones, and a story leaves 0.03 MB that nothing frees. */
const storiesPerThread = 20_000;
/** A second thread costs seven seconds of a core until it is warm. */
const storiesForThreads = 50;

export async function playAll(
  stories: readonly Story[],
  { draw, workers, signal }: ManyOptions,
  told: Told,
): Promise<void> {
  const count = workers ?? (stories.length < storiesForThreads ? 1 : Math.min(2, availableParallelism()));
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const own = stories.flatMap((story, place) => (place % count === index ? [{ story, place }] : []));
      for (let at = 0; at < own.length && !signal.aborted; at += storiesPerThread) {
        const part = own.slice(at, at + storiesPerThread);
        await share({ stories: part.map(({ story }) => story), options: draw }, signal, (verdict) => {
          const { story, place } = part[verdict.place]!;
          told(verdict, story, place);
        });
      }
    }),
  );
}

function share(work: Share, signal: AbortSignal, told: (verdict: Verdict) => void): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: work,
    resourceLimits: { maxYoungGenerationSizeMb: youngMb },
  });
  signal.addEventListener('abort', () => void worker.terminate(), { once: true });
  worker.on('message', told);
  return new Promise((resolve, reject) => {
    worker.on('error', reject);
    worker.on('exit', () => resolve());
  });
}
