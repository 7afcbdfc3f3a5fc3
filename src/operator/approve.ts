// Approves a held plan: once, as a whole, and for the counts that the person saw.
import { createHash } from 'node:crypto';
import { readStanding, type Standing } from '../engine/standing.ts';
import type { RequestsAnswer } from './answers/conflicts.ts';
import { type Decider, record } from './decide.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { selectAll } from './select.ts';
import { countText } from './words.ts';

/** `run`: the held run that the person saw. Throws OperatorError and StateError. */
export async function approve(
  operator: Operator,
  decider: Decider,
  { name, run }: { readonly name: string; readonly run: string },
): Promise<RequestsAnswer> {
  const [sync = name] = selectAll(operator.config, [name]);
  const standing = await readStanding(operator.store.sync(sync));
  const { lastRun, heldUndo } = standing;
  const held = heldUndo?.run === run ? heldUndo : standing.held;
  if (!held) {
    const last = lastRun ? `; its last run is ${lastRun.run}, ${lastRun.status}` : '';
    throw new OperatorError('nothing', `nothing of ${sync} is held${last}`);
  }
  if (held.run !== run) {
    throw new OperatorError('ambiguous', `the held run of ${sync} is ${held.run}, not ${run}: look at it again`);
  }
  const undoes = heldUndo && held === heldUndo ? { undoes: heldUndo.undoes } : {};
  const request = { kind: 'approve', run, counts: held.planned, ...undoes } as const;
  const seen = { counts: held.planned, reasons: held.reasons ?? [], digest: digestOf(held) };
  return record(operator, decider, [{ sync, request, text: approvedText(held), seen }]);
}

function approvedText({ planned }: NonNullable<Standing['held']>): string {
  const counts = Object.entries(planned).flatMap(([what, count]) => (count > 0 ? [plannedText(count, what)] : []));
  return `approved for ${counts.join(', ')}`;
}

function plannedText(count: number, what: string): string {
  return what === 'missing' ? `${count} missing` : countText(count, what.replace(/s$/, ''));
}

/** Two held runs with the same digest showed the person the same. */
function digestOf({ run, planned, reasons = [] }: NonNullable<Standing['held']>): string {
  return createHash('sha256')
    .update(JSON.stringify([run, planned, reasons]))
    .digest('hex');
}
