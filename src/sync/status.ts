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

/** Whether leadsheet writes such a text into status cells. */
export function isStatus(text: string): boolean {
  return saysInSync(text) || urgency.some((kind) => text.startsWith(`${kind}: `));
}

/** By row number, for rows with a problem. */
export function statusByRow(problems: readonly Problem[]): ReadonlyMap<number, string> {
  return textsBy(problems, ({ row }) => row);
}

/** By uuid, for records that get a row in this run: the sentence that the next run finds for that row (W9). */
export function statusByUuid(problems: readonly Problem[]): ReadonlyMap<string, string> {
  return textsBy(problems, ({ uuid }) => uuid);
}

function textsBy<Key>(problems: readonly Problem[], keyOf: (problem: Problem) => Key | null): ReadonlyMap<Key, string> {
  const worst = new Map<Key, Problem>();
  const more = new Map<Key, number>();
  for (const each of problems) {
    const key = keyOf(each);
    if (key === null) continue;
    const known = worst.get(key);
    if (known) more.set(key, (more.get(key) ?? 0) + 1);
    if (!known || urgency.indexOf(each.kind) < urgency.indexOf(known.kind)) worst.set(key, each);
  }
  return new Map([...worst].map(([key, { kind, reason }]) => [key, sentence(kind, reason, more.get(key) ?? 0)]));
}

function sentence(kind: ProblemKind, reason: string, others: number): string {
  // A reason may begin with the kind itself, which is said once.
  const said = reason.startsWith(`${kind}: `) ? reason : `${kind}: ${reason}`;
  return `${said}${others > 0 ? ` (and ${others} more)` : ''}`;
}

/** W12: whether a problem of this kind needs no person: it goes away by itself, or the configuration asks for it. */
export function isHarmless(kind: ProblemKind): boolean {
  return kind === 'waiting' || kind === 'ignored';
}
