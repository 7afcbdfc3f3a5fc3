// Explains one contact of a sync: every value on both sides, where it came from, what is open, what the next run would do.
import type { SyncConfig } from '../../config/config.ts';
import type { JobConfig } from '../../config/jobs.ts';
import { type DecisionRequest, idOf } from '../../engine/decision.ts';
import type { HeldChange, HeldFact, HeldRecord } from '../../engine/stored/facts.ts';
import { withRule } from '../../engine/rule-words.ts';
import type { StoredProblem } from '../../engine/stored/run.ts';
import { readSync } from '../../engine/stored/stored.ts';
import { type OneRecord, planOne } from '../../engine/sync/plan-one.ts';
import { ruleWords } from '../../engine/rule-words.ts';
import type { Change } from '../../sync/change.ts';
import type { RuleId } from '../../sync/rules.ts';
import { vetoOf } from '../../sync/enrolment/veto.ts';
import type { Plan } from '../../sync/plan.ts';
import { lastSeen, type Link } from '../../sync/record/base.ts';
import { enrolmentId, groupEntries } from '../../sync/record/ledger.ts';
import { createShape } from '../../engine/sync/shape.ts';
import { unpack } from '../../sync/record/record.ts';
import type { ExplainedProblem, ExplainedRecord } from '../answers/explain.ts';
import { decisionToAnswer, isCancelWaiting, waitingDecisions } from '../decide.ts';
import type { Operator } from '../operator.ts';
import { problemToAnswer } from '../problems.ts';
import { valueText } from '../words.ts';
import { columnLetters } from './cells.ts';
import { commandText } from './commands.ts';
import { explainFields, type LiveValues } from './fields.ts';
import type { Meant } from './find.ts';
import { readLife } from './life.ts';
import { statusText } from './status.ts';
import { heldPlanOf, remediesOf, remediesOfEnrolment, remediesOfPlan, type RemedyContext } from './remedies.ts';

/** What both sides hold at this moment. */
export interface LiveRecord extends NonNullable<OneRecord['live']> {
  readonly values: LiveValues;
  /** The place of the row now; null: it has none. */
  readonly rowNumber: number | null;
}

/** `isStopped`: the last run compared no record, since a side is empty or another one than before (G1). */
type MeantContact = Meant & { readonly job: JobConfig & { readonly kind: 'sync' }; readonly isStopped: boolean };

export async function explainContact(
  operator: Operator,
  meant: MeantContact,
  live?: LiveRecord,
): Promise<ExplainedRecord> {
  const { job, loaded, standing, id, isStopped } = meant;
  const { config } = job;
  const stored = readSync(loaded);
  const row = live ? live.rowNumber : meant.row;
  const letters = columnLetters(loaded);
  const cellOf = (field: string | null) => {
    const letter = field === null ? undefined : letters.get(field);
    return letter === undefined || row === null ? undefined : `${letter}${row}`;
  };
  const context: RemedyContext = { job: job.name, kind: 'sync', held: heldPlanOf(standing), cellOf };
  const problems = standing.lastRun?.problems ?? [];
  const ofRecord = problemsOf(problems, id, meant.row);
  const open = id === null ? ofRecord : [...ofRecord, ...lostColumnsOf(problems, config)];
  const formulas = open.flatMap(({ rule, field }) => (rule === 'V5' && field !== null ? [field] : []));
  const record: OneRecord | undefined = id === null ? undefined : { uuid: id, row, formulas, ...(live && { live }) };
  const one = record && planOne(config, stored, record, operator.now());
  const link = one?.link;
  const life = id === null ? undefined : await readLife(operator, job.name, id);
  const held = standing.held?.records?.find((each) => each.id === id);
  const isHeldWhole = standing.held !== undefined && isOfWholeRun(standing.held);
  const heldNext = isHeldWhole && !live ? nextOfWhole(standing.requests) : undefined;
  const withoutPlan = isStopped ? stoppedNext : heldNext;
  return {
    job: job.name,
    kind: 'sync',
    id,
    name: meant.name,
    row,
    standing: standingText(config, { link, id, open, isHeld: held !== undefined, isHeldWhole, isStopped }),
    status: await statusText(operator, {
      job: job.name,
      config,
      problems,
      row,
      link,
      life,
    }),
    last_run: lastRunOf(standing.lastRun),
    holds: [...(standing.held?.reasons ?? [])],
    hold_remedies: [...remediesOfPlan(context)],
    fields:
      link && life
        ? explainFields({ config, link, life, cellOf, problems: open, plan: one.plan, live: live?.values })
        : [],
    next:
      one && link
        ? (withoutPlan ?? withHeld(nextOf(one.plan, open), live ? undefined : held, standing.requests))
        : null,
    problems: open.map((problem) => explainProblem(problem, link, context)),
    vetoes: link ? vetoesOf(config, link) : [],
    enrolments: id === null ? [] : enrolmentsOf(stored.ledger, id, standing.requests),
    messages: [],
    decisions: decisionsOf(standing.requests, id, meant.row),
    log: id === null ? null : commandText('log', '--contact', id),
  };
}

