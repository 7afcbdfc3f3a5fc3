// Passes data from a run of a sync to the next: facts in the state, and in this process whether anything is to be done.
import { compareTexts } from '../../sync/change.ts';
import type { ContactRecord } from '../../sync/record/record.ts';
import { isRepeatable } from '../next-run.ts';
import type { Facts } from '../stored/facts.ts';
import type { Plan } from '../../sync/plan.ts';
import type { Settled } from '../../sync/settle/settle.ts';
import type { RunContext } from './context.ts';
import { wishFacts } from '../enrolment/trust.ts';
import { tabNamed } from '../facts.ts';
import { worse } from '../incomplete.ts';
import { withRule } from '../rule-words.ts';
import type { Ending } from '../report.ts';
import type { Decided } from './decide.ts';
import type { StillHeld } from './let-through.ts';
import { filterNamed, type Memory } from './memory.ts';
import type { Pulled } from './pull.ts';

/** The facts that belong to the base. */
export function factsOf(
  context: RunContext,
  { facts }: Memory,
  { identities, scope, noted }: Pulled,
  { plan, stillHeld }: Decided,
): Facts {
  const { fields } = context.shape.mapping;
  return {
    identities,
    fields: fields.map(({ name }) => name),
    directions: Object.fromEntries(fields.map(({ name, direction }) => [name, direction])),
    blanks: Object.fromEntries(fields.map(({ name, blank }) => [name, blank])),
    list: { named: context.config.contacts.list, uuid: scope.listUuid },
    filter: filterNamed(context.config),
    tab: tabNamed(context.config),
    ...suspectFacts(context, facts, plan),
    // An undo decides nothing about wishes, and neither holds nor releases another run.
    ...(context.undoes === undefined &&
      (stillHeld ? heldFacts(context, stillHeld) : wishFacts(context, facts.held, plan))),
    ...worse(facts, noted),
  };
}

/**
 * A tab of 100,000 rows that was sorted would make the state forty megabytes larger. Nobody puts so many right one by one, and the guards
 * see what moved by themselves until little of it is left: by then all of it is stored.
 */
const suspectsMax = 5_000;

/**
 * G1: what the next plan holds as well; empty: as before. A run of some records, and an undo, say nothing of what people moved.
 */
export function suspectFacts(
  { undoes, choose }: Pick<RunContext, 'undoes' | 'choose'>,
  { suspects = null }: Facts,
  plan: Pick<Plan, 'suspects'>,
): Pick<Facts, 'suspects'> {
  if (undoes !== undefined || choose) return {};
  // In an order of their own: rows that are sorted are no reason to write (W9).
  const sorted = [...plan.suspects].slice(0, suspectsMax).toSorted(([a], [b]) => compareTexts(a, b));
  if (sorted.length > 0) return { suspects: Object.fromEntries(sorted) };
  return suspects === null ? {} : { suspects: null };
}

/** G6: the rest stays held, as a plan of its own. Whether the ledger is trusted stays as it was. */
function heldFacts({ run }: RunContext, { holds, planned, records, letThrough }: StillHeld): Pick<Facts, 'held'> {
  if (holds.length === 0) return { held: null };
  const reasons = holds.map(({ reason, rule }) => withRule(reason, rule));
  return { held: { run, planned, reasons, ...(records && { records }), letThrough } };
}

/** One search asks for so many uuids. With more, the watermark stays where it was. */
const unplacedMax = 100;

/**
 * The instant from which the next run asks for changes; empty: as before. A contact without a row is in no link, so that
 * the next run has to ask for it by uuid. `forgotten`: what the instant was before this run forgot it, because a column joined or
 * the filter is another one (M9, L5).
 */
export function nextPlace(
  { undoes }: Pick<RunContext, 'undoes'>,
  { watermark, forgotten }: Pick<Pulled, 'watermark'> & { readonly forgotten?: string | undefined },
  { input }: Decided,
  { links }: Pick<Settled, 'links'>,
): Pick<Facts, 'watermark' | 'unplaced'> {
  // S8: other changes were read and are not carried out: the next run has to read them again.
  if (undoes !== undefined) return {};
  const isPlaced = ({ uuid }: ContactRecord) =>
    links.has(uuid) ? links.get(uuid) !== null : input.base.links.has(uuid);
  const unplaced = input.crm.contacts.filter((contact) => !isPlaced(contact)).map(({ uuid }) => uuid);
  if (watermark === undefined) return {};
  if (unplaced.length > unplacedMax) return forgotten === undefined ? {} : { watermark: forgotten };
  return { watermark, unplaced: unplaced.toSorted() };
}

/**
 * Keeps what the next run of this process may rely on. Time alone can change a run if something waits, is to be tried again, or was
 * asked of the service.
 */
export function remember(context: RunContext, pulled: Pulled, { input, plan }: Decided, ending: Ending): void {
  const { session, request, choose } = context;
  session.noted = pulled.noted;
  const isQuiet =
    isRepeatable(request, ending) &&
    choose === undefined &&
    // W9: the next run looks whether the marks that this one found are gone.
    pulled.snapshot.leftovers === 0 &&
    // W18: the run after one that changed the base plans once more, so that it can note that it had nothing to do.
    plan.links.size === 0 &&
    session.watermark === pulled.watermark &&
    input.answers.contacts.size + input.answers.lookups.size + (input.answers.keys?.size ?? 0) === 0;
  const { snapshot, look } = pulled;
  if (isQuiet) session.quiet = { fingerprint: snapshot.fingerprint, look, ending: stillTrue(ending) };
  else delete session.quiet;
}

/** The ending of an idle run: the last one's, without what that run did. */
function stillTrue({ status, counts, problems, holds, planned }: Ending): Ending {
  return { status, isFull: false, counts, problems, holds, planned };
}
