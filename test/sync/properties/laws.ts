// What must be true of the world once both sides are quiet and healthy.
import type { Change, Problem } from '../../../src/sync/change.ts';
import { healthy } from './options.ts';
import { unpack } from '../../../src/sync/record/record.ts';
import { type Ran, run } from './run.ts';
import { fieldNames } from './setting.ts';
import { type Contact, inScope, isSameField, type Row, type World } from './world.ts';

/**
 * A value that the service does not store, or refuses, is tried again a few times (M6, W5). A record that waited for
 * another one, and was reported for it, goes on once that one is done.
 */
const moreRunsMax = 20;

/** L6: two runs on quiet and healthy sides, and a third one that has nothing to do. */
export function settleDown(world: World): void {
  if (world.violations.length > 0) return;
  world.story.push('-- quiet from here on');
  run(world, healthy);
  let last = run(world, healthy);
  judgeCounts(world, last);
  for (let more = 0; more < moreRunsMax; more += 1) {
    const before = world.base;
    const next = run(world, healthy);
    // A field that was held while another field moved, or that was not stored, becomes a conflict once no field of the
    // record moves any more.
    if (more === 0 && !isMoving(next) && !hasOpen(last)) judgeIdle(world, before, next);
    for (const change of next.plan.changes) judgeLate(world, change, last);
    last = next;
    if (!isMoving(next)) break;
  }
  if (isMoving(last)) world.violations.push('L6: it does not come to rest');
  const before = world.base;
  last = run(world, healthy);
  judgeIdle(world, before, last);
  judgeEqual(world, last.plan.problems);
  judgeEverybody(world, last.plan.problems);
}

function isMoving({ plan }: Ran): boolean {
  return plan.changes.length > 0;
}

function hasOpen({ settled }: Ran): boolean {
  return settled?.problems.some(({ kind }) => kind === 'held' || kind === 'failed') ?? false;
}

/** After two runs only those records may still change that were reported, or that had to wait for another change. */
function judgeLate(world: World, { op, uuid, row, reason }: Change, { settled, plan }: Ran): void {
  const isNamed = settled?.problems.some(
    (each) =>
      (row !== null && each.row === row) || (uuid !== null && (each.uuid === uuid || each.reason.includes(uuid))),
  );
  // A deletion waits until all other changes succeeded (D5), and a contact is moved here before it is merged (I2).
  const isDeletion = op === 'delete' || op === 'remove';
  const follows = plan.changes.some(
    (each) => each.op === 'delete' || each.op === 'remove' || (each.op === 'create' && each.moves === uuid),
  );
  if (!isNamed && !isDeletion && !follows)
    world.violations.push(`L6: the third run still wants to ${op} ${uuid} row ${row}: ${reason}`);
}

/** W9: nothing is written, and nothing new is stored. */
function judgeIdle(world: World, before: World['base'], { settled }: Ran): void {
  for (const uuid of settled?.links.keys() ?? [])
    world.violations.push(
      `W9: an idle run touches the base of ${uuid}: ${JSON.stringify(before.links.get(uuid))} -> ${JSON.stringify(settled?.links.get(uuid))}`,
    );
  if (settled && straysText(settled) !== straysText(before))
    world.violations.push('W9: an idle run touches what is remembered of new rows');
  for (const { kind, reason } of settled?.problems ?? []) {
    if (kind === 'failed' || kind === 'unknown' || kind === 'waiting') {
      if (!reason.includes('has no match key yet'))
        world.violations.push(`L6: quiet and healthy, and ${kind}: ${reason}`);
    }
  }
}

