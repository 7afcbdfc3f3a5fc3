// The person who asks for a page, and how the console finds out who that is.
import type { Context } from 'hono';

export interface Viewer {
  /** The name that decisions are recorded under. */
  readonly name: string;
  readonly mayDecide: boolean;
  readonly areDetailsShown: boolean;
  /** A form of a page carries it, so that no other page can send that form. */
  readonly formToken: string;
}

export interface Access {
  /** A `Response` instead of a viewer: what to answer to a person who is not known yet. */
  viewerOf(c: Context): Promise<Viewer | Response>;
}
