// The person who asks for a page, and how the console finds out who that is.
import type { Context } from 'hono';
import type { Role, SeenAccounts } from '../../../config/users.ts';
import type { LoginDesk } from './desk.ts';

export interface Viewer {
  /** The name that decisions are recorded under. */
  readonly name: string;
  readonly role: Role;
  /** An operator, where `server.console` is `write`, who did not send the password with the request itself. */
  readonly mayDecide: boolean;
  readonly areDetailsShown: boolean;
  /** Jobs of these accounts alone are there for this person. Undefined: all. */
  readonly accounts?: SeenAccounts;
  /** A form of a page carries it, so that no other page can send that form. */
  readonly formToken: string;
  /** The session that can be ended by a log-out; undefined: there is none. */
  readonly session?: string;
}

export interface Access {
  /** A `Response` instead of a viewer: what to answer to a person who is not known yet. Asked twice, it answers the same. */
  viewerOf(c: Context): Promise<Viewer | Response>;
  /** As of now, of a request whose answer goes on: the session may have ended since. */
  viewerNow(c: Context): Promise<Viewer | Response>;
  /**
   * False: a request under any name is answered, because a page of another site has no login. Otherwise such a page could
   * act through a browser of this machine or network.
   */
  readonly isHostChecked?: boolean;
  /** Undefined: nobody logs in. */
  readonly desk?: LoginDesk;
}
