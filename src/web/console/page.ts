// What a page gets, and what it returns.
import type { Operator } from '../../operator/operator.ts';
import type { LoginDesk } from './access/desk.ts';
import type { Viewer } from './access/viewer.ts';
import type { Html } from './html.ts';

/** The input of a page. */
export interface PageContext {
  readonly operator: Operator;
  readonly viewer: Viewer;
  /** Logins and sessions; undefined: nobody logs in. */
  readonly desk?: LoginDesk;
  /** That of the viewer. */
  readonly areDetailsShown: boolean;
  /** Epoch milliseconds, one instant for the whole page. */
  readonly now: number;
  /** A part of the path, such as the name of a job. */
  readonly param: (name: string) => string;
  /** A parameter of the address; undefined: left out or blank. */
  readonly query: (name: string) => string | undefined;
  /** Aborts when the reader is gone. */
  readonly signal: AbortSignal;
}

export interface Page {
  readonly title: string;
  readonly body: Html;
}
