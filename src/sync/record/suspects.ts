// What a hold for moved cells named (G1). People repair that row after row while runs go on, and others work beside them: what is left
// of it stays suspect, however little it is, and however many edits stand beside it.
import type { Value } from '../value/value.ts';

/** What each cell showed when a run held it, by `suspectKey`; of a wish, by `suspectWish`, null. */
export type Suspects = ReadonlyMap<string, Value>;

/**
 * `moved`: cells of rows that hold what other rows held. `column`: of a column that was moved alone. `replaced`: names of people who
 * stand where others stood. `filled`: one name that stands in many rows.
 */
export type SuspectKind = 'moved' | 'column' | 'replaced' | 'filled' | 'wish';

/** Why a plan is held, and what is suspect as long as it shows what it shows now. */
export interface Suspicion {
  readonly reason: string;
  readonly suspects: Suspects;
}

export function suspectKey(kind: Exclude<SuspectKind, 'wish'>, uuid: string, field: string): string {
  return `${kind} ${uuid} ${field}`;
}

/** `key`: of the ledger. */
export function suspectWish(key: string): string {
  return `wish ${key}`;
}

/** Those of which this run did not find out whether they are there still. `judged`: the kinds of which it did. */
export function unjudged(suspects: Suspects | undefined, judged: readonly SuspectKind[]): Suspects {
  const isJudged = (key: string) => judged.some((kind) => key.startsWith(`${kind} `));
  return new Map([...(suspects ?? [])].filter(([key]) => !isJudged(key)));
}
