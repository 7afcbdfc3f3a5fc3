// What a page gets, and what it returns.
import type { Operator } from '../../operator/operator.ts';
import type { Html } from './html.ts';

/** The input of a page. */
export interface PageContext {
  readonly operator: Operator;
  readonly areDetailsShown: boolean;
  /** Epoch milliseconds, one instant for the whole page. */
  readonly now: number;
  /** A parameter of the address; undefined: left out or blank. */
  readonly query: (name: string) => string | undefined;
  /** Aborts when the reader is gone. */
  readonly signal: AbortSignal;
}

export interface Page {
  readonly title: string;
  readonly body: Html;
}
