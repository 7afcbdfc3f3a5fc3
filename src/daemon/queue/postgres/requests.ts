// The requests of this worker that have no answer yet. The run that answers one may be of any worker.
import type { AskedRun } from '../port.ts';
import type { Book } from './book.ts';

export interface Requests {
  /** Resolves with how its run ended, or that nobody runs it here any more. */
  add(request: NewRequest): Promise<AskedRun>;
  /** Reads what the book has by now. An answer is deleted after it was read, so that one that is lost on its way is read again. */
  look(): Promise<void>;
  /** Nobody waits for an answer any more. */
  end(): void;
}

export interface NewRequest {
  /** A version 4 uuid. */
  readonly id: string;
  readonly job: string;
  /** Writes the request into the book, in the background, and calls back once it is there. */
  readonly write: (onWritten: () => void) => void;
}

interface Waiting {
  readonly job: string;
  readonly resolve: (ended: AskedRun) => void;
  readonly write: () => void;
  isWritten: boolean;
}

interface RequestsDep {
  readonly book: Pick<Book, 'answers' | 'forget'>;
  /** A reload removed the job, and its last run here is over. One that was replaced answers the requests of the one before. */
  readonly hasLeft: (job: string) => boolean;
}

export function createRequests({ book, hasLeft }: RequestsDep): Requests {
  const waiting = new Map<string, Waiting>();

  function answer(id: string, ended: AskedRun): void {
    waiting.get(id)?.resolve(ended);
    waiting.delete(id);
  }

  return {
    add({ id, job, write }) {
      const { promise, resolve } = Promise.withResolvers<AskedRun>();
      const request: Waiting = {
        job,
        resolve,
        isWritten: false,
        write() {
          request.isWritten = false;
          write(() => void (request.isWritten = true));
        },
      };
      waiting.set(id, request);
      request.write();
      return promise;
    },
    async look() {
      const written = [...waiting].filter(([, { isWritten }]) => isWritten);
      if (written.length === 0) return;
      const found = await book.answers(written.map(([id]) => id));
      const told: string[] = [];
      for (const [id, { job, write }] of written) {
        const ended = found.get(id);
        if (ended) {
          answer(id, ended);
          told.push(id);
        } else if (!found.has(id)) {
          // Lost by a failover, or with a restored backup: it is asked anew.
          write();
        } else if (hasLeft(job)) {
          // It is over with this answer: left in the book, it would have the job run when it is there again, also if it is paused.
          answer(id, { kind: 'not-run' });
          told.push(id);
        }
      }
      if (told.length > 0) await book.forget(told);
    },
    end() {
      for (const id of waiting.keys()) answer(id, { kind: 'not-run' });
    },
  };
}
