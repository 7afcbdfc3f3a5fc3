// The advice for a person about each kind of problem.
import type { Problem, ProblemKind } from '../sync/change.ts';

export function adviceFor({ kind, rule }: Pick<Problem, 'kind' | 'rule'>): string {
  if (kind === 'ignored' && rule === 'E4') return vetoed;
  // A waiting record needs nothing, whatever it waits for.
  return (kind === 'waiting' ? undefined : adviceByRule[rule]) ?? advice[kind];
}

const vetoed = 'nothing: unless in the configuration says so; it is enrolled once the value is another one';

/** Feeds take no decisions by command. An outbox sends nothing that a person did not ask for. */
const adviceByRule: Partial<Record<Problem['rule'], string>> = {
  G6: 'look at leadsheet plan, and approve it again',
  E6: 'look at what these rows wish for; then leadsheet approve',
  E7: 'nothing: the cell shows what the service has; type on or off to ask again',
  P2: 'do what it says; nothing of it is sent before',
  P3: 'look in the service; if it is not there, leadsheet retry ID --yes, else type its uuid into the row',
  P4: 'correct the row; if the service was changed, it is asked again within the hour, and at once by leadsheet retry ID',
  P6: 'leadsheet plan shows what would be sent; then leadsheet approve',
  F2: 'nothing: rows of your own are left alone',
  F3: 'nothing; delete the row if you do not want it',
};

const advice: Readonly<Record<ProblemKind, string>> = {
  conflict: 'leadsheet resolve ID --use crm|sheet (or --value VALUE), or make both sides equal',
  quarantined: 'correct what it names; if that changes neither side, leadsheet retry ID',
  held: 'correct what it names',
  parked: 'change it on either side, or leadsheet retry ID',
  unreadable: 'correct the cell',
  refused: 'correct what it names; it is tried again by itself, and in a sync at once by leadsheet retry ID',
  failed: 'nothing: the next run tries again',
  unknown: 'look on both sides whether it happened; the next run reads it back',
  incomplete:
    'nothing, if it passes: the next run reads again; if it stays, docs/service.md says what the service may lack',
  waiting: 'nothing: it is done once what it waits for is there',
  ignored: 'nothing, or leadsheet retry ID',
};
