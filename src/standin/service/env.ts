// The types of Hono variables in the stand-in.
import type { Received } from './received.ts';

/** The variables of a Hono request. */
export interface Env {
  Bindings: {
    /** Set by the server: breaks the connection, so that the client gets no answer. */
    readonly dropConnection?: () => void;
  };
  Variables: {
    received: Received;
    /** The answer will not arrive. */
    lost?: boolean;
  };
}
