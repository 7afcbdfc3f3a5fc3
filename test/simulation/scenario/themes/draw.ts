// Helpers with which themes draw their stories.
import type { Random } from '../../../../src/standin/service/random.ts';
import { type Setting, usualDirection } from '../../world/setting.ts';
import type {
  Act,
  Chaos,
  CrmAct,
  FeedAct,
  FeedHandsAct,
  HandsAct,
  OutboxAct,
  OutboxHandsAct,
  SheetAct,
  Step,
  ThemedCrmAct,
  ThemedSheetAct,
} from '../scenario.ts';

export interface Themed {
  readonly setting: Setting;
  readonly steps: readonly Step[];
}

/** `setting`: as it was drawn; a theme changes the parts it is about. */
export type Theme = (draw: Draw, setting: Setting) => Themed;

/** The helpers of themes. */
export function createDraw(random: Random) {
  const part = () => random.integer(0, 999);
  const chance = (percent: number) => random.integer(1, 100) <= percent;
  const repeat = <Item>(least: number, most: number, make: () => Item): Item[] =>
    Array.from({ length: random.integer(least, most) }, make);
  const any = (side: Act['side'], what: Act['what']): Act => ({ side, what, a: part(), b: part(), c: part() });
  const crm = (what: CrmAct | ThemedCrmAct | FeedAct | FeedHandsAct, its: Partial<Act> = {}): Step =>
    act({ ...any('crm', what), ...its });
  const sheet = (
    what: SheetAct | ThemedSheetAct | HandsAct | FeedAct | FeedHandsAct | OutboxAct | OutboxHandsAct,
    its: Partial<Act> = {},
  ): Step => act({ ...any('sheet', what), ...its });
  const pass = (...ms: readonly number[]): Step => ({ do: 'pass', ms: random.pick(ms) });
  /** Some of `acts`, during a run, which has thirty to forty instants with so few people. */
  const meanwhile = (least: number, most: number, acts: () => Step): Chaos['acts'] =>
    repeat(least, most, () => ({
      at: random.integer(8, 36),
      act: (acts() as Extract<Step, { do: 'act' }>).act,
    })).toSorted((a, b) => a.at - b.at);
  const run = (its: Partial<Extract<Step, { do: 'run' }>> = {}, chaos: Partial<Chaos> = {}): Step => ({
    do: 'run',
    isFull: chance(50),
    isAsked: true,
    restart: false,
    both: false,
    ...its,
    chaos: { acts: [], faults: [], ...chaos },
  });
  return { random, part, chance, repeat, crm, sheet, pass, meanwhile, run };
}

export type Draw = ReturnType<typeof createDraw>;

function act(of: Act): Step {
  return { do: 'act', act: of };
}

/** All columns in both directions, but the one that is only sent, with one policy. */
export function plainly(setting: Setting, its: Partial<Setting>): Setting {
  const fields = setting.fields.map(({ field }) => ({ field, direction: usualDirection(field) }));
  return { ...setting, isShouting: false, isListMissing: false, switches: {}, fields, ...its };
}