/** G1: nothing of the run was carried out, and its records are not known. Of wishes that a new state finds (E6) all else was. */
function isOfWholeRun({ planned, records }: HeldFact): boolean {
  const { creates, changes, blanks, deletes, missing } = planned;
  return records === undefined && creates + changes + blanks + deletes + missing > 0;
}

/** A row that got its contact in the last run has problems from before it, which name the row alone. */
export function problemsOf(
  problems: readonly StoredProblem[],
  id: string | null,
  row: number | null,
): readonly StoredProblem[] {
  const ofRow = (problem: StoredProblem) => problem.id.split('/')[0] === `row:${row}`;
  return problems.filter((problem) =>
    id === null
      ? problem.uuid === null && problem.row === row
      : problem.uuid === id || problem.id.split('/')[0] === id || ofRow(problem),
  );
}

/** W11: such a problem names no record, and is one of every record. */
function lostColumnsOf(problems: readonly StoredProblem[], config: SyncConfig): readonly StoredProblem[] {
  const headers = new Set(createShape(config, 0).mapping.fields.map(({ header }) => header));
  return problems.filter(({ rule, uuid, field }) => rule === 'W11' && uuid === null && headers.has(field ?? ''));
}

export function lastRunOf(lastRun: Meant['standing']['lastRun']): ExplainedRecord['last_run'] {
  return lastRun ? { run: lastRun.run, status: lastRun.status, ended_at: lastRun.endedAt } : null;
}

export function decisionsOf(
  requests: readonly DecisionRequest[],
  id: string | null,
  row: number | null,
): ExplainedRecord['decisions'] {
  const names = new Set([id, row === null ? null : `row:${row}`]);
  return waitingDecisions(requests).flatMap((request) =>
    request.kind !== 'approve' && names.has(idOf(request).split('/')[0]!) ? [decisionToAnswer(request)] : [],
  );
}

export function explainProblem(
  problem: StoredProblem,
  link: Link | undefined,
  context: RemedyContext,
): ExplainedProblem {
  const { advice: _advice, ...about } = problemToAnswer(problem, { name: context.job, kind: context.kind });
  // A run of an earlier version did not note the instant with the problem.
  const ofLink = problem.rule === 'W5' || problem.rule === 'W4' ? retryAtOf(link) : undefined;
  const retryAt = problem.retryAt ?? ofLink;
  return {
    ...about,
    retry_at: retryAt === undefined ? null : new Date(retryAt).toISOString(),
    remedies: [...remediesOf(problem, context)],
  };
}

/** The earliest instant at which something that was refused is tried again by itself. */
function retryAtOf(link: Link | undefined): number | undefined {
  const refusals = [link?.refusal, ...Object.values(link?.refusals ?? {})];
  const times = refusals.flatMap((refusal) => (refusal && refusal.retryAt !== null ? [refusal.retryAt] : []));
  return times.length === 0 ? undefined : Math.min(...times);
}

interface Stands {
  readonly link: Link | undefined;
  readonly id: string | null;
  readonly open: readonly StoredProblem[];
  /** The held plan changes the record. */
  readonly isHeld: boolean;
  /** G1: the held plan is not known by its records. */
  readonly isHeldWhole: boolean;
  readonly isStopped: boolean;
}

function standingText(
  { contacts: { list } }: SyncConfig,
  { link, id, open, isHeld, isHeldWhole, isStopped }: Stands,
): string {
  if (id === null) return open[0]?.reason ?? 'a row without a contact';
  if (!link) return 'not linked any more: the contact or its row was deleted; the history knows it';
  const more = link.standsFor === undefined ? '' : `: ${link.standsFor}`;
  switch (link.standing ?? 'here') {
    case 'row-gone':
      return 'its row was deleted; the contact is left alone';
    case 'contact-gone':
      return `its contact was deleted in the service; the row is left alone${more}`;
    case 'left':
      return `its contact is no longer in list ${list}${more}`;
    case 'here':
      if (link.isUnsure) return 'linked; the outcome of the last write is unknown, and the service is asked';
      if (isStopped) return 'linked; the last run stopped before it compared both sides';
      if (isHeld) return 'linked; the held plan would change it';
      if (isHeldWhole) return 'linked; the last run was held before it wrote anything';
      return link.isOpen || open.some(({ kind, rule }) => rule === 'W11' || (kind === 'held' && rule.startsWith('I')))
        ? 'linked; something is open'
        : 'linked, and both sides agree';
  }
}

