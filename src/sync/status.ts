// The sentence in the status cell of a row: its most urgent problem, and how many others there are.
import type { Problem, ProblemKind } from './change.ts';

/** The status of a row without a problem. */
export const inSync = 'in sync';

/** S8: the status of a row without a problem that an undo wrote. It stays until there is something else to say of the row. */
export function undoneStatus(run: string): string {
  return `${inSync}: undo of ${run}`;
}

/** Whether the text is a status of a row without a problem. */
export function saysInSync(text: unknown): boolean {
  return text === inSync || (typeof text === 'string' && text.startsWith(undoneStatus('')));
}

/** Most urgent first: what needs a person, then what is tried again, then what only takes time. */
const urgency: readonly ProblemKind[] = [
  'quarantined',
  'unknown',
  'conflict',
  'held',
  'refused',
  'failed',
  'parked',
  'unreadable',
  'incomplete',
  'ignored',
  'waiting',
];

/** By row number, for rows with a problem. */
export function statusByRow(problems: readonly Problem[]): ReadonlyMap<number, string> {
  const worst = new Map<number, Problem>();
  const more = new Map<number, number>();
  for (const each of problems) {
    if (each.row === null) continue;
    const known = worst.get(each.row);
    if (known) more.set(each.row, (more.get(each.row) ?? 0) + 1);
    if (!known || urgency.indexOf(each.kind) < urgency.indexOf(known.kind)) worst.set(each.row, each);
  }
  return new Map([...worst].map(([row, { kind, reason }]) => [row, sentence(kind, reason, more.get(row) ?? 0)]));
}

function sentence(kind: ProblemKind, reason: string, others: number): string {
  return `${kind}: ${reason}${others > 0 ? ` (and ${others} more)` : ''}`;
}

/** W12: whether a problem of this kind needs no person: it goes away by itself, or the configuration asks for it. */
export function isHarmless(kind: ProblemKind): boolean {
  return kind === 'waiting' || kind === 'ignored';
}
