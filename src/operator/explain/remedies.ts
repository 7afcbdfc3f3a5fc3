// The remedies of a thing that is quarantined, held, refused, waiting or parked: commands to copy, or what to change.
import type { JobKind } from '../../engine/kind.ts';
import type { Standing } from '../../engine/standing.ts';
import type { StoredProblem } from '../../engine/stored/run.ts';
import { enrolmentId, type LedgerEntry } from '../../sync/record/ledger.ts';
import type { Message } from '../../sync/outbox/message.ts';
import type { Remedy } from '../answers/explain.ts';
import { approvalOf, decisionToAnswer } from '../decide.ts';
import { commandText } from './commands.ts';

/** A remedy depends on this besides the problem itself. */
export interface RemedyContext {
  readonly job: string;
  readonly kind: JobKind;
  /** Undefined: nothing is held. */
  readonly held: HeldPlan | undefined;
  /** The cell of a field in the last run: E5. */
  readonly cellOf: (field: string | null) => string | undefined;
}

/** A held plan, as far as its remedies need it. */
export interface HeldPlan {
  /** The run that `approve` names. */
  readonly run: string;
  /** How much of it is approved, and not carried out yet. */
  readonly approval: ReturnType<typeof approvalOf>;
}

export function heldPlanOf({ held, requests }: Pick<Standing, 'held' | 'requests'>): HeldPlan | undefined {
  return held && { run: held.run, approval: approvalOf(held.run, requests.map(decisionToAnswer)) };
}

/** The remedies of what holds the whole job: G1, G2, E6, P6, P8. */
export function remediesOfPlan({ held, job }: Pick<RemedyContext, 'held' | 'job'>): readonly Remedy[] {
  if (!held) return [];
  return [letThrough(held, job, held.approval === 'some' ? 'the rest of the held plan' : 'the held plan')];
}

function letThrough({ run, approval }: HeldPlan, job: string, what = 'what waits'): Remedy {
  return approval === 'whole'
    ? change('nothing: it is approved, and the next run carries it out')
    : { text: `let ${what} through`, command: commandText('approve', job, '--run', run) };
}

/** Any one of them is enough. Never empty: what needs nothing says so. */
export function remediesOf(problem: StoredProblem, context: RemedyContext): readonly Remedy[] {
  const { kind, rule } = problem;
  if (context.kind === 'feed') return [feedRemedy(problem, context)];
  switch (kind) {
    case 'conflict':
      return [
        { text: 'keep what the service holds', command: commandText('resolve', problem.id, '--use', 'crm') },
        { text: 'keep what the sheet holds', command: commandText('resolve', problem.id, '--use', 'sheet') },
        change(`make both sides equal${inCell(problem, context)}`),
      ];
    case 'parked':
      return [
        { text: 'try it again', command: retryCommand(problem, context) },
        change(`give it another value on either side${inCell(problem, context)}`),
      ];
    case 'waiting':
      return [change('nothing but what it names: it is done once what it waits for is there')];
    case 'failed':
      return [change('nothing: the next run tries again')];
    case 'incomplete':
      return [change('nothing, if it passes: the next run reads again')];
    case 'unreadable':
      return [change(`correct the cell${inCell(problem, context)}`)];
    case 'unknown':
      // No run reads whether the contact is in the automation.
      if (rule === 'E3' && isOfEnrolment(problem)) return remediesOfQuarantined(problem, context);
      return [change('nothing: the next run reads both sides and tells whether it happened')];
    case 'ignored':
      if (rule === 'E8' || rule === 'P7') {
        const again = rule === 'E8' ? namedAnew : 'empty its cell, and fill it again after a run';
        return [{ text: 'take it up again', command: retryCommand(problem, context) }, change(again)];
      }
      if (rule === 'D1') {
        return [
          { text: 'give the contact a new row', command: retryCommand(problem, context) },
          change('put the row back'),
        ];
      }
      return [
        change('nothing: it is left alone as configured'),
        ...(remediesOfLost(problem) ?? []).map((text) => change(text)),
      ];
    case 'refused':
      return remediesOfRefusal(problem, context);
    case 'held':
      return remediesOfHeld(problem, context);
    case 'quarantined':
      return remediesOfQuarantined(problem, context);
  }
}

/** E1: an enrolment has an id of its own. A row that has no contact yet has none. */
export function isOfEnrolment({ id }: Pick<StoredProblem, 'id'>): boolean {
  return id.includes('/');
}

/** The ways to end the problem of a row whose contact is gone (D3) or elsewhere (D4). One of them is enough. */
export function remediesOfLost({
  rule,
  reason,
}: Pick<StoredProblem, 'rule' | 'reason'>): readonly string[] | undefined {
  // Such a contact is in the list already.
  if (rule === 'D4' && reason.includes('filtered out of')) return remediesOfFiltered;
  return remediesOfLostByRule[rule];
}

