// What pages and actions see of logins: logging in and out, and the lists of sessions and logins.
import type { Context } from 'hono';

export interface SessionShown {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  /** ISO instants. */
  readonly begun: string;
  readonly ends: string;
}

export interface LoginShown {
  /** ISO instant. */
  readonly time: string;
  readonly kind: 'begun' | 'failed' | 'ended';
  /** Null: no user has the name that was given. */
  readonly name: string | null;
  readonly address: string;
  /** With what a person logged in, or why a session ended. */
  readonly how: string;
  readonly times: number;
}

export interface LoginsPage {
  readonly logins: readonly LoginShown[];
  /** For `before`; undefined: this is the last page. */
  readonly next?: number;
}

export type LoginResult =
  | { readonly kind: 'begun' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'later'; readonly waitSecs: number };

/**
 * `begun`: the link is used up. `invalid`: it is unknown, used or expired. `other`: another person is logged in in this browser;
 * nothing has happened, and the link is still good.
 */
export type EnterResult =
  | { readonly kind: 'begun' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'other'; readonly name: string; readonly present: string; readonly session: string };

export interface LoginDesk {
  /** Whether people log in here with a password; otherwise the proxy alone knows them. */
  readonly hasForm: boolean;
  /** Whether a name is asked for, or the password alone. */
  asksName(): Promise<boolean>;
  /** Begins a session, with a new cookie, and ends the one that the browser had. Throws StateError. */
  logIn(c: Context, credentials: { readonly name: string; readonly password: string }): Promise<LoginResult>;
  /**
   * Begins a session by the code of a link of `leadsheet console`. `replaces`: the session of another person that this browser may
   * lose. Throws StateError.
   */
  enter(c: Context, link: { readonly code: string; readonly replaces?: string | undefined }): Promise<EnterResult>;
  /** Ends the session of the request, if the token is that of its forms. */
  logOut(c: Context, formToken: string): Promise<boolean>;
  sessions(): readonly SessionShown[];
  /** False: there is no such session any more. Throws StateError. */
  endSession(id: string, by: string): Promise<boolean>;
  /** Newest first. `before`: `next` of the page before. `name`: of one person. */
  logins(query: { readonly limit: number; readonly before?: number; readonly name?: string | undefined }): LoginsPage;
}
