import type { Evidence, Law, RunView, Violation } from '../oracle/evidence.ts';
import { deletesShare } from './limits.ts';
import { duringRun } from './runs.ts';

/**
 * G6: a held run does what was ticked and nothing else, and what was ticked counts until the hold is over. G7: the run
 * after a refusal says that its plan is refused.
 */
export const decisions: Law = (evidence) =>
  evidence.isStateTampered
    ? []
    : [
        ...evidence.runs.flatMap((run) => onlyTicked(evidence, run)),
        ...restStaysHeld(evidence),
        ...saysRefused(evidence),
      ];

function reportOf({ reports }: Evidence, { run }: RunView) {
  return reports.find((report) => report.run === run);
}

function isHeldByLimits(evidence: Evidence, run: RunView): boolean {
  const holds = reportOf(evidence, run)?.holds ?? [];
  return holds.length > 0 && holds.every(({ rule }) => rule === 'G2');
}

/** An update and the cells of the same record belong together. */
const kindOf = (op: string) => (op === 'update' || op === 'set' ? 'edit' : op);

function onlyTicked(evidence: Evidence, run: RunView): readonly Violation[] {
  if (!isHeldByLimits(evidence, run)) return [];
  const isOfRun = duringRun(evidence, run);
  const done = [
    ...evidence.writes.map((each) => ({ ...each, op: 'edit' })),
    ...evidence.removals.map((each) => ({ ...each, op: each.side === 'crm' ? 'delete' : 'remove' })),
    ...evidence.additions.map((each) => ({ ...each, op: each.side === 'crm' ? 'create' : 'append' })),
  ].filter((each) => isOfRun(each) && !each.isUndo);
  // A new contact was ticked by its row. The rest of its row and of its fields belong to its creation.
  const created = new Set(done.filter(({ op }) => op === 'create').map(({ uuid }) => uuid));
  // So was a contact that its row moved to the list (I2).
  for (const line of evidence.history) {
    if (line.run === run.run && line.op === 'create' && line.is === 'moved') created.add(String(line.contact));
  }
  const isTicked = ({ uuid, op, person }: (typeof done)[number]) => {
    // A row that lost its ID is known by its person.
    const ids = uuid === '' ? [...evidence.log.ticked.keys()].filter((id) => evidence.ownerOf(id) === person) : [uuid];
    const ops = new Set(ids.flatMap((id) => [...(evidence.log.ticked.get(id) ?? [])]).map(kindOf));
    // The cells of a new row are written with it.
    return created.has(uuid) || ops.has(op) || (op === 'edit' && ops.has('append'));
  };
  const wrong = done.find((each) => !isTicked(each));
  if (!wrong) return [];
  return [{ law: 'G6', text: `a held run did ${wrong.op} of ${wrong.uuid}, which nobody had approved so` }];
}

/** Nothing happened between the approval and the run: some deletions of one plan were done, and all were too many. */
function restStaysHeld(evidence: Evidence): readonly Violation[] {
  const { log, runs, setting } = evidence;
  if (setting.limits !== 'default') return [];
  return log.ticks.flatMap(({ seq, deletes, areAllTicked }) => {
    // One whose row was moved in the moment of deleting is done by the next run (W3).
    if (areAllTicked) return [];
    const run = runs.find((each) => each.seq >= seq);
    if (run?.seq !== seq || run.isApproved || reportOf(evidence, run)?.status !== 'succeeded') return [];
    const isOfRun = duringRun(evidence, run);
    const done = evidence.removals.filter((each) => isOfRun(each)).length;
    if (deletes <= Math.floor(run.everLinked * deletesShare) || done === 0 || done >= deletes) return [];
    return [{ law: 'G6', text: `${done} of ${deletes} deletions were approved one by one, and the rest is not held` }];
  });
}

/** Nothing happened between the refusal and the run: its plan is the one that was refused. */
function saysRefused(evidence: Evidence): readonly Violation[] {
  const { log } = evidence;
  return log.refusals.flatMap(({ run: refused, seq, planned }) => {
    const next = evidence.runs.find((run) => run.seq >= seq);
    const report = next && reportOf(evidence, next);
    if (next?.seq !== seq || report?.approvable !== refused || JSON.stringify(report.planned) !== planned) return [];
    // Since the run that was refused, people may have made another plan of it, with the same counts.
    const last = evidence.runs.find(({ run }) => run === refused)?.seq ?? 0;
    const after = evidence.runs.find((run) => run.seq > next.seq)?.seq ?? Infinity;
    const edits = [...log.typed.map((typed) => typed.seq), ...log.wishChanges];
    if (edits.some((edit) => edit > last && edit < after)) return [];
    return report.isRefused ? [] : [{ law: 'G7', text: `run ${report.run} does not say that ${refused} was refused` }];
  });
}
