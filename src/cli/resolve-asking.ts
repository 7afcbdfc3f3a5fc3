// Goes through open conflicts with a person at a terminal: one by one, or all that a filter selects at once.
import type { ConflictAnswer, RequestsAnswer } from '../operator/answers/conflicts.ts';
import type { Decider } from '../operator/decide.ts';
import type { Operator } from '../operator/operator.ts';
import { type Choice, whyNotValue } from '../operator/resolve.ts';
import { type ResolvedSeen, resolveSeen } from '../operator/resolve-seen.ts';
import { countText, knownText, valueText } from '../operator/words.ts';
import { type Asking, gaveUp } from './ask.ts';
import { CommandFailed } from './errors.ts';
import { timeText } from './print/lines.ts';

/** What the person decided before the end, and how the end came. */
export interface Asked {
  readonly decided: RequestsAnswer;
  /** Conflicts that stay open. */
  readonly left: number;
  /** Conflicts that closed while the person was asked. */
  readonly closed: number;
  readonly end: 'all seen' | 'quit' | 'gave up';
}

interface Deciding {
  readonly operator: Operator;
  readonly decider: Decider;
  readonly asking: Asking;
}

/**
 * Each decision is recorded at once: what was decided before a Ctrl-C stays decided. A question shows values, and may stand for hours:
 * the decision is for these values alone (M1), and a conflict that changed meanwhile is asked about again.
 */
export async function resolveOneByOne(
  { operator, decider, asking }: Deciding,
  conflicts: readonly ConflictAnswer[],
): Promise<Asked> {
  const requests: RequestsAnswer['requests'] = [];
  let closed = 0;
  const asked = (end: Asked['end']): Asked => ({
    decided: { requests },
    left: conflicts.length - requests.length - closed,
    closed,
    end,
  });
  for (const [index, first] of conflicts.entries()) {
    const place = `${index + 1} of ${conflicts.length}`;
    let shown: ConflictAnswer | undefined = first;
    while (shown) {
      const said = await askOne(operator, asking, shown, shown === first ? place : `${place}, ${changedText(shown)}`);
      if (said === 'quit') return asked('quit');
      if (said === gaveUp) return asked('gave up');
      if (said === 'later') break;
      const result: ResolvedSeen = await resolveSeen(operator, decider, { seen: [shown], choice: said });
      if (result.outcome === 'recorded') requests.push(...result.answer.requests);
      else closed += result.closed.length;
      shown = result.outcome === 'changed' ? result.changed[0] : undefined;
    }
  }
  return asked('all seen');
}

/** More than a person reads before one question. */
const shownMax = 20;

/** Shows what would be decided, and asks once. */
export async function resolveAtOnce(
  { operator, decider, asking }: Deciding,
  conflicts: readonly ConflictAnswer[],
  choice: Choice,
): Promise<Asked> {
  const shown = conflicts.slice(0, shownMax).map((each) => `${headText(each)}: ${decidedText(each, choice)}`);
  const more = conflicts.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
  const sure = await asking.confirm(`${list}\nDecide ${countText(conflicts.length, 'conflict')} so?`);
  if (sure !== true) {
    return { decided: { requests: [] }, left: conflicts.length, closed: 0, end: sure === gaveUp ? 'gave up' : 'quit' };
  }
  // Exactly those that were shown, for the values that were shown: others may have come since.
  const result = await resolveSeen(operator, decider, { seen: conflicts, choice });
  if (result.outcome === 'recorded') return { decided: result.answer, left: 0, closed: 0, end: 'all seen' };
  const count = result.changed.length + result.closed.length;
  const what = `${count} of ${countText(conflicts.length, 'conflict')} ${count === 1 ? 'is' : 'are'} not as shown`;
  throw new CommandFailed(`nothing was decided: ${what}; give the command again`);
}

/** What another person decided of it stands here: the answer takes its place. */
function changedText({ decision }: ConflictAnswer): string {
  return decision ? `changed meanwhile (${decision.by ?? 'somebody'}: ${decision.text ?? ''})` : 'changed meanwhile';
}

async function askOne(
  operator: Operator,
  asking: Asking,
  conflict: ConflictAnswer,
  place: string,
): Promise<Choice | 'later' | 'quit' | typeof gaveUp> {
  const { base, is_base_known: isBaseKnown, crm, sheet, since, field } = conflict;
  const values = `agreed ${knownText({ value: base, is_known: isBaseKnown })}\nservice ${valueText(crm)}\nsheet ${valueText(sheet)}`;
  const message = `${place}: ${headText(conflict)}, since ${timeText(since)}\n${values}`;
  for (;;) {
    const said = await asking.choose(message, [
      { value: 'crm', label: `keep ${valueText(crm)} of the service` },
      { value: 'sheet', label: `keep ${valueText(sheet)} of the sheet` },
      { value: 'value', label: 'type a value' },
      { value: 'later', label: 'later: leave it open' },
      { value: 'quit', label: 'quit: leave it and the rest open' },
    ]);
    if (said === 'crm' || said === 'sheet') return { use: said };
    if (said !== 'value') return said;
    const text = await asking.type(`${field} on both sides`, (typed) => whyNotValue(operator, conflict, typed));
    if (text === gaveUp) return gaveUp;
    if (text.trim() !== '') return { text };
    const sure = await asking.confirm(`This empties ${field} on both sides. Empty it?`);
    if (sure === gaveUp) return gaveUp;
    if (sure) return { text, isSure: true };
  }
}

function headText({ field, person, contact, row }: ConflictAnswer): string {
  return `${field} of ${person ?? contact}${row === null ? '' : `, row ${row}`}`;
}

function decidedText({ crm, sheet }: ConflictAnswer, choice: Choice): string {
  if (!('use' in choice)) return `becomes ${valueText(choice.text)}`;
  const [kept, lost] = choice.use === 'crm' ? [crm, sheet] : [sheet, crm];
  return `${valueText(kept)} instead of ${valueText(lost)}`;
}
