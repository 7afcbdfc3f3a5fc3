// One run over the small world, as the engine does it: read, plan, ask, push to the CRM, plan the sheet changes, push to
// the sheet, settle. Faults are decided beforehand, so that a trial replays exactly.
import { type Base, type Link, withUnknownOutcome } from '../../../src/sync/record/base.ts';
import { isMerged, withSent } from '../../../src/sync/record/sent.ts';
import type { Change, Question } from '../../../src/sync/change.ts';
import {
  type Answers,
  type ContactAnswer,
  type LookupAnswer,
  noAnswers,
  type PlanInput,
} from '../../../src/sync/input.ts';
import type { Outcome } from '../../../src/sync/outcome.ts';
import { type Plan, plan } from '../../../src/sync/plan.ts';
import { planSheetChanges } from '../../../src/sync/settle/sheet-changes.ts';
import { settle, type Settled } from '../../../src/sync/settle/settle.ts';
import { unpack } from '../../../src/sync/record/record.ts';
import { createPush, type Push } from './push.ts';
import { judgeBase, judgePlan } from './referee.ts';
import type { RunOptions } from './options.ts';
import { fieldNames } from './setting.ts';
import type { Reading } from '../../../src/sync/value/value.ts';
import {
  type Contact,
  findByKey,
  inScope,
  isSameField,
  existingContacts,
  recordOf,
  rowRecordOf,
  tick,
  valuesOf,
  type World,
} from './world.ts';

export interface Ran {
  readonly input: PlanInput;
  readonly plan: Plan;
  readonly outcomes: ReadonlyMap<Change, Outcome>;
  /** undefined: held, or killed. */
  readonly settled: Settled | undefined;
}

const questionsRoundsMax = 6;

export function run(world: World, options: RunOptions): Ran {
  tick(world, options.pauseSecs);
  const startedAt = world.now;
  const input = readBoth(world, options);
  world.story.push(`run ${JSON.stringify(options)}`);
  const [final, planned] = planAndAsk(world, input, options);
  judgePlan(world, final, planned);
  for (const change of planned.changes) world.story.push(`  plans ${JSON.stringify(change)}`);
  for (const { kind, uuid, row, field, reason } of planned.problems)
    world.story.push(`  names ${kind} ${uuid} row ${row} ${field}: ${reason}`);
  for (const { reason } of planned.holds) world.story.push(`  held: ${reason}`);
  if (planned.holds.length > 0) return { input: final, plan: planned, outcomes: new Map(), settled: undefined };
  const push = createPush(world, final, options);
  carryOut(final, planned, push);
  const settled = settle(final, planned, push.outcomes);
  const isKilled = push.isKilled();
  const isCommitted = (index: number) => !isKilled || ((options.committed >> (index % 6)) & 1) === 1;
  commit(world, settled, isCommitted, isKilled ? underWay(planned, push) : []);
  if (!isKilled) {
    world.base = { ...world.base, strays: settled.strays };
    world.watermark = startedAt - 1000;
  }
  judgeBase(world, final);
  for (const [uuid, link] of settled.links)
    world.story.push(`  ${isKilled ? 'might' : 'does'} remember ${uuid}: ${JSON.stringify(link)}`);
  return { input: final, plan: planned, outcomes: push.outcomes, settled: isKilled ? undefined : settled };
}

function carryOut(input: PlanInput, planned: Plan, push: Push): void {
  const isDeletion = ({ op }: Change) => op === 'delete' || op === 'remove';
  for (const change of planned.changes) if (change.side === 'crm' && !isDeletion(change)) push.carryOut(change);
  if (push.isKilled()) return;
  const toSheet = planSheetChanges(input, planned, push.outcomes);
  for (const change of toSheet) if (!isDeletion(change)) push.carryOut(change);
  // D5: deletions come last, and only after all else succeeded.
  if ([...push.outcomes.values()].some(({ kind }) => kind !== 'done') || push.hasSkipped()) return;
  for (const change of [...planned.changes, ...toSheet].filter(isDeletion)) {
    if (!push.outcomes.has(change)) push.carryOut(change);
  }
}

export function readBoth(world: World, options: RunOptions): PlanInput {
  const isRead = (index: number) => ((options.unread >> (index % 6)) & 1) === 0;
  const here = inScope(world);
  const { coverage } = options;
  const contacts =
    coverage === 'changes'
      ? here.filter(({ updatedAt }) => updatedAt >= world.watermark)
      : coverage === 'partial' || options.isDrifted
        ? here.filter((_, index) => isRead(index))
        : here;
  const unreadableIn = (index: number): string[] =>
    options.unreadable !== null && options.unreadable.row === index ? [fieldNames[options.unreadable.field]!] : [];
  const identity = { crm: 'list', sheet: 'tab' };
  return {
    mapping: world.mapping,
    base: world.base,
    identities: { known: identity, now: identity },
    crm: {
      contacts: contacts.map(recordOf),
      coverage,
      isDrifted: options.isDrifted && coverage === 'whole',
      scope: 'list L',
    },
    sheet: {
      rows: world.rows.map((row, index) => rowRecordOf(row, index, unreadableIn(index))),
      doubled: [],
      missing: [],
    },
    answers: noAnswers,
    // A person approved everything: guards are not the question here.
    requests: {
      resolve: new Map(),
      retry: new Set(),
      approved: { creates: 1e6, changes: 1e6, blanks: 1e6, deletes: 1e6, missing: 1e6, enrolments: 1e6 },
    },
    ledger: { entries: new Map(), isTrusted: true },
    now: world.now,
    waitsToSettle: options.waitsToSettle,
  };
}

