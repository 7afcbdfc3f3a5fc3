// Themes about disks that lie.
import type { Setting } from '../../world/setting.ts';
import type { Chaos } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** S10: an operation of the disk fails, is done and fails, drops what it was to keep, or does nothing; then a kill, or a power loss. */
export function lyingDisks(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  const edit = () =>
    random.pick([
      () => crm('edit'),
      () => crm('edit'),
      () => sheet('edit'),
      () => sheet('edit'),
      () => crm('enter'),
      () => sheet('enter'),
      () => sheet('delete row'),
      () => sheet('wish'),
      () => sheet('wish'),
    ])();
  const disk = (): Pick<Chaos, 'disk'> => ({
    disk: {
      at: random.integer(1, 60),
      how: random.pick(['refused', 'done', 'dropped', 'dropped', 'dropped', 'read', 'unsynced', 'astray'] as const),
    },
  });
  const end = (): Pick<Chaos, 'end'> => ({
    end: { at: random.integer(8, 110), how: random.pick(['kill', 'power', 'power'] as const) },
  });
  const rounds = repeat(2, 5, () => [
    ...repeat(1, 3, edit),
    run({ restart: chance(30) }, { ...(chance(80) && disk()), ...(chance(40) && end()) }),
    pass(1_000, 20_000, 900_000),
  ]);
  return {
    setting: plainly(setting, {
      settleSecs: 0,
      limits: 'wide',
      ...(chance(60) && { automation: { onClear: 'ignore', cap: random.pick([2, 100]), isVetoed: false } }),
    }),
    steps: [...repeat(1, 3, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}
