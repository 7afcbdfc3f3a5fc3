// Reads the held plan of a job: why it is held, and which records it changes.
import { createHash } from 'node:crypto';
import { type DecisionRequest, isApproval } from '../engine/decision.ts';
import { digestOfHeld } from '../engine/held.ts';
import { readStanding, type Standing } from '../engine/standing.ts';
import type { HeldChange, HeldFact } from '../engine/stored/facts.ts';
import type { HeldAnswer } from './answers/held.ts';
import { decisionToAnswer } from './decide.ts';
import { OperatorError } from './errors.ts';
import { listHeld } from './held-listed.ts';
import { readLastRun } from './last-run.ts';
import type { Operator } from './operator.ts';
import { ruleOf } from './reports.ts';
import { selectAll } from './select.ts';

/** Throws OperatorError if nothing is held, and StateError. */
export async function readHeld(operator: Operator, name: string, run?: string): Promise<HeldAnswer> {
  const { held, standing, listed } = await findHeld(operator, name, { run });
  return {
    name,
    run: held.run,
    digest: shownDigest(held, standing, listed),
    reasons: [...(held.reasons ?? [])],
    counts: held.planned,
    refused: held.refused ?? null,
    undoes: held.undoes ?? null,
    decisions: decisionsAbout(held, standing).map(decisionToAnswer),
    records:
      held.records?.map(({ id, row, ops, changes }) => {
        const person = standing.links.has(id) ? standing.personText(id) : null;
        return { id, row, person, ops: [...ops], changes: changes?.map(changeToAnswer) ?? null };
      }) ?? null,
    listed,
  };
}

function changeToAnswer({ rule, ...change }: HeldChange) {
  return { ...change, ...ruleOf(rule) };
}

/** `undoes`: the held run is an undo of this run (S8). */
interface Held extends HeldFact {
  readonly undoes?: string;
}

/** Throws OperatorError: nothing is held, or another run than the one that the person saw. */
export async function findHeld(
  operator: Operator,
  name: string,
  seen: { readonly run?: string | undefined; readonly digest?: string | undefined } = {},
): Promise<{ readonly held: Held; readonly standing: Standing; readonly listed: HeldAnswer['listed'] }> {
  const { config, store } = operator;
  selectAll(config, [name]);
  const standing = await readStanding(store.sync(name));
  const { heldUndo, lastRun } = standing;
  const isUndo = seen.run === undefined ? !standing.held : heldUndo?.run === seen.run;
  const held: Held | undefined = isUndo ? heldUndo : standing.held;
  if (!held) {
    const lastOfAll = await readLastRun(operator, name, lastRun);
    const last = lastOfAll ? `; its last run is ${lastOfAll.run}, ${lastOfAll.status}` : '';
    throw new OperatorError('nothing', `nothing of ${name} is held${last}`);
  }
  if (seen.run !== undefined && held.run !== seen.run) {
    throw new OperatorError('ambiguous', `the held run of ${name} is ${held.run}, not ${seen.run}: look at it again`);
  }
  const listed = isUndo ? null : await listHeld(operator, name, standing);
  if (seen.digest !== undefined && shownDigest(held, standing, listed) !== seen.digest) {
    const by = decisionsAbout(held, standing)[0]?.origin?.by ?? held.refused?.by;
    const why = by === undefined ? 'is another one by now' : `is another one by now, or ${by} decided on it`;
    throw new OperatorError('ambiguous', `the held plan of ${name} ${why}: look at it again`);
  }
  return { held, standing, listed };
}

/** The digest of the plan and of what others decided about it meanwhile. */
function shownDigest(held: Held, standing: Standing, listed: HeldAnswer['listed']): string {
  const plan = digestOfHeld(held);
  const digest = listed === null ? plan : digestOfAll([plan, listed.records.map(({ id }) => id)]);
  const { refused } = held;
  const decided = decisionsAbout(held, standing).map(({ origin }) => [origin?.by, origin?.at, origin?.text]);
  if (refused) decided.push([refused.by, refused.at, 'refused']);
  if (decided.length === 0) return digest;
  return digestOfAll([digest, decided]);
}

function digestOfAll(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex');
}

/** Approvals that no run has taken up yet. A refusal is in effect at once. */
function decisionsAbout({ run }: Held, { requests }: Standing): readonly DecisionRequest[] {
  return requests.filter((request) => isApproval(request) && request.run === run);
}
