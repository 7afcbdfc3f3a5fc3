// S4: a value that a run wrote goes back to what was agreed before, on both sides and in the base. A value that changed
// since is reported.
import { deepStrictEqual } from 'node:assert';
import type { Change } from '../../../src/sync/change.ts';
import { healthy } from './options.ts';
import { plan } from '../../../src/sync/plan.ts';
import { unpack } from '../../../src/sync/record/record.ts';
import { settle } from '../../../src/sync/settle/settle.ts';
import type { PastWrite } from '../../../src/sync/undo/past.ts';
import { planUndoRun } from '../../../src/sync/undo/undo.ts';
import { type Act, act } from './people.ts';
import { createPush } from './push.ts';
import { type Ran, readBoth, run } from './run.ts';
import { fieldNames } from './setting.ts';
import { isSameField, type World } from './world.ts';

/** `since`: what people do between the run and its undoing. */
export function judgeUndo(world: World, edits: readonly Act[], since: readonly Act[]): void {
  run(world, healthy);
  run(world, healthy);
  const before = world.base;
  for (const each of edits) act(world, each);
  const ran = run(world, healthy);
  const writes = writesOf(ran, before);
  const touched = new Map(writes.map((write) => [`${write.uuid}/${write.field}`, write]));
  for (const each of since) act(world, each);
  const changedSince = new Set([...touched].filter(([, write]) => !holdsStill(world, write)).map(([id]) => id));
  const undone = undo(world, writes);
  // A key that another contact took meanwhile cannot go back; the service says so.
  if (undone.isRefused) return;
  deepStrictEqual(new Set(undone.problems.map(({ id }) => id)), changedSince);
  for (const [id, write] of touched) {
    if (!changedSince.has(id)) judgePutBack(world, write);
  }
  if (since.length === 0 && changedSince.size === 0) {
    deepStrictEqual(plan(readBoth(world, healthy)).changes, []);
    // An undo can be undone: the same again, in the other direction.
    const again = undo(world, undoneWrites(undone.changes, writes));
    if (again.isRefused) return;
    deepStrictEqual(again.problems, []);
    for (const write of writes) judgePutBack(world, { ...write, agreedBefore: write.after });
  }
}

function writesOf({ outcomes }: Ran, before: World['base']): PastWrite[] {
  const writes: PastWrite[] = [];
  for (const [{ op, uuid, side, fields }, outcome] of outcomes) {
    if ((op !== 'update' && op !== 'set') || uuid === null || outcome.kind !== 'done') continue;
    const link = before.links.get(uuid);
    for (const { field, before: replaced, after } of fields) {
      const agreed = link && unpack(link.agreed)[fieldNames.indexOf(field as never)];
      writes.push({ uuid, field, side, agreedBefore: agreed === undefined ? (replaced ?? undefined) : agreed, after });
    }
  }
  return writes;
}

function undoneWrites(changes: readonly Change[], writes: readonly PastWrite[]): PastWrite[] {
  return changes.flatMap(({ uuid, side, fields }) =>
    fields.map(({ field, after }) => {
      const first = writes.find((write) => write.uuid === uuid && write.field === field)!;
      return { uuid: uuid!, field, side, agreedBefore: first.after, after };
    }),
  );
}

function sidesOf(world: World, uuid: string) {
  const row = world.rows.find(({ id }) => id === uuid);
  const contact = world.contacts.find((each) => each.uuid === uuid);
  return { row, contact };
}

function holdsStill(world: World, { uuid, field, agreedBefore, after }: PastWrite): boolean {
  const { row, contact } = sidesOf(world, uuid);
  const index = fieldNames.indexOf(field as never);
  // Only one side of these can be changed. Where nothing was agreed there is nothing to go back to.
  if (field === 'status' || field === 'segment' || agreedBefore === undefined) return false;
  return [row, contact].every(
    (side) => side !== undefined && isSameField(world, index, side.held[index]!.value, after),
  );
}

function judgePutBack(world: World, { uuid, field, agreedBefore }: PastWrite): void {
  const { row, contact } = sidesOf(world, uuid);
  const index = fieldNames.indexOf(field as never);
  const agreed = unpack(world.base.links.get(uuid)!.agreed)[index];
  for (const value of [row!.held[index]!.value, contact!.held[index]!.value, agreed]) {
    if (!isSameField(world, index, value, agreedBefore)) {
      world.violations.push(`S4: ${field} of ${uuid} is ${JSON.stringify(value)}, not ${JSON.stringify(agreedBefore)}`);
    }
  }
}

function undo(world: World, writes: readonly PastWrite[]) {
  const input = readBoth(world, healthy);
  const past = { writes, enrolments: [], created: [], appended: [], removed: [], deleted: [], linked: [] };
  const undone = planUndoRun(input, past, { run: 'R', deletesCreated: false });
  for (const change of undone.changes) world.story.push(`  undoes ${JSON.stringify(change)}`);
  const push = createPush(world, input, healthy);
  for (const change of undone.changes) push.carryOut(change);
  const { links } = settle(input, undone, push.outcomes);
  const kept = new Map(world.base.links);
  for (const [uuid, link] of links) if (link !== null) kept.set(uuid, link);
  world.base = { ...world.base, links: kept };
  const isKeyHeld = undone.problems.some(({ rule }) => rule === 'I7') || undone.questions.length > 0;
  const isWithheld = undone.holds.length > 0 || isKeyHeld;
  return { ...undone, isRefused: isWithheld || [...push.outcomes.values()].some(({ kind }) => kind !== 'done') };
}
