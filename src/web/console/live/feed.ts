// Tells open pages of runs and decisions: which jobs have something new, and how far a run is. It holds no value of a
// contact, so that every viewer may have it.
import type { EngineEvent } from '../../../engine/events.ts';
import { progressText } from '../html.ts';

/**
 * `jobs`: a run began or ended. `runs`: a run ended that may have left a report. `changes`: the history has new lines.
 * `decisions`: a person decided something. `progress` goes by its own.
 */
export type Topic = 'jobs' | 'runs' | 'changes' | 'decisions';

/** One message to every open page. */
export interface FeedMessage {
  /** By job; the name of no job, '', stands for all of them. */
  readonly jobs: Readonly<Record<string, readonly Topic[]>>;
  /** How far the run of a job is, in words. */
  readonly progress: Readonly<Record<string, string>>;
}

export interface PageFeed {
  observe(event: EngineEvent): void;
  /** A person decided something in the console. */
  decided(): void;
  /** The position of the feed now. A page that is made now lacks all that comes after it. */
  position(): string;
  /** `read` gets each message with the position after it, until the returned function is called. */
  subscribe(read: (message: FeedMessage, position: string) => void): () => void;
}

/** A page that is told more often has no time to show it. A run of 5,000 changes is told some hundred times. */
const toldEveryMs = 1_000;

/** `randomId` tells this process from an earlier one: positions of that are not this one's. */
export function createPageFeed(randomId: () => string): PageFeed & Disposable {
  const process = randomId();
  const readers = new Set<(message: FeedMessage, position: string) => void>();
  const jobs = new Map<string, Set<Topic>>();
  const progress = new Map<string, string>();
  /** Runs under way that changed something. */
  const changing = new Set<string>();
  let told = 0;
  let timer: NodeJS.Timeout | undefined;

  const position = () => `${process}.${told}`;

  function note(job: string, ...about: readonly Topic[]): void {
    const known = jobs.get(job) ?? new Set();
    for (const topic of about) known.add(topic);
    jobs.set(job, known);
    tellSoon();
  }

  function tellSoon(): void {
    timer ??= setTimeout(tell, toldEveryMs).unref();
  }

  function tell(): void {
    timer = undefined;
    told += 1;
    const message: FeedMessage = {
      jobs: Object.fromEntries([...jobs].map(([name, about]) => [name, [...about]])),
      progress: Object.fromEntries(progress),
    };
    jobs.clear();
    progress.clear();
    for (const read of readers) read(message, position());
  }

  return {
    observe(event) {
      switch (event.type) {
        case 'run-started':
          return note(event.sync, 'jobs');
        case 'progress':
          progress.set(event.sync, progressText({ ...event, total: event.total ?? null, left_secs: null }));
          return tellSoon();
        case 'change-done':
          changing.add(event.run);
          return note(event.sync, 'changes');
        case 'lease-taken':
        case 'notice':
          return;
        case 'run-ended': {
          progress.delete(event.sync);
          const isNews = changing.delete(event.report.run) || event.report.status !== 'succeeded';
          return note(event.sync, 'jobs', ...(isNews ? (['runs', 'changes'] as const) : []));
        }
      }
    },
    decided: () => note('', 'decisions'),
    position,
    subscribe(read) {
      readers.add(read);
      return () => void readers.delete(read);
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      readers.clear();
    },
  };
}
