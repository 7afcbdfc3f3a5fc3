// Plays a person who takes a run back (S4, S7, S8).
import type { RunReport } from '../../src/engine/report.ts';
import { planUndo, undo } from '../../src/operator/undo.ts';
import type { RunAnswer } from '../../src/operator/answers/runs.ts';
import type { Change } from '../../src/sync/change.ts';
import type { Log } from './people/log.ts';
import { normalOf } from './people/token.ts';
import { didNothing, pick } from './picking.ts';
import type { Mapping } from './remapping.ts';
import type { Chaos, Step } from './scenario/scenario.ts';
import type { SimulatedProcess } from './world/process.ts';
import type { FieldName } from './world/setting.ts';
import { contactValue, viewSheet } from './world/view.ts';
import type { World } from './world/world.ts';

interface Judging {
  readonly world: World;
  readonly log: Log;
  readonly mapping: Mapping;
  readonly violate: (law: string, text: string) => void;
}

/** What the process does, or `killed`; undefined: it refused in words. */
type Until = <Result>(process: SimulatedProcess, work: () => Promise<Result>) => Promise<Result | 'killed' | undefined>;

interface UndoingDep extends Judging {
  readonly reports: readonly RunReport[];
  readonly counted: () => void;
  readonly tell: (text: string) => void;
  readonly running: () => Promise<SimulatedProcess>;
  readonly until: Until;
  /** The same of a plan. */
  readonly quietly: Until;
  readonly unleash: (chaos: Chaos) => void;
  readonly tame: () => Promise<void>;
}

/** Of a thousand undos, so many are of the last run. */
const lastUndone = 700;

/** S8: the plan is made while all is well; anything may happen while it is carried out. */
export async function playUndo(
  { which, part, a, deletesCreated, chaos }: Extract<Step, { do: 'undo' }>,
  dep: UndoingDep,
): Promise<void> {
  const { world, log, mapping, tell } = dep;
  const written = dep.reports.filter((report) => report.status !== 'held' && !didNothing(report));
  const { run } = (which < lastUndone ? written.at(-1) : pick(written, which)) ?? {};
  if (run === undefined) return;
  const process = await dep.running();
  const { jobs, store, config } = process.app!;
  const operator = { config, store, now: world.clock.now, jobs };
  const lines = (await world.readState()).history.filter((line) => line.run === run);
  const contact = pick(lines, a)?.contact;
  const field = pick(mapping.setting().fields, a)?.field;
  const request = {
    run,
    deletesCreated,
    ...(part === 'contact' && contact != null && { contact }),
    ...(part === 'field' && field !== undefined && { field }),
  };
  const { signal } = process.stop;
  const planned = await dep.quietly(process, () => planUndo(operator, request, signal));
  if (planned === 'killed' || planned === undefined) return;
  tell(
    `a person undoes run ${run}${part === 'all' ? '' : ` (${part})`}${deletesCreated ? ', with created contacts' : ''}`,
  );
  dep.counted();
  log.undos += 1;
  const { digest } = planned.answer;
  log.undoing.add(process.pid);
  dep.unleash(chaos);
  const ended = await dep.until(process, () =>
    undo(operator, { by: 'a person', through: 'console' }, request, { digest, signal }),
  );
  await dep.tame();
  log.undoing.delete(process.pid);
  if (ended === 'killed') return tell(`undo by process ${process.pid} killed`);
  const isCalm = chaos.acts.length + chaos.faults.length === 0 && chaos.end === undefined;
  if (!isCalm || ended?.answer.outcome !== 'run') return undefined;
  const { status, problems } = ended.answer.run;
  if (status === 'succeeded' || status === 'partial') judgeDeleted(dep, planned.report.changes, problems);
  if (status === 'succeeded') judgePutBack(dep, planned.report.changes);
}

/** S7: right after an undo that nobody disturbed, each row that it was to delete is gone, or the undo says why it stays. */
function judgeDeleted(
  { world, log, mapping, violate }: Judging,
  changes: readonly Change[],
  named: RunAnswer['problems'],
): void {
  const { rows } = viewSheet(world.sides.file.content, log.renamed);
  const unmapped = mapping.whole().fields.filter(({ field }) => !mapping.mapped().has(field));
  for (const { op, uuid } of changes) {
    const row = rows.find(({ id }) => id === uuid);
    if (op !== 'remove' || !row) continue;
    // Nobody changed the row while it was deleted (W3). Its cell in a column that left the mapping counts as changed.
    const holdsMore = unmapped.some(({ field }) => row.value(field) !== '');
    const isNamed = named.some((each) => each.contact === uuid && (each.rule !== 'W3' || holdsMore));
    if (!isNamed) violate('S7', `an undo was to delete the row of ${uuid}, and it is there`);
  }
}

/** S4: right after an undo that left nothing open, both sides hold what it was to put back. */
function judgePutBack({ world, log, mapping, violate }: Judging, changes: readonly Change[]): void {
  const { rows } = viewSheet(world.sides.file.content, log.renamed);
  for (const { op, uuid, fields } of changes) {
    if (op !== 'set') continue;
    const row = rows.find(({ id }) => id === uuid);
    const contact = [...world.sides.service.model.contacts.all()].find(({ record }) => record.uuid === uuid);
    for (const { field, after } of fields) {
      const name = field as FieldName;
      if (!row || !contact || !mapping.mapped().has(name)) continue;
      const wanted = normalOf(name, typeof after === 'string' ? after : '');
      const [cell, value] = [row.value(name), contactValue(contact.record, name)];
      const isBack = [cell, value].every((text) => normalOf(name, text).toUpperCase() === wanted.toUpperCase());
      if (!isBack)
        violate('S4', `an undo was to put ${field} of ${uuid} back to "${wanted}", and it is "${cell}" and "${value}"`);
    }
  }
}
