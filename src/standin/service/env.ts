import type { Received } from './received.ts';

/** What Hono carries along with a request. */
export interface Env {
  Bindings: {
    /** Given by whoever carries the answers: breaks the connection, so that the client gets none. */
    readonly dropConnection?: () => void;
  };
  Variables: {
    received: Received;
    /** The answer will not arrive. */
    lost?: boolean;
  };
}
