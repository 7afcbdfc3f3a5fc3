// The delayed work of the stand-in.
import type { World } from './world.ts';

/** Work that the service does later. */
export type Work =
  | { readonly kind: 'delete_contact'; readonly lead_uuid: string }
  | { readonly kind: 'enrich_contact'; readonly lead_uuid: string }
  | {
      readonly kind: 'cancel_enrolment';
      readonly lead_uuid: string;
      readonly flow_uuid: string;
      readonly reason: string;
    }
  | { readonly kind: 'deliver_message'; readonly message_uuid: string }
  | { readonly kind: 'deliver_email'; readonly email_uuid: string };

export type Job = Work & {
  readonly uuid: string;
  /** Epoch milliseconds. */
  readonly dispatched_at: number;
  readonly due_at: number;
};

/** Finished jobs that are kept for inspection. */
const finishedMax = 1000;

/**
 * Work with a due time. No timer runs it: each reader of the model first settles it (`run`). Each job then happens as
 * of its own due time, the earliest first.
 */
export class Jobs {
  readonly #world: World;
  #pending: Job[] = [];
  #finished: Job[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  get pending(): readonly Job[] {
    return this.#pending;
  }

  get finished(): readonly Job[] {
    return this.#finished;
  }

  dispatch(work: Work, delayMs: number): void {
    const now = this.#world.now();
    this.#pending.push({ ...work, uuid: this.#world.random.uuid(), dispatched_at: now, due_at: now + delayMs });
  }

  /** Does all jobs due by `now` (epoch ms), including those that they dispatch; returns their number. */
  run(now: number, perform: (job: Job) => void): number {
    let done = 0;
    for (let job = this.#takeNext(now); job; job = this.#takeNext(now)) {
      perform(job);
      this.#finished = [...this.#finished.slice(1 - finishedMax), job];
      done += 1;
    }
    return done;
  }

  replaceAll(pending: readonly Job[]): void {
    this.#pending = [...pending];
    this.#finished = [];
  }

  #takeNext(now: number): Job | undefined {
    const next = this.#pending.reduce<Job | undefined>((a, b) => (a && a.due_at <= b.due_at ? a : b), undefined);
    if (!next || next.due_at > now) return undefined;
    this.#pending.splice(this.#pending.indexOf(next), 1);
    return next;
  }
}
