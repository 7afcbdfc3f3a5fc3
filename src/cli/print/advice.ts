// What a person can do about what a run could not.
import type { Problem, ProblemKind } from '../../sync/change.ts';

export function adviceFor({ kind, rule }: Pick<Problem, 'kind' | 'rule'>): string {
  return adviceByRule[rule] ?? advice[kind];
}

/** Feeds take no decisions by command. */
const adviceByRule: Partial<Record<Problem['rule'], string>> = {
  E7: 'nothing: the cell shows what the service has; type on or off to ask again',
  F2: 'nothing: rows of your own are left alone',
  F3: 'nothing; delete the row if you do not want it',
};

const advice: Readonly<Record<ProblemKind, string>> = {
  conflict: 'leadsheet resolve ID --use crm|sheet|VALUE, or make both sides equal',
  quarantined: 'mend what it names; where that changes neither side, leadsheet retry ID',
  held: 'mend what it names',
  parked: 'change it on either side, or leadsheet retry ID',
  unreadable: 'mend the cell',
  refused: 'mend the value; it is tried again by itself, and at once by leadsheet retry ID',
  failed: 'nothing: the next run tries again',
  unknown: 'look on both sides whether it happened; the next run reads it back',
  waiting: 'nothing: it is done once what it waits for is there',
  ignored: 'nothing, or leadsheet retry ID',
};
