// Kills the process of a trial at one instant of a run: a call, or a write of the state that says what was done.
import { expect } from 'vitest';
import { isOfNote } from '../support/app.ts';

interface Killable {
  readonly atEachInstant: (called: (what: Parameters<typeof isOfNote>[0]) => void) => void;
  readonly kill: () => void;
  readonly attempt: () => Promise<unknown>;
  readonly start: () => Promise<unknown>;
}

/** A run that is killed at this instant, from 1 on, and another process. Fails if the run has fewer. */
export async function killAt(trial: Killable, at: number): Promise<void> {
  let count = 0;
  trial.atEachInstant((what) => {
    if (isOfNote(what) && (count += 1) === at) trial.kill();
  });
  expect(await trial.attempt()).toBe('killed');
  trial.atEachInstant(() => {});
  await trial.start();
}
