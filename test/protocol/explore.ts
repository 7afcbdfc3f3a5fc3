// Explores a model breadth first to its end, and finds the shortest way to a state that must not be.
import {
  calls,
  fates,
  faultOf,
  ledgers,
  movesFrom,
  type Protocol,
  type Setting,
  start,
  type State,
  steps,
  type Worker,
} from './model.ts';

export interface Explored {
  readonly states: number;
  /** The first state that must not be, and the steps to it in words; undefined: there is none. */
  readonly fault: { readonly what: string; readonly trace: readonly string[] } | undefined;
}

export function explore(protocol: Protocol, setting: Setting): Explored {
  /** For each state, in the order in which they were found: the one before it, and the step. */
  const before: number[] = [-1];
  const texts: string[] = [''];
  const states: State[] = [start];
  const seen = new Set([keyOf(start)]);
  for (let from = 0; from < states.length; from += 1) {
    for (const { text, to } of movesFrom(states[from]!, protocol, setting)) {
      const key = keyOf(to);
      if (seen.has(key)) continue;
      seen.add(key);
      before.push(from);
      texts.push(text);
      states.push(to);
      const what = faultOf(to);
      if (what !== undefined) return { states: states.length, fault: { what, trace: traceTo(states.length - 1) } };
    }
  }
  return { states: states.length, fault: undefined };

  function traceTo(last: number): readonly string[] {
    const trace: string[] = [];
    for (let at = last; at > 0; at = before[at]!) trace.unshift(texts[at]!);
    return trace;
  }
}

/** Digits of a number: below 2 ** 53, as three workers take 2,640 forms each, and the rest 2 ** 15. */
function keyOf({ workers, epoch, isFree, ledger, enrolments, fence, pins, wroteLast, broken }: State): number {
  let key = 0;
  for (const worker of workers) key = key * formsOfWorker + numberOf(worker);
  key = key * 4 + epoch;
  key = key * 2 + Number(isFree);
  key = key * 4 + ledgers.indexOf(ledger);
  key = key * 4 + enrolments;
  key = key * 4 + fence;
  key = key * 8 + pins.reduce((mask, each) => mask + 2 ** (each - 1), 0);
  key = key * 4 + wroteLast;
  return key * 2 + Number(broken !== undefined);
}

const formsOfWorker = steps.length * 4 * (calls.length + 1) * (fates.length + 1);

function numberOf({ step, seen, call, fate }: Worker): number {
  const ofCall = call === undefined ? calls.length : calls.indexOf(call);
  const ofFate = fate === undefined ? fates.length : fates.indexOf(fate);
  return ((steps.indexOf(step) * 4 + seen) * (calls.length + 1) + ofCall) * (fates.length + 1) + ofFate;
}
