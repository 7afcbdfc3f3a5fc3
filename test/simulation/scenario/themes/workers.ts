// The theme about several workers of which two believe to hold the job at once.
import type { Trouble } from '../../world/member.ts';
import type { Setting } from '../../world/setting.ts';
import type { Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** H1 to H5, E1: workers are suspended past their leases, lose their connections, and others take over. */
export function workers(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, repeat, random, chance, meanwhile } = draw;
  const trouble = (): Trouble => {
    const of = random.pick(['any', 'any', 'service', 'sheet', 'sheet', 'save', 'save'] as const);
    return {
      of,
      at: of === 'any' ? random.integer(3, 45) : random.integer(1, 7),
      what: of !== 'any' || chance(70) ? 'suspend' : 'loss',
      // Shorter than a lease, and long enough for others to begin and end.
      ms: random.pick([40_000, 100_000, 250_000, 250_000]),
      clockStops: chance(40),
    };
  };
  const anyAct = () =>
    random.pick([
      () => sheet('edit'),
      () => sheet('edit'),
      () => crm('edit'),
      () => crm('edit'),
      () => sheet('edit'),
      () => crm('edit'),
      () => sheet('wish'),
      () => sheet('enter'),
      () => crm('enter'),
      () => sheet('delete row'),
      () => crm('delete'),
    ])();
  const together = (): Step => ({
    do: 'workers',
    workers: Array.from({ length: random.integer(1, 4) }, (_, index) =>
      index === 0 ? repeat(1, 2, trouble) : repeat(0, 1, trouble),
    ),
    gapMs: random.pick([0, 20_000, 65_000, 90_000, 90_000]),
    isFull: chance(30),
    chaos: { acts: chance(40) ? meanwhile(1, 2, anyAct) : [], faults: [] },
  });
  const rounds = repeat(2, 3, () => [
    ...repeat(1, 3, () => sheet('wish')),
    // Many updates of contacts in one run: the lease may end between any two.
    ...(chance(50) ? repeat(5, 10, () => sheet('edit')) : repeat(2, 7, anyAct)),
    together(),
    pass(1_000, 120_000),
  ]);
  return {
    setting: plainly(setting, {
      isFleet: true,
      automation: { onClear: 'ignore', cap: 100, isVetoed: false },
      settleSecs: 0,
      limits: 'wide',
    }),
    steps: [...repeat(3, 6, () => crm('enter')), together(), pass(120_000), ...rounds.flat()],
  };
}
