// Returns memory to the system that the process keeps and does not use.
// The first runs of many jobs, or full scans, let the heap of V8 grow to several times of what idle runs need. Pages that become
// free go into a pool of V8, which no statistic counts, and stay resident: idle runs make enough garbage for V8 to keep them.

export interface MemoryReleaseDep {
  /** Bytes: resident, of the heap with its garbage, of buffers. */
  readonly usage: () => Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed' | 'external'>;
  /** Returns free memory to the system. The process does nothing else meanwhile. */
  readonly collect: () => Promise<void>;
  /** What was resident, in MB. */
  readonly onReleased: (mb: { readonly before_mb: number; readonly after_mb: number }) => void;
  /** It is not tried again. */
  readonly onFailure: (error: unknown) => void;
}

/** A collection took 0.5 s at load 4 and 1.8 s at load 10, on two cores (docs/decisions.md): seldom enough that nobody notices. */
const lookEveryMs = 30_000;
/** 500 idle jobs are to stay below 600 MB. Less than this is not worth a pause. */
const residentMin = 512_000_000;
/** The part of what is resident that is in use. More: the process is at work, or needs what it has. */
const usedShareMax = 0.5;
/** The heap grows again after a collection. Only more than that is collected again. */
const growthMin = 1.25;

export function createMemoryRelease({ usage, collect, onReleased, onFailure }: MemoryReleaseDep): Disposable {
  let left = 0;
  const timer = setInterval(() => void look(), lookEveryMs);

  async function look(): Promise<void> {
    const { rss: before, heapUsed, external } = usage();
    if (before < Math.max(residentMin, left * growthMin)) return;
    if (heapUsed + external > before * usedShareMax) return;
    try {
      await collect();
    } catch (error) {
      clearInterval(timer);
      onFailure(error);
      return;
    }
    left = usage().rss;
    onReleased({ before_mb: toMb(before), after_mb: toMb(left) });
  }

  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function toMb(bytes: number): number {
  return Math.round(bytes / 1e6);
}
