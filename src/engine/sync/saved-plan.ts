// A plan that somebody looked at, as it is kept in a file, and what of a later plan is still that very plan.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Change, opOrder, type Problem, problem } from '../../sync/change.ts';
import { soleKeyNames } from '../../sync/record/keys.ts';
import type { PlanInput } from '../../sync/input.ts';
import type { Choice } from '../context.ts';
import type { Decided } from './decide.ts';
import { RunFailed } from '../errors.ts';

/** Grows when a file of today could be misread by a program of tomorrow. */
const version = 1;

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const savedChange = z.strictObject({
  side: z.enum(['crm', 'sheet']),
  op: z.enum(opOrder),
  uuid: z.string().nullable(),
  row: z.number().nullable(),
  fields: z.array(
    z.strictObject({
      field: z.string(),
      before: value.optional(),
      after: value,
      rule: z.string(),
      reason: z.string(),
    }),
  ),
  rule: z.string(),
  reason: z.string(),
  key: z.string().optional(),
  moves: z.string().optional(),
  enrol: z.string().optional(),
  releases: z.literal(true).optional(),
  automation: z.string().nullable().optional(),
  id: z.string().optional(),
  to: z.string().optional(),
  from: z.string().optional(),
});

const savedPlan = z.strictObject({
  sync: z.string(),
  run: z.string(),
  isFull: z.boolean(),
  identities: z.strictObject({ crm: z.string(), sheet: z.string() }),
  changes: z.array(savedChange),
});

const planFile = z.strictObject({
  format: z.literal('leadsheet plan'),
  version: z.literal(version),
  madeAt: z.string(),
  plans: z.array(savedPlan).min(1),
  checksum: z.string(),
});

export type SavedPlan = z.infer<typeof savedPlan>;

/** A file of plans cannot be used; the message says why and what to do. */
export class PlanFileError extends Error {
  override readonly name = 'PlanFileError';
}

/** Of an outbox, whose messages are all there is to look at. */
export function toSavedMessages(
  sync: string,
  run: string,
  identities: SavedPlan['identities'],
  changes: readonly Change[],
): SavedPlan {
  const sends = changes.filter(({ op }) => op === 'send');
  return { sync, run, isFull: false, identities, changes: sends.map(plainChange) };
}

export function toSavedPlan(sync: string, run: string, isFull: boolean, { input, whole }: Decided): SavedPlan {
  return { sync, run, isFull, identities: input.identities.now, changes: whole.changes.map(plainChange) };
}

/** As JSON has it: what is not known is not there. */
function plainChange(change: Change): SavedPlan['changes'][number] {
  return JSON.parse(JSON.stringify(change)) as SavedPlan['changes'][number];
}

/** Holds contact details: for the eyes of its owner. */
export function writePlanFile(plans: readonly SavedPlan[], madeAt: string): string {
  const file = { format: 'leadsheet plan', version, madeAt, plans, checksum: checksumOf(madeAt, plans) };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Throws PlanFileError. */
export function readPlanFile(text: string, name: string): readonly SavedPlan[] {
  const json = parseJson(text);
  const head = z.looseObject({ format: z.literal('leadsheet plan'), version: z.number() }).safeParse(json);
  if (!head.success) throw new PlanFileError(`${name} is no plan: make one with leadsheet plan --out FILE`);
  if (head.data.version !== version) {
    throw new PlanFileError(
      `${name} is a plan of version ${head.data.version}, and this program reads version ${version}: plan again`,
    );
  }
  const read = planFile.safeParse(json);
  if (!read.success || checksumOf(read.data.madeAt, read.data.plans) !== read.data.checksum) {
    throw new PlanFileError(`${name} was changed since it was written: plan again, nothing was applied`);
  }
  return read.data.plans;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checksumOf(madeAt: string, plans: readonly SavedPlan[]): string {
  return createHash('sha256')
    .update(JSON.stringify([madeAt, planFile.shape.plans.parse(plans)]))
    .digest('hex');
}

/**
 * Of a fresh plan, what is exactly as saved. A record goes as a whole or not at all: the parts of its change were decided
 * together. What the saved plan has and the fresh one has not, or has otherwise, is refused by name.
 */
export function chooseSaved(saved: SavedPlan, changes: readonly Change[], input: PlanInput): Choice {
  const { crm, sheet } = input.identities.now;
  if (saved.identities.crm !== crm || saved.identities.sheet !== sheet) {
    throw new RunFailed(`the plan was made for another list or tab than ${saved.sync} has now: plan again`);
  }
  const wanted = byRecord(saved.changes);
  const found = byRecord(changes);
  const moved = new Set([...wanted.keys()].filter((key) => textOf(wanted.get(key)) !== textOf(found.get(key))));
  for (const key of entangled(wanted, moved, input)) moved.add(key);
  return {
    changes: changes.filter((change) => wanted.has(recordOf(change)) && !moved.has(recordOf(change))),
    problems: [...moved].map((key) => refusal(wanted.get(key)![0]!, found.get(key)?.[0])),
  };
}

type AnyChange = Change | SavedPlan['changes'][number];

function byRecord<Some extends AnyChange>(changes: readonly Some[]): ReadonlyMap<string, readonly Some[]> {
  const map = new Map<string, Some[]>();
  for (const change of changes) map.set(recordOf(change), [...(map.get(recordOf(change)) ?? []), change]);
  return map;
}

/** A row that is nobody yet is known by what it holds; rows move. */
function recordOf(change: AnyChange): string {
  return change.uuid ?? ('key' in change ? `new ${change.key}` : `row ${change.row}`);
}

/** Everything of a record's changes but where its row is and why. */
function textOf(changes: readonly AnyChange[] = []): string {
  return changes
    .map((change) => {
      const { row: _row, rule: _rule, reason: _reason, fields, ...rest } = change;
      const parts = Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1));
      return JSON.stringify([parts, fields.map(({ field, before, after }) => ({ field, before, after }))]);
    })
    .toSorted()
    .join('\n');
}

/** Keys pass from contact to contact in an order (I7): where one edit of a key falls out, the others wait with it. */
function entangled(
  wanted: ReadonlyMap<string, readonly AnyChange[]>,
  moved: ReadonlySet<string>,
  { mapping }: PlanInput,
): readonly string[] {
  const keyNames = soleKeyNames(mapping);
  const editsKey = (changes: readonly AnyChange[]) =>
    changes.some(({ op, fields }) => op === 'update' && fields.some(({ field }) => keyNames.includes(field)));
  const editors = [...wanted].filter(([, changes]) => editsKey(changes)).map(([key]) => key);
  return editors.some((key) => moved.has(key)) ? editors : [];
}

function refusal({ uuid, row }: AnyChange, now: AnyChange | undefined): Problem {
  const reason = now
    ? 'not applied: it changed since the plan was made'
    : 'not applied: nothing is to be done for it any more, it changed or was done since the plan was made';
  return problem('held', { uuid, row: now?.row ?? row }, 'W3', reason);
}