export function planAndAsk(world: World, input: PlanInput, options: RunOptions): readonly [PlanInput, Plan] {
  let answers = input.answers;
  for (let round = 0; ; round += 1) {
    const asking = { ...input, answers };
    const planned = plan(asking);
    if (planned.holds.length > 0 || planned.questions.length === 0) return [asking, planned];
    if (round === questionsRoundsMax) {
      world.violations.push(`the questions do not end: ${JSON.stringify(planned.questions)}`);
      return [asking, planned];
    }
    answers = answer(world, answers, planned.questions, options);
  }
}

function answer(world: World, known: Answers, questions: readonly Question[], { isSilent }: RunOptions): Answers {
  const contacts = new Map(known.contacts);
  const lookups = new Map(known.lookups);
  const keys = new Map(known.keys);
  for (const question of questions) {
    if (question.kind === 'contact') {
      const found = existingContacts(world).find(({ uuid }) => uuid === question.uuid);
      contacts.set(question.uuid, isSilent ? silence : answerOf(found));
    } else if (question.kind === 'lookup') {
      lookups.set(question.key, isSilent ? silence : lookUp(world, question.values));
    } else {
      keys.set(question.key, isSilent ? silence : lookUpKey(world, question));
    }
  }
  return { contacts, lookups, keys };
}

const silence = { kind: 'unanswered', why: 'the service does not answer' } as const;

function answerOf(found: Contact | undefined): ContactAnswer {
  if (!found) return { kind: 'gone' };
  return found.list === 'here'
    ? { kind: 'here', contact: recordOf(found) }
    : { kind: 'elsewhere', uuid: found.uuid, where: 'in list M', contact: recordOf(found) };
}

function lookUp(world: World, values: readonly Reading[]): LookupAnswer {
  const hits = findByKey(world, existingContacts(world), values);
  const here = hits.filter(({ list }) => list === 'here');
  const [first, ...more] = here.length > 0 ? here : hits;
  return more.length > 0 ? { kind: 'several', uuids: [first!, ...more].map(({ uuid }) => uuid) } : answerOf(first);
}

/** As the service does: one of the contacts that have the key. */
function lookUpKey(world: World, { field, value }: Extract<Question, { kind: 'key' }>): ContactAnswer {
  const index = fieldNames.findIndex((name) => name === field);
  return answerOf(
    existingContacts(world).find((contact) => isSameField(world, index, valuesOf(contact)[index], value)),
  );
}

/**
 * What the journal of the engine knows of a process that died: updates are noted before they are begun, a batch at once;
 * updates that pass keys on are noted one by one.
 */
function underWay({ changes }: Plan, { begun }: Push): readonly Change[] {
  const updates = changes.filter((change) => change.op === 'update');
  if (updates.some(({ releases }) => releases)) return updates.filter((change) => begun.has(change));
  return updates.some((change) => begun.has(change)) ? updates : [];
}

/** `interrupted`: their results were stored with the links, or their outcome is unknown (W4). */
function commit(
  world: World,
  { links }: Settled,
  isCommitted: (index: number) => boolean,
  interrupted: readonly Change[],
): void {
  const kept = new Map<string, Link>(world.base.links);
  const told = new Set<string>();
  for (const [index, [uuid, link]] of [...links].entries()) {
    if (!isCommitted(index)) {
      // Answered, and lost with the process: the same as not answered.
      world.unsure.add(uuid);
      continue;
    }
    told.add(uuid);
    if (link === null) kept.delete(uuid);
    else kept.set(uuid, link);
  }
  for (const change of interrupted) {
    const { uuid, fields } = change;
    const link = kept.get(uuid ?? '');
    if (!link || uuid === null || told.has(uuid)) continue;
    const isHalf = change.op === 'update' && change.releases === true;
    const passedOn = isHalf ? fields.map((each) => [each.field, [each.before ?? null, each.after]] as const) : [];
    const names = new Set(fields.map(({ field }) => field));
    const sent = fields.flatMap(({ field, after, rule }) =>
      isMerged(rule, change.side) && !isHalf ? [{ side: change.side, field, after }] : [],
    );
    kept.set(uuid, withSent(withUnknownOutcome(link, fieldNames, names, new Map(passedOn)), sent));
  }
  world.base = { ...world.base, links: kept } satisfies Base;
  noteAgreed(world);
}

/** For the referee, which judges separately whether the base is honest (L3). */
function noteAgreed(world: World): void {
  world.agreed.clear();
  for (const [uuid, link] of world.base.links) world.agreed.set(uuid, unpack(link.agreed));
}
