// What a page gets, and what it returns.
import type { Operator } from '../../operator/operator.ts';
import type { UndoDesk } from '../../operator/undo-desk.ts';
import type { Viewer } from './access/viewer.ts';
import type { Html } from './html.ts';

/** The input of a page. */
export interface PageContext {
  readonly operator: Operator;
  readonly viewer: Viewer;
  /** That of the viewer. */
  readonly areDetailsShown: boolean;
  /** Epoch milliseconds, one instant for the whole page. */
  readonly now: number;
  /** A part of the path, such as the name of a job. */
  readonly param: (name: string) => string;
  /** A parameter of the address; undefined: left out or blank. */
  readonly query: (name: string) => string | undefined;
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
}