const remediesOfLostByRule: Partial<Record<StoredProblem['rule'], readonly string[]>> = {
  D3: ['delete the row', 'clear its ID to make a new contact of it'],
  D4: ['put the contact back in it in the service', 'delete the row'],
};

const remediesOfFiltered = [
  'change the contact in the service so that contacts.filter lets it through',
  'change contacts.filter',
  'delete the row',
];

/** D3, D4, I4: a second try finds the same. What ends it is done in the sheet or in the service. */
export function takesNoRetry({ kind, rule }: Pick<StoredProblem, 'kind' | 'rule'>): boolean {
  if (kind === 'ignored') return remediesOfLostByRule[rule] !== undefined;
  return rule === 'I4' && (kind === 'quarantined' || kind === 'held');
}

/** E6, P6: a new state holds it until a person approves all that it holds; a retry lets none of it through. */
export function needsApproval({ kind, rule }: Pick<StoredProblem, 'kind' | 'rule'>): boolean {
  return kind === 'held' && (rule === 'E6' || rule === 'P6');
}

function remediesOfRefusal(problem: StoredProblem, context: RemedyContext): readonly Remedy[] {
  if (problem.rule === 'V6') return [change(`shorten the text in the service${inCell(problem, context)}`)];
  const isOfAutomation = problem.rule === 'E4' && isOfEnrolment(problem);
  if (problem.rule === 'E4' && !isOfAutomation) return [change(remedyOfName(problem))];
  if (problem.rule === 'P2') {
    const command = `${retryCommand(problem, context)} --yes`;
    return [change(otherWords), ...(problem.id.startsWith('row:') ? [] : [{ text: sameWordsAgain, command }])];
  }
  if (isOfAutomation) {
    // E1: an edit of the row does not repeat a call that the service refused.
    const text = 'correct what the reason names, then try it again';
    return [{ text, command: retryCommand(problem, context) }, change(namedAnew)];
  }
  return [
    { text: 'try it again at once', command: retryCommand(problem, context) },
    change('correct what the reason names: other contents are a new try'),
  ];
}

/** E5: the cell may name other automations, which an empty one would cancel. */
export const namedAnew = 'take the automation out of its cell, and name it again after a run';

/** E1: of automations with one name, none is meant by that name. */
function remedyOfName({ reason }: StoredProblem): string {
  return reason.includes('write the uuid')
    ? 'write the uuid of the automation into the cell of the row, in the place of its name'
    : 'name an automation that the service has in the cell of the row';
}

function remediesOfHeld(problem: StoredProblem, context: RemedyContext): readonly Remedy[] {
  const { held, job } = context;
  switch (problem.rule) {
    case 'W3': {
      const command = commandText('plan', job, '--out', 'plan.json');
      return [change('nothing: the next run decides it anew'), { text: 'make a new plan of it', command }];
    }
    case 'G6':
      return [{ text: 'look at the plan, and approve it again', command: commandText('plan', job) }];
    case 'D5':
      return [change('nothing: it is deleted once what it waits for is done')];
    case 'E6':
    case 'P6':
      return [held === undefined ? change('nothing: the next run asks for the approval') : letThrough(held, job)];
    case 'P8':
      return remediesOfMoved(job, held);
    case 'E5':
      return [
        { text: 'enrol it again', command: `${retryCommand(problem, context)} --yes` },
        change('take it out of its cell'),
      ];
    case 'E4':
      return [
        change(`change the value that the reason names in the row${problem.row === null ? '' : ` ${problem.row}`}`),
      ];
    case 'V5':
      return [change(`put a value in the place of the formula${inCell(problem, context)}`)];
    default:
      return [change('correct what the reason names')];
  }
}

function remediesOfQuarantined(problem: StoredProblem, context: RemedyContext): readonly Remedy[] {
  switch (problem.rule) {
    case 'E3':
    case 'P3':
      return [
        {
          text: 'look in the service first; if it did not happen, do it again',
          command: `${retryCommand(problem, context)} --yes`,
        },
      ];
    case 'W4':
    case 'W5':
      return [
        { text: 'try it again', command: retryCommand(problem, context) },
        change('correct what the reason names: other contents are a new try'),
      ];
    default:
      return [change(`correct what the reason names${problem.row === null ? '' : `, in row ${problem.row}`}`)];
  }
}

/** Feeds take no decisions by command. */
function feedRemedy({ kind, rule }: StoredProblem, { held, job }: RemedyContext): Remedy {
  if (kind === 'held' && held !== undefined) return letThrough(held, job);
  if (rule === 'E7' && kind === 'held') return change('start or stop it in the service, and empty the cell');
  if (rule === 'E7') return change('nothing: the cell shows what the service has; type on or off to ask again');
  if (kind === 'quarantined') return change('correct what the reason names');
  return change(
    kind === 'refused' || kind === 'held' ? 'correct what the reason names; it is tried again by itself' : 'nothing',
  );
}

