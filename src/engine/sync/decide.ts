// Plans a sync, and asks the service until the plan has no open questions.
import { type Answers, noAnswers, type PlanInput } from '../../sync/input.ts';
import { plan, type Plan } from '../../sync/plan.ts';
import { withoutLeftOut } from '../../sync/guard/counted.ts';
import { isColumnNew } from '../columns.ts';
import { ask } from './ask.ts';
import type { RunContext } from './context.ts';
import { isHeldByRecords, letApprovedThrough, planOf, type StillHeld } from './let-through.ts';
import type { ApprovedRecords, Memory } from './memory.ts';
import { type Pulled, pullWhole } from './pull.ts';
import { wishKey } from './shape.ts';

export interface Decided {
  readonly input: PlanInput;
  /** The plan that is carried out. */
  readonly plan: Plan;
  /** The plan of all that the readings call for. A change that was left out may still delay a deletion (D5). */
  readonly whole: Plan;
  /** For a plan of approved records alone: what is held besides them (G6). */
  readonly stillHeld?: StillHeld;
  /** The readings of the plan; perhaps more than was read at first. */
  readonly pulled: Pulled;
  /** Of a saved plan: records for which nothing is left to do. */
  readonly alreadyDone?: number;
}

/** An answer may raise a new question, but no question comes twice. More rounds than kinds of question is a fault. */
const roundsMax = 5;

/** So many questions cost as many calls as reading 10,000 contacts. An emptied ID column asks one for every row. */
const questionsMax = 100;

/** `known`: answers to earlier questions about the same contacts and rows. `makePlan`: makes the plan; another one for an undo. */
export async function decide(
  context: RunContext,
  memory: Memory,
  read: Pulled,
  known: Answers = noAnswers,
  makePlan: (input: PlanInput) => Plan = plan,
): Promise<Decided> {
  let pulled = read;
  let answers = known;
  for (let round = 1; ; round += 1) {
    const input: PlanInput = {
      mapping: context.shape.mapping,
      base: memory.base,
      identities: { now: pulled.identities, ...(memory.facts.identities && { known: memory.facts.identities }) },
      crm: pulled.crm,
      sheet: pulled.sheet,
      answers,
      requests: memory.requests,
      ...(memory.facts.suspects && { suspects: new Map(Object.entries(memory.facts.suspects)) }),
      ledger: memory.ledger,
      ...(context.config.automation && isColumnNew(memory.facts, wishKey) && { isWishColumnNew: true }),
      ...pulled.wishing,
      now: context.crm.now(),
      waitsToSettle: !context.request.isAsked,
    };
    const decided = makePlan(input);
    const approved = context.choose || !isHeldByRecords(decided) ? undefined : memory.approvedRecords;
    const isHeld = decided.holds.length > 0 && approved === undefined && !isAskedFirst(decided, input);
    if (decided.questions.length === 0 || isHeld) return chosen(context, input, decided, pulled, approved);
    if (round > roundsMax)
      throw new Error(`the plan still has ${decided.questions.length} questions after ${roundsMax} rounds`);
    const lookups = decided.questions.filter(({ kind }) => kind === 'lookup').length;
    if (pulled.crm.coverage === 'changes' && lookups > questionsMax) {
      pulled = await pullWhole(context, memory, pulled);
      continue;
    }
    answers = await ask(context, pulled.scope, decided.questions, answers);
    pulled = withLaterReadings(pulled, answers);
  }
}

/**
 * G2: what a person approves is the plan that is carried out, so that its questions come before its hold: an answer may turn a change
 * into a key that another contact has, or a row into one more create. Nothing is asked for a reading that a guard does not believe,
 * which has no questions, and nobody can approve. A hold may last for days, and each run would ask again.
 */
function isAskedFirst({ holds, questions }: Plan, { requests }: PlanInput): boolean {
  const isApprovable = holds.every(({ fails }) => !fails);
  return isApprovable && (requests.approved !== undefined || questions.length <= questionsMax);
}

/**
 * The same decision over a tab whose columns were made since. Without a row, before and after, the plan is made from the
 * same readings; undefined: from others.
 */
export function decidedBlank(decided: Decided, prepared: Pulled): Decided | undefined {
  const { pulled, input } = decided;
  if (pulled.sheet.rows.length + prepared.sheet.rows.length > 0 || pulled.crm !== prepared.crm) return undefined;
  const textOf = ({ sheet, identities }: Pulled) => JSON.stringify([sheet, identities]);
  const isSame = textOf(pulled) === textOf(prepared);
  return isSame ? { ...decided, pulled: prepared, input: { ...input, sheet: prepared.sheet } } : undefined;
}

/** L1: a lookup of a key shows the contact as it is, and may be fresher than the search. The later reading counts. */
function withLaterReadings(pulled: Pulled, { keys }: Answers): Pulled {
  const later = [...(keys?.values() ?? [])].flatMap((answer) => (answer.kind === 'here' ? [answer.contact] : []));
  if (later.length === 0) return pulled;
  const byUuid = new Map(pulled.crm.contacts.map((contact) => [contact.uuid, contact]));
  for (const contact of later) byUuid.set(contact.uuid, contact);
  return { ...pulled, crm: { ...pulled.crm, contacts: [...byUuid.values()] } };
}

function chosen(
  { choose }: RunContext,
  input: PlanInput,
  whole: Plan,
  pulled: Pulled,
  approved: ApprovedRecords | undefined,
): Decided {
  if (approved) {
    const through = letApprovedThrough(input, whole, approved);
    if (through.changes.length === 0) {
      return { input, plan: { ...whole, problems: [...whole.problems, ...through.problems] }, whole, pulled };
    }
    return { input, plan: planOf(input, whole, through), whole, pulled, stillHeld: through.stillHeld };
  }
  if (!choose) return { input, plan: whole, whole, pulled };
  const { changes, problems, alreadyDone = 0 } = choose(whole.changes, input);
  const carriedOut = new Set(changes);
  const leftOut = whole.changes.filter((change) => !carriedOut.has(change));
  // G2: an approval of the whole plan lets through what is left of it, too.
  const noted = input.requests.approved ? whole : withoutLeftOut(input, leftOut, whole);
  const { links, strays } = noted;
  const taken = { ...whole, links, strays, changes, problems: [...whole.problems, ...problems] };
  return { input, plan: taken, whole, pulled, ...(alreadyDone > 0 && { alreadyDone }) };
}
