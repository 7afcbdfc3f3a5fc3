// What a page gets, and what it returns.
import type { Trial } from '../../operator/guide.ts';
import type { Operator } from '../../operator/operator.ts';
import type { UndoDesk } from '../../operator/undo-desk.ts';
import type { LoginDesk } from './access/desk.ts';
import type { Viewer } from './access/viewer.ts';
import type { Topic } from './live/feed.ts';
import type { Html } from './html.ts';

/** The input of a page. */
export interface PageContext {
  readonly operator: Operator;
  readonly viewer: Viewer;
  /** Logins and sessions; undefined: nobody logs in, or the viewer does not see all accounts. */
  readonly desk?: LoginDesk;
  /** That of the viewer. */
  readonly areDetailsShown: boolean;
  /** Epoch milliseconds, one instant for the whole page. */
  readonly now: number;
  /** A part of the path, such as the name of a job. */
  readonly param: (name: string) => string;
  /** A parameter of the address; undefined: left out or blank. */
  readonly query: (name: string) => string | undefined;
  /** The position of the event stream before the page read anything. */
  readonly position: string;
  /** Left out: this is no trial, or the viewer does not see all of it. */
  readonly trial?: Trial;
  /** The address that was asked for, with its filters. */
  readonly address: URL;
  /** Undos that are planned or carried out. Left out: this process runs no jobs. */
  readonly undos?: UndoDesk;
  /** Aborts when the reader is gone. */
  readonly signal: AbortSignal;
}

/** A page, or a file to download. Throws OperatorError and StateError. */
export type MakePage = (context: PageContext) => Promise<Page | Response>;

export interface Page {
  readonly title: string;
  readonly body: Html;
  /**
   * The parts that the page shows anew while it is open. Left out: what its address stands for (live/follows.ts). `[]`: nothing, as on a
   * page that asks a person something.
   */
  readonly follows?: readonly Topic[];
}
