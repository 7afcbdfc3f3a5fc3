// Themes about hints: Drive tells late, wrongly, or not at all, and runs go by what it tells.
import type { Setting } from '../../world/setting.ts';
import type { Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** What Drive shows changes from here on. */
export function driveStep({ random }: Pick<Draw, 'random'>): Step {
  const how = random.pick(['lag', 'lag', 'deaf', 'deaf', 'hears', 'touch', 'expire'] as const);
  return { do: 'drive', how, lagMs: random.pick([0, 14_000, 180_000, 600_000]) };
}

/** W14, W15: quiet runs of one process, between edits that Drive shows or hides. */
export function hints(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, meanwhile, random, chance } = draw;
  // A search for changes goes back ten minutes: with a longer full look, a change that was passed over would be lost.
  const isLong = chance(50);
  const tick = (): Step[] => [
    isLong ? pass(60_000, 240_000) : pass(20_000, 60_000),
    run({ isFull: false, isAsked: false }, chance(10) ? { acts: meanwhile(1, 2, () => sheet('edit')) } : {}),
  ];
  const trouble = (): Step => {
    const effect = random.pick(['lost', 'hang', 'empty', 'bare', 'cut', 'html', 500, 429] as const);
    const fault = { on: 'sheet', target: 'drive', effect, when: 'before', times: 3, skip: 0 } as const;
    return run({ isFull: false, isAsked: false }, { faults: [fault] });
  };
  const anyAct = () =>
    random.pick([
      () => sheet('edit'),
      () => sheet('edit'),
      () => sheet('clear'),
      () => sheet('enter'),
      () => (isLong ? sheet('edit') : sheet('delete row')),
      () => sheet('sort'),
      () => crm('edit'),
      () => crm('edit'),
      () => crm('enter'),
    ])();
  const rounds = repeat(2, 4, () => [
    ...(chance(60) ? [driveStep(draw)] : []),
    // The last run has to have found nothing to do.
    ...repeat(2, 4, tick).flat(),
    ...repeat(1, 2, anyAct),
    ...repeat(1, 8, tick).flat(),
    ...(chance(20) ? [trouble()] : []),
    ...(chance(15) && !isLong ? [{ do: 'quiet' } as const] : []),
  ]);
  return {
    setting: plainly(setting, {
      hints: random.pick(['version', 'changes'] as const),
      settleSecs: chance(70) ? 0 : 10,
      limits: 'wide',
      ...(isLong && { fullLookMins: 15, conflict: random.pick(['crm', 'sheet'] as const) }),
      ...(chance(30) && { isFleet: true as const }),
    }),
    steps: [
      ...repeat(2, 4, () => crm('enter')),
      run({ isFull: true }),
      pass(20_000),
      ...rounds.flat(),
      ...(isLong ? [{ do: 'quiet', isFull: false } as const] : []),
    ],
  };
}