type Next = NonNullable<ExplainedRecord['next']>;

/** G1: by what is known of one record, or by what stands in its row now, nothing of this can be told. */
const stoppedNext: Next = { changes: [], asks: [], waits: ['held: no record is compared until the cause is gone'] };

/** The changes of such a plan are known by their counts alone. */
function nextOfWhole(requests: readonly DecisionRequest[]): Next {
  const isApproved = requests.some(({ kind }) => kind === 'approve');
  const what = isApproved ? 'the approved plan is carried out' : 'held: the plan waits for an approval, as a whole';
  return { changes: [], asks: [], waits: [`${what}: leadsheet plan shows it`] };
}

function nextOf({ changes, problems, questions }: Plan, open: readonly StoredProblem[]): Next {
  const known = new Set(open.map(({ id, reason }) => `${id} ${reason}`));
  // Nothing is written for a contact whose row cannot be told from a copy (I4), or whose cells moved to another row (I2). The plan of
  // one row does not see the others.
  const isLeftAlone = open.some(({ kind, rule }) => kind === 'held' && (rule === 'I4' || rule === 'I2'));
  return {
    changes: isLeftAlone ? [] : changes.flatMap(plannedOf),
    asks: questions.map((question) =>
      question.kind === 'contact'
        ? withRule('whether the contact is still there', question.rule)
        : 'which contact has this key',
    ),
    waits: problems.flatMap((problem) =>
      known.has(`${problem.id} ${problem.reason}`)
        ? []
        : [withRule(`${problem.kind}: ${problem.reason}`, problem.rule)],
    ),
  };
}

/**
 * The values that a held run saw are kept with its plan, and not with the record: by these nothing would be to do. With values of
 * this moment the plan has the changes itself.
 */
function withHeld(next: Next, held: HeldRecord | undefined, requests: readonly DecisionRequest[]): Next {
  if (!held) return next;
  const { digest, changes = [], ops } = held;
  const isApproved = requests.some(
    (request) => request.kind === 'approve' || (request.kind === 'approve-records' && request.digests.includes(digest)),
  );
  if (isApproved) return { ...next, changes: [...next.changes, ...changes.map(heldToPlanned)] };
  const lines = held.changes ? changes.map(heldText) : ops.map((op) => `held: ${op}`);
  return { ...next, waits: [...next.waits, ...lines] };
}

function heldToPlanned({ op, rule, ...change }: HeldChange): Next['changes'][number] {
  return { ...change, op: op as Change['op'], rule, rule_words: ruleWords[rule as RuleId] };
}

function heldText({ side, op, field, before, after, reason }: HeldChange): string {
  const values = field === null ? '' : ` ${field} ${valueText(before)} -> ${valueText(after)}`;
  return `held: ${side === 'crm' ? 'service' : 'sheet'} ${op}${values}: ${reason}`;
}

function plannedOf({ side, op, fields, rule, reason }: Change): Next['changes'] {
  if (fields.length === 0) {
    return [{ side, op, field: null, before: null, after: null, rule, rule_words: ruleWords[rule], reason }];
  }
  return fields.map(({ field, before = null, after, rule: by, reason: why }) => {
    return { side, op, field, before, after, rule: by, rule_words: ruleWords[by], reason: why };
  });
}

/** E4: judged by the row as last seen. */
function vetoesOf(config: SyncConfig, link: Link): string[] {
  if (!config.automation) return [];
  const veto = vetoOf(createShape(config, 0).mapping, unpack(lastSeen(link, 'sheet')));
  return veto === undefined ? [] : [veto];
}

function enrolmentsOf(
  ledger: ReturnType<typeof readSync>['ledger'],
  uuid: string,
  requests: readonly DecisionRequest[],
): ExplainedRecord['enrolments'] {
  const entries = groupEntries({ entries: ledger, isTrusted: true }).get(uuid) ?? [];
  return entries.map(({ automation, entry }) => ({
    automation,
    name: entry.name ?? null,
    state: entry.state,
    time: new Date(entry.at).toISOString(),
    run: entry.run === '' ? null : entry.run,
    message: entry.message ?? entry.refusedCancel?.message ?? null,
    remedies:
      entry.state === 'waiting' && isCancelWaiting(requests, enrolmentId(uuid, automation))
        ? []
        : [...remediesOfEnrolment(uuid, automation, entry)],
  }));
}
