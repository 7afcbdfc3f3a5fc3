// Themes about jobs that people pause and resume while a daemon runs.
import type { Setting } from '../../world/setting.ts';
import type { PauseAct, Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** W13: people pause the sync, resume it and ask for runs, in one daemon or over several, while others edit. */
export function pauses(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  const edit = () => random.pick([crm, crm, sheet])(random.pick(['edit', 'edit', 'enter', 'clear'] as const));
  const act = (): PauseAct => {
    const what = random.pick(['pause', 'pause', 'resume', 'resume', 'run now', 'run now'] as const);
    return {
      afterMs: random.pick([0, 1_000, 20_000, 61_000, 200_000, 660_000]),
      what,
      ...(what === 'pause' && chance(50) && { lasts: random.pick(['1m', '3m', '12m']) }),
    };
  };
  const rounds = repeat(1, 3, () => {
    const isCalm = chance(50);
    const daemon: Step = {
      do: 'pauses',
      acts: repeat(2, 6, act),
      afterMs: random.pick([1_000, 70_000, 200_000]),
      both: chance(20),
      chaos: {
        acts: [],
        faults: [],
        ...(!isCalm && {
          end: { at: random.integer(8, 160), how: random.pick(['kill', 'kill', 'power', 'stop'] as const) },
        }),
      },
    };
    return [...repeat(0, 3, edit), daemon, ...repeat(0, 2, edit), ...(chance(25) ? [run()] : []), pass(1_000, 60_000)];
  });
  return {
    setting: plainly(setting, { settleSecs: chance(70) ? 0 : 10, limits: 'wide' }),
    steps: [...repeat(1, 3, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}
