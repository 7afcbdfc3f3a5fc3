// Protected ranges, and how often runs try to write where one is.
import type { createSyncTrial } from '../support/app.ts';
import { repeats } from '../support/repeats.ts';

type Trial = Pick<ReturnType<typeof createSyncTrial>, 'person' | 'writes' | 'stateFiles' | 'start'>;

const protectedRangeId = 77;

/** The owner keeps everybody else out of this part of the tab. */
export function protect({ person }: Pick<Trial, 'person'>, range: Readonly<Record<string, number>>): void {
  person.request({ addProtectedRange: { protectedRange: { protectedRangeId, range: { sheetId: 7, ...range } } } });
}

export function unprotect({ person }: Pick<Trial, 'person'>): void {
  person.request({ deleteProtectedRange: { protectedRangeId } });
}

interface Watched extends Trial {
  readonly run: (how: { readonly isAsked: boolean }) => Promise<unknown>;
  /** As `stateFiles` takes it. */
  readonly stateName?: string;
}

/**
 * Runs of every `stepMinutes`, and a restart each hour. `tries`: those that wrote to the sheet. `news`: those that wrote only to
 * the state.
 */
export async function triesOf(
  { run, start, writes, stateFiles, stateName }: Watched,
  minutes: number,
  stepMinutes = repeats(12, 4),
): Promise<{ readonly tries: number; readonly news: number }> {
  const look = () => ({ sheet: writes().sheet, state: stateFiles(stateName) });
  let [tries, news] = [0, 0];
  let before = look();
  for (let at = 0; at < minutes; at += stepMinutes) {
    if (at % 60 === 60 - stepMinutes) await start();
    await new Promise((resolve) => setTimeout(resolve, stepMinutes * 60_000));
    await run({ isAsked: false });
    const now = look();
    if (now.sheet > before.sheet) tries += 1;
    else if (JSON.stringify(now) !== JSON.stringify(before)) news += 1;
    before = now;
  }
  return { tries, news };
}
