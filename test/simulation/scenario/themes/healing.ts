// The theme about calls that fail for good, of which some heal.
import type { Setting } from '../../world/setting.ts';
import { drawHealing } from '../draw-healing.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** L14, W4, W5: records that were linked before are edited while their calls fail. */
export function healing({ crm, sheet, pass, run, repeat, random, chance }: Draw, setting: Setting): Themed {
  const { automation: _automation, ...rest } = setting;
  const conflict = random.pick(['crm', 'sheet', 'newest'] as const);
  const plain = plainly(chance(50) ? setting : rest, { settleSecs: 0, limits: 'wide', conflict });
  return {
    setting: plain,
    steps: [
      ...repeat(2, 4, () => crm('enter')),
      ...repeat(0, 2, () => sheet('enter')),
      run({ isFull: true }),
      pass(60_000),
      drawHealing(random, plain),
      ...(chance(30) ? [drawHealing(random, plain)] : []),
    ],
  };
}
