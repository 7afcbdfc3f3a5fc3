// An action of a page: a form that a person sends, which records a decision through the operator layer.
import type { Decider } from '../../../operator/decide.ts';
import type { TriggerRun } from '../../../operator/pause.ts';
import type { Page, PageContext } from '../page.ts';

export interface ActionContext extends PageContext {
  readonly decider: Decider;
  /** Begins a run of a job. */
  readonly trigger: TriggerRun;
  /** A field of the form; undefined: left out or blank. */
  readonly field: (name: string) => string | undefined;
  /** All fields of one name, such as what was ticked. */
  readonly fields: (name: string) => readonly string[];
}

/**
 * `done`: the browser goes to the page `to`, which tells `said`. `ask`: the person has to see something first, and nothing has
 * happened: a confirmation, or what is now different from what the form was made of.
 */
export type ActionResult =
  | { readonly kind: 'done'; readonly to: string; readonly said: string }
  | { readonly kind: 'ask'; readonly page: Page };

/** Throws OperatorError and StateError. */
export type Action = (context: ActionContext) => Promise<ActionResult>;
