// Reads the held plan of a job: why it is held, and which records it changes.
import { createHash } from 'node:crypto';
import { readStanding, type Standing } from '../engine/standing.ts';
import type { HeldFact } from '../engine/stored/facts.ts';
import type { HeldAnswer } from './answers/held.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { selectAll } from './select.ts';

/** Throws OperatorError if nothing is held, and StateError. */
export async function readHeld(operator: Operator, name: string): Promise<HeldAnswer> {
  const { held, standing } = await findHeld(operator, name);
  return {
    name,
    run: held.run,
    digest: digestOf(held),
    reasons: [...(held.reasons ?? [])],
    counts: held.planned,
    refused: held.refused ?? null,
    records:
      held.records?.map(({ id, row, ops }) => {
        return { id, row, person: standing.links.has(id) ? standing.personText(id) : null, ops: [...ops] };
      }) ?? null,
  };
}

/** `undoes`: the held run is an undo of this run (S8). */
interface Held extends HeldFact {
  readonly undoes?: string;
}

/** Throws OperatorError: nothing is held, or another run than the one that the person saw. */
export async function findHeld(
  { config, store }: Operator,
  name: string,
  seen: { readonly run?: string | undefined; readonly digest?: string | undefined } = {},
): Promise<{ readonly held: Held; readonly standing: Standing }> {
  selectAll(config, [name]);
  const standing = await readStanding(store.sync(name));
  const { heldUndo, lastRun } = standing;
  const isUndo = seen.run === undefined ? !standing.held : heldUndo?.run === seen.run;
  const held: Held | undefined = isUndo ? heldUndo : standing.held;
  if (!held) {
    const last = lastRun ? `; its last run is ${lastRun.run}, ${lastRun.status}` : '';
    throw new OperatorError('nothing', `nothing of ${name} is held${last}`);
  }
  if (seen.run !== undefined && held.run !== seen.run) {
    throw new OperatorError('ambiguous', `the held run of ${name} is ${held.run}, not ${seen.run}: look at it again`);
  }
  if (seen.digest !== undefined && digestOf(held) !== seen.digest) {
    throw new OperatorError('ambiguous', `the held plan of ${name} is another one by now: look at it again`);
  }
  return { held, standing };
}

/** Two held plans with the same digest showed the person the same. */
export function digestOf({ run, planned, reasons = [], records = [] }: HeldFact): string {
  const digests = records.map(({ digest }) => digest);
  return createHash('sha256')
    .update(JSON.stringify([run, planned, reasons, digests]))
    .digest('hex');
}