/** Each is stored by its key, in whatever order a run meets them. */
function straysText({ strays }: Pick<World['base'], 'strays'>): string {
  return JSON.stringify([...strays].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** L5, L6: A = B = O in every field of every pair that is not reported. */
function judgeEqual(world: World, problems: readonly Problem[]): void {
  for (const contact of inScope(world)) {
    const rows = world.rows.filter(({ id }) => id === contact.uuid);
    for (const row of rows) judgePair(world, contact, row, problems);
  }
}

function judgePair(world: World, contact: Contact, row: Row, problems: readonly Problem[]): void {
  const number = world.rows.indexOf(row) + 2;
  const about = problems.filter((each) => each.uuid === contact.uuid || each.row === number);
  const isSetApart = about.some(({ field }) => field === null);
  const link = world.base.links.get(contact.uuid);
  if (!link) {
    if (!isSetApart) world.violations.push(`L12: ${contact.uuid} has a row, no link, and is not named`);
    return;
  }
  if (isSetApart) return;
  const agreed = unpack(link.agreed);
  for (const [index, { direction, blank }] of world.mapping.fields.entries()) {
    if (about.some(({ field }) => field === fieldNames[index])) continue;
    const [a, b] = [contact.held[index]!.value, row.held[index]!.value];
    if (direction === 'to_crm') {
      // Only what was sent last is known: a write whose answer was lost looks like no write.
      if (world.unsure.has(contact.uuid)) continue;
      const isKept = b === null && (blank === 'ignore' || agreed[index] === undefined);
      if (!isKept && !isSameField(world, index, b, a))
        world.violations.push(`L5: ${fieldNames[index]} of ${contact.uuid} was not sent: ${told(a, b, agreed[index])}`);
      continue;
    }
    if (direction === 'to_sheet' && a === null && blank === 'ignore') continue;
    if (!isSameField(world, index, a, b))
      world.violations.push(`L5: ${fieldNames[index]} of ${contact.uuid} differs: ${told(a, b, agreed[index])}`);
    else if (!isSameField(world, index, a, agreed[index]))
      world.violations.push(
        `L6: the base lags in ${fieldNames[index]} of ${contact.uuid}: ${told(a, b, agreed[index])}`,
      );
  }
}

function told(a: unknown, b: unknown, o: unknown): string {
  return `A ${JSON.stringify(a)} B ${JSON.stringify(b)} O ${JSON.stringify(o)}`;
}

/** L7, L12: every person is on both sides, or reported. */
function judgeEverybody(world: World, problems: readonly Problem[]): void {
  for (const contact of inScope(world)) {
    const rows = world.rows.filter(({ id }) => id === contact.uuid);
    const isNamed = problems.some(
      ({ uuid, reason }) => uuid === contact.uuid || reason.includes(contact.uuid) || reason.includes(' more;'),
    );
    // Also while an ID is in doubt, so that nothing is concluded from missing rows (I5).
    if (rows.length === 0 && !isNamed) world.violations.push(`L7: ${contact.uuid} has no row, and is not named`);
    if (
      rows.length > 1 &&
      problems.filter(({ row }) => rows.some((each) => world.rows.indexOf(each) + 2 === row)).length < rows.length - 1
    )
      world.violations.push(`I4: ${contact.uuid} has ${rows.length} rows, and they are not named`);
  }
  for (const [index, row] of world.rows.entries()) {
    const contact = world.contacts.find(({ uuid, gone }) => uuid === row.id && gone === undefined);
    const isNamed = problems.some((each) => each.row === index + 2);
    const isSilent =
      world.mapping.onContactDeleted === 'ignore' && world.base.links.get(row.id)?.standing === 'contact-gone';
    if ((!contact || contact.list !== 'here') && !isNamed && !isSilent)
      world.violations.push(`L12: row ${index + 2} (${row.id || 'no ID'}) is nobody's, and is not named`);
  }
  for (const { uuid, gone } of world.contacts) {
    if (
      gone === 'by the sync' &&
      world.mapping.onContactDeleted !== 'ignore' &&
      world.rows.some(({ id }) => id === uuid)
    ) {
      const isNamed = problems.some((each) => each.uuid === uuid || world.rows[(each.row ?? 0) - 2]?.id === uuid);
      if (!isNamed) world.violations.push(`L7: ${uuid} was deleted, and its row lives`);
    }
  }
}

/** L12: the number of links that the plan gives is right if every change succeeds. */
function judgeCounts(world: World, { plan, settled, outcomes }: Ran): void {
  if (!settled || [...outcomes.values()].some(({ kind }) => kind !== 'done')) return;
  if (plan.linked !== world.base.links.size)
    world.violations.push(`L12: the plan counts ${plan.linked} links, and there are ${world.base.links.size}`);
}
