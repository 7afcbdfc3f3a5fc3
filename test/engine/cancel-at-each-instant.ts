// A person cancels what waits at each instant of a run, one instant a trial. No outcome may have a fault (E8, P7).
import { expect } from 'vitest';
import { isOfNote } from '../support/app.ts';
import { repeats } from '../support/repeats.ts';

interface Cancelling {
  readonly cancelIt: () => Promise<{ readonly cancels: readonly { readonly outcome: string }[] }>;
  readonly atEachInstant: (called: (what: Parameters<typeof isOfNote>[0]) => void | Promise<void>) => void;
  readonly kill: () => void;
  readonly attempt: () => Promise<unknown>;
}

export interface CancelOptions<Trial extends Cancelling> {
  /** A trial in which the next run would carry out what is cancelled. */
  readonly begin: () => Promise<Trial>;
  /** The process is killed right after the cancel. */
  readonly dies: boolean;
  /** Lets the trial come to rest, and says what stands then. */
  readonly outcomeAfter: (trial: Trial, outcome: string) => Promise<{ readonly fault: string | undefined }>;
}

/** Ends with the first instant that the run does not reach. Returns how the cancels were answered. */
export async function cancelAtEachInstant<Trial extends Cancelling>(
  options: CancelOptions<Trial>,
): Promise<readonly string[]> {
  const { begin, dies, outcomeAfter } = options;
  const seen = new Set<string>();
  // The cancels that are followed by a kill and those that are not share the instants behind the first; with REPEATS=all each takes all.
  for (let at = 1; ; at += dies && at === 1 ? 1 : repeats(2, 1)) {
    const trial = await begin();
    const outcome = await runWithCancel(trial, at, dies);
    if (outcome === undefined) break;
    seen.add(outcome.split(':')[0]!);
    const all = await outcomeAfter(trial, outcome);
    expect({ at, ...all }).toEqual({ at, ...all, fault: undefined });
  }
  return [...seen];
}

/** The answer to a cancel at the instant of this number; undefined: the run has fewer. */
async function runWithCancel(trial: Cancelling, at: number, dies: boolean): Promise<string | undefined> {
  let count = 0;
  let outcome: string | undefined;
  trial.atEachInstant(async (what) => {
    if (!isOfNote(what)) return;
    count += 1;
    if (count !== at) return;
    try {
      outcome = (await trial.cancelIt()).cancels[0]!.outcome;
    } catch (error) {
      outcome = `refused: ${(error as Error).message}`;
    }
    if (dies) trial.kill();
  });
  await trial.attempt();
  trial.atEachInstant(() => {});
  return outcome;
}
