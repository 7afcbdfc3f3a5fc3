// A worker among several over one database, and what happens to it in a story.
import type { Store } from '../../../src/state/port.ts';

/** What happens to one worker, by the number of its instants: around each statement, and after each answer. */
export interface Trouble {
  readonly at: number;
  /** Which instants are counted: all, answers to calls of one side that may write, or answers to commits. */
  readonly of: 'any' | 'service' | 'sheet' | 'save';
  /** `loss`: the connection to the database breaks there, if a statement is under way. */
  readonly what: 'suspend' | 'loss';
  /** How long it is suspended. */
  readonly ms: number;
  /** Its own clock sleeps as well, as that of a virtual machine that is paused. */
  readonly clockStops: boolean;
}

export interface FleetMember {
  readonly store: Store;
  /** From now on. */
  plan(troubles: readonly Trouble[], onTrouble: (trouble: Trouble) => void): void;
  /** An instant without a statement. */
  pass(answered: string): Promise<void>;
  /** It renews no lease any more. */
  end(): void;
  /** The epoch of its last lease of the sync, and of the last one that was given; 0: none. */
  epochs(): { readonly own: number; readonly given: number };
  /** Its clock stopped in the story. */
  hasSlept(): boolean;
}