/** W5: a row's number is a row of one sync only. */
export function retryCommand(
  { id, uuid, row }: StoredProblem,
  { job, kind }: Pick<RemedyContext, 'job' | 'kind'>,
): string {
  if (kind === 'outbox') return commandText('retry', id, '--sync', job);
  // A record is named by its uuid where it has one: rows move.
  const name = id.includes('/') || uuid === null ? id : uuid;
  return name.startsWith('row:') || (uuid === null && row !== null)
    ? commandText('retry', name, '--sync', job)
    : commandText('retry', name);
}

/** The remedies of an enrolment in the ledger. */
export function remediesOfEnrolment(
  uuid: string,
  automation: string,
  { state, refusedCancel }: LedgerEntry,
): readonly Remedy[] {
  const id = enrolmentId(uuid, automation);
  switch (state) {
    case 'unknown':
    case 'intended':
      return [
        { text: 'look in the service first; if it is not in it, enrol it', command: commandText('retry', id, '--yes') },
      ];
    case 'refused':
      return [{ text: 'try it again', command: commandText('retry', id) }];
    case 'cancelling':
      return refusedCancel
        ? [{ text: 'try to take it out again', command: commandText('retry', uuid) }]
        : [{ text: 'name it in its cell again, and enrol it again', command: commandText('retry', id, '--yes') }];
    case 'waiting':
      return [{ text: 'take it back before it is enrolled', command: commandText('cancel', id) }];
    case 'cancelled':
      return [{ text: 'wish for it again', command: commandText('retry', id) }, change(namedAnew)];
    case 'enrolled':
    case 'skipped':
      return [];
  }
}

/** P2: a message that looks the same as one that was sent, or is sent now, stays refused until a person says more. */
const otherWords = 'change its words, or delete its row';
const sameWordsAgain = 'have the same words sent to the same contact all the same';

/** The remedies of a message in the ledger of an outbox. */
export function remediesOfMessage(
  outbox: string,
  id: string,
  { state, retryAt, isWithdrawn, rule }: Message,
  { problem, held }: { readonly problem: StoredProblem | undefined; readonly held: HeldPlan | undefined },
): readonly Remedy[] {
  const words = ['retry', id, '--sync', outbox];
  const cancel = { text: 'take it back before it is sent', command: commandText('cancel', id, '--sync', outbox) };
  const isOpen = state === 'waiting' || state === 'refused';
  if (isOpen && isWithdrawn) return [change('nothing, or to have it sent: type yes into its row, or put the row back')];
  switch (state) {
    case 'unknown':
    case 'intended':
      return [
        { text: 'look in the service first; if it was not sent, send it', command: commandText(...words, '--yes') },
        change('type the uuid of the message into its row, if the service has it'),
      ];
    case 'refused':
      if (rule === 'P2')
        return [change(otherWords), { text: sameWordsAgain, command: commandText(...words, '--yes') }, cancel];
      return [
        ...(retryAt === undefined ? [] : [change(`nothing: it is tried again from ${minuteText(retryAt)} on`)]),
        { text: 'try it again at once', command: commandText(...words) },
        change('correct the row'),
        cancel,
      ];
    case 'waiting':
      return [...remediesOfWaiting(outbox, problem, held), cancel];
    case 'cancelled':
      return [
        { text: 'have it sent all the same', command: commandText(...words) },
        change('empty its Send cell, and type yes again after a run'),
      ];
    case 'sent':
      return [];
  }
}

/** P8: somebody may have moved the cells of Send. */
function remediesOfMoved(outbox: string, held: HeldPlan | undefined): readonly Remedy[] {
  return [change('put the column that says yes back'), ...(held === undefined ? [] : [letThrough(held, outbox)])];
}

/** P1, P4, P6, P8, W11: what a message waits for. */
function remediesOfWaiting(
  outbox: string,
  problem: StoredProblem | undefined,
  held: HeldPlan | undefined,
): readonly Remedy[] {
  if (problem?.rule === 'P8') return remediesOfMoved(outbox, held);
  if (problem?.rule === 'P6' && held !== undefined) return [letThrough(held, outbox)];
  if (problem === undefined || problem.kind === 'waiting' || problem.kind === 'failed') {
    return [change('nothing: it is sent once its turn comes')];
  }
  return [change('correct what the reason names')];
}

function inCell({ field }: StoredProblem, { cellOf }: RemedyContext): string {
  const cell = cellOf(field);
  return cell === undefined ? '' : ` (cell ${cell})`;
}

function change(text: string): Remedy {
  return { text, command: null };
}

/** `2026-11-21 09:00Z`. */
function minuteText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')}Z`;
}
