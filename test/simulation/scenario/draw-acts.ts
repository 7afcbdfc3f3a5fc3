// Draws what people do.
import type { Random } from '../../../src/standin/service/random.ts';
import type { Chance } from './draw-setting.ts';
import { type Act, crmActs, sheetActs, type Step } from './scenario.ts';
import type { Swarm } from './swarm.ts';

/** On some days no person acts while leadsheet runs, or nothing fails: a fault then has fewer possible causes. */
export interface Mood {
  readonly isBusy: boolean;
  readonly isFailing: boolean;
  readonly isDeadly: boolean;
  readonly hasAutomation: boolean;
}

export interface Drawing {
  readonly random: Random;
  readonly chance: Chance;
  readonly mood: Mood;
  readonly swarm: Swarm;
}

export function drawAct(random: Random): Act {
  const part = () => random.integer(0, 999);
  return { side: 'crm', what: 'edit', a: part(), b: part(), c: part() };
}

/** People do ordinary work most of the time. */
const often = ['edit', 'edit', 'edit', 'edit', 'clear', 'enter'] as const;

export function drawAnyAct({ random, mood, swarm }: Drawing): Act {
  const drawn = drawAct(random);
  const side = random.pick(['crm', 'sheet'] as const);
  const usual = swarm.kept(side, often);
  if (random.integer(0, 99) < 50 && usual.length > 0) return { ...drawn, side, what: random.pick(usual) };
  if (side === 'crm') return { ...drawn, side, what: random.pick(orEdit(swarm.kept(side, crmActs))) };
  if (mood.hasAutomation && swarm.has(side, 'wish') && random.integer(0, 2) === 0)
    return { ...drawn, side, what: 'wish' };
  return { ...drawn, side, what: random.pick(orEdit(swarm.kept(side, sheetActs))) };
}

function orEdit<What extends Act['what']>(kept: readonly What[]): readonly (What | 'edit')[] {
  return kept.length > 0 ? kept : ['edit'];
}

export function actStep(act: Act): Step {
  return { do: 'act', act };
}

export function repeat<Item>(count: number, make: () => Item): Item[] {
  return Array.from({ length: count }, make);
}
