// Themes about field values: newer edits, blanks, unusual cells, columns that come and go.
import type { Setting } from '../../world/setting.ts';
import { drawRemap } from '../draw-remap.ts';
import type { Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** M1: both sides are edited, minutes or seconds apart. One edit may have been read long before the other is made. */
export function newest({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const rounds = repeat(3, 5, () => {
    // The same person and the same field.
    const its = { a: 0, b: part() };
    const edits = [crm('edit', its), pass(1_000, 20_000, 130_000, 300_000), sheet('edit', its)];
    const isSeenFirst = chance(40);
    if (isSeenFirst)
      edits.splice(0, 3, sheet('edit', its), run({ isAsked: false }), pass(150_000, 400_000), crm('edit', its));
    else if (chance(50)) edits.reverse();
    return [...edits, pass(1_000, 70_000, 130_000, 400_000), run({ isAsked: chance(70) }), pass(5_000, 130_000)];
  });
  const settleSecs = random.pick([0, 10, 30]);
  return {
    setting: plainly(setting, { conflict: 'newest', settleSecs }),
    steps: [crm('enter'), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** M2, M3: fields are emptied and filled again, on one side or on both. */
export function blanks({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const rounds = repeat(3, 6, () => {
    const its = { a: part(), b: part() };
    const emptied = random.pick([crm, sheet])('clear', its);
    const edited = random.pick([crm, sheet])(chance(70) ? 'edit' : 'clear', its);
    return [emptied, ...(chance(40) ? [edited] : []), run(), pass(1_000, 130_000)];
  });
  const blank = chance(65) ? 'ignore' : 'sync';
  return {
    setting: plainly(setting, { blank, limits: 'wide' }),
    steps: [...repeat(1, 2, () => crm('enter')), ...repeat(0, 1, () => sheet('enter')), run(), ...rounds.flat()],
  };
}

/** V4 to V6: cells that cannot be read, or must not be written, while the contact changes. */
export function oddCells({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const rounds = repeat(2, 4, () => {
    const its = { a: 0, b: random.pick([0, part()]) };
    const odd = random.pick(['formula', 'error value'] as const);
    return [sheet(odd, its), ...(chance(70) ? [run()] : []), crm('edit', its), run(), pass(20_000, 130_000)];
  });
  return {
    setting: plainly(setting, { settleSecs: 0 }),
    steps: [crm('enter'), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** Two runs of the daemon have fewer instants. */
const lateAt = 50;

/** M9: the mapping changes, also while the daemon runs, and people edit all the while. */
export function mapping(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, part, meanwhile, random, chance } = draw;
  const edit = () => random.pick([crm, sheet])('edit', { a: random.pick([0, part()]), b: part() });
  const later = (typed: () => Step) => meanwhile(2, 4, typed).map((each) => ({ ...each, at: each.at + lateAt }));
  const remapped = (): Step[] => {
    const remap = chance(40) ? { column: random.pick([0, 0, 1]) } : drawRemap(random);
    if (!chance(25)) return [{ do: 'map', ...remap }, ...repeat(0, 2, edit), run()];
    // Half of the edits are of the first column, before the daemon reads the file and after.
    const typed = () => random.pick([crm, sheet])('edit', { a: part(), b: random.pick([0, part()]) });
    const acts = [...meanwhile(1, 2, typed), ...later(typed)];
    return [{ do: 'daemon', ms: 240_000, both: false, reload: remap, chaos: { acts, faults: [] } }];
  };
  const rounds = repeat(2, 4, () => [
    ...repeat(0, 1, edit),
    ...remapped(),
    pass(20_000, 130_000),
    ...repeat(0, 2, edit),
    run({ isFull: chance(30) }),
  ]);
  const plain = plainly(setting, { settleSecs: 0, limits: 'wide' });
  const hasProfile = plain.fields.some(({ field }) => field === 'network_id');
  const profile = { field: 'network_id', direction: 'both' } as const;
  return {
    setting: hasProfile || chance(50) ? plain : { ...plain, fields: [...plain.fields, profile] },
    steps: [...repeat(2, 3, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}
