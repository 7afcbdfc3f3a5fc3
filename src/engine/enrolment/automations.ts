// Reads the automations of the service, if a row names one.
import { nearestWord } from '../../lib/nearest.ts';
import { automationsOf } from '../sync/context.ts';
import { AuthenticationError, ServiceError } from '../../crm/errors.ts';
import { readWish } from '../../sync/enrolment/wish.ts';
import type { Automation, PlanInput } from '../../sync/input.ts';
import { normalText } from '../../sync/value/same.ts';
import type { RunContext } from '../sync/context.ts';
import { scanCall } from '../read-calls.ts';

export type Wishing = Pick<PlanInput, 'automations' | 'automationsUnread' | 'nearestAutomations'>;

/** How long a list of automations is used between full scans. The service refuses an automation that was archived since. */
const knownMs = 300_000;
/** The same if a name is not in the list: the automation may be new. */
const knownForUnknownMs = 30_000;

/**
 * Reads every page of automations, if a cell names one: at full scans, after five minutes, or for an unknown name. If
 * reading fails, the failure is reported and no contact is enrolled; the rest of the run goes on (L4).
 */
export async function readAutomations(context: RunContext, rows: PlanInput['sheet']['rows']): Promise<Wishing> {
  const texts = new Set(rows.flatMap(({ wish }) => (wish === undefined || normalText(wish) === '' ? [] : [wish])));
  if (texts.size === 0) return { automations: [] };
  try {
    const automations = relied(context, texts) ?? (await listAutomations(context));
    if (typeof automations === 'string') return { automationsUnread: automations };
    return { automations, nearestAutomations: nearestNames(texts, automations) };
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof AuthenticationError) throw error;
    return { automationsUnread: error.message };
  }
}

function relied({ session, request, now }: RunContext, texts: ReadonlySet<string>): readonly Automation[] | undefined {
  const { automations: known } = session;
  if (!known || request.isFull) return undefined;
  const ageMs = now() - known.at;
  const isAllKnown = [...texts].every((text) => readWish(text, known.list).unknown.length === 0);
  // Below zero: the clock was set back.
  return ageMs >= 0 && ageMs < (isAllKnown ? knownMs : knownForUnknownMs) ? known.list : undefined;
}

/** Reads the list whole, or fails: an automation that is missing may have the same name as one that is there. */
async function listAutomations(context: RunContext): Promise<readonly Automation[] | string> {
  const { session, now } = context;
  const at = now();
  const { automations: list, notice } = await automationsOf(context).list(scanCall(context));
  if (notice !== undefined) return notice;
  session.automations = { at, list };
  return list;
}

function nearestNames(texts: ReadonlySet<string>, automations: readonly Automation[]): ReadonlyMap<string, string> {
  const names = automations.flatMap(({ name, status }) => (status === 'archived' ? [] : [name]));
  const unknown = [...texts].flatMap((text) => readWish(text, automations).unknown);
  return new Map(
    unknown.flatMap(({ text, reason }) => {
      const nearest = reason.startsWith('no such') ? nearestWord(text, names) : undefined;
      return nearest === undefined ? [] : [[text, nearest]];
    }),
  );
}
