// A theme about what people's hands do in the sheet beside typing: they sort, delete and cut without the hidden ID column,
// type what the spreadsheet takes for numbers, and merge cells.
import type { ConflictPolicy, Setting } from '../../world/setting.ts';
import type { Chaos, Fault, Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

const policies: readonly ConflictPolicy[] = ['manual', 'crm', 'sheet', 'newest'];

/** Either side fails, the process ends, and people go on meanwhile. */
function chaosOf(draw: Draw, act: () => Step): Partial<Chaos> {
  const { random, chance, meanwhile } = draw;
  const fault = (): Fault => {
    const place = {
      when: random.pick(['before', 'after'] as const),
      times: random.pick([1, 2, 3, 6]),
      skip: random.integer(0, 4),
    };
    if (chance(50)) {
      return {
        ...place,
        on: 'crm',
        operation: random.pick(['contacts.update', 'contacts.upsert', 'contacts.get', 'contacts.search']),
        kind: random.pick(['lost', 'status', 'html'] as const),
        status: 502,
      };
    }
    const target = random.pick(['read', 'write', 'write'] as const);
    const effect = random.pick(['lost', 'empty', 429, 503] as const);
    // Google answers 429 to what it has not carried out.
    return { ...place, on: 'sheet', target, effect, ...(effect === 429 && { when: 'before' }) };
  };
  return {
    ...(chance(35) && { acts: meanwhile(1, 2, act) }),
    ...(chance(30) && { faults: [fault()] }),
    ...(chance(25) && {
      end: { at: random.integer(4, 60), how: random.pick(['kill', 'kill', 'power', 'stop'] as const) },
    }),
  };
}

/** G1, I2, L9: cells of people are moved to other rows without their IDs; a run or two; then somebody puts that right. */
function movedCells(draw: Draw): readonly Step[] {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  const move = () =>
    sheet(random.pick(['sort cells', 'sort cells', 'shift cells', 'insert cells', 'cut cells', 'fill cells'] as const));
  const typed = () =>
    random.pick([
      () => crm('edit'),
      () => crm('clear'),
      () => sheet('edit'),
      () => sheet('enter'),
      () => crm('enter'),
    ])();
  const meddle = () => random.pick([move, move, typed, () => sheet('put cells right')])();
  return [
    ...repeat(0, 1, typed),
    ...(chance(70) ? [move()] : []),
    ...repeat(0, 1, typed),
    ...repeat(1, 2, () => [run({ isFull: chance(30) }, chaosOf(draw, meddle)), pass(1_000, 60_000, 400_000)]).flat(),
    ...(chance(90) ? [sheet('put cells right')] : []),
    ...repeat(0, 1, typed),
    run({ isFull: chance(30) }, chaosOf(draw, typed)),
    pass(1_000, 60_000, 400_000),
  ];
}

/** V8: what a cell shows goes to the service, whatever the number is. */
function numbers(draw: Draw): readonly Step[] {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  const typed = [
    () => sheet('type number'),
    () => sheet('type number'),
    () => sheet('type shown'),
    () => crm('type number'),
    () => crm('edit'),
    () => sheet('edit'),
    () => sheet('clear'),
    () => sheet('sort'),
  ];
  const act = () => random.pick([...typed, () => sheet('format cell'), () => sheet('format cell')])();
  // A format that changes between the look before a write and the write leaves the number as it was, and the write passes.
  const meddle = () => random.pick(typed)();
  return [...repeat(1, 4, act), run({ isFull: chance(30) }, chaosOf(draw, meddle)), pass(1_000, 60_000, 400_000)];
}

/** V3, E5: a cell that merged ones cover is no blank, and gets its value back once they are unmerged. */
function merges(draw: Draw): readonly Step[] {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  const act = () =>
    random.pick([
      () => sheet('merge down'),
      () => sheet('merge down'),
      () => sheet('merge beside'),
      () => sheet('merge wishes'),
      () => sheet('edit merged'),
      () => sheet('unmerge'),
      () => sheet('unmerge'),
      () => sheet('wish'),
      () => sheet('edit'),
      () => sheet('clear'),
      () => sheet('enter'),
      () => sheet('sort'),
      () => crm('edit'),
      () => crm('edit'),
      () => crm('clear'),
    ])();
  return [...repeat(1, 4, act), run({ isFull: chance(30) }, chaosOf(draw, act)), pass(1_000, 60_000, 400_000)];
}

/** G1: headers that are in another row than the configuration says stop every run, and nothing is concluded from that. */
function titles(draw: Draw): readonly Step[] {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  const moved = () => sheet(random.pick(['insert title', 'delete title'] as const));
  const right = () => sheet('put header right');
  const typed = () =>
    random.pick([
      () => crm('edit'),
      () => crm('enter'),
      () => crm('delete'),
      () => sheet('edit'),
      () => sheet('enter'),
      () => sheet('delete row'),
      () => sheet('sort'),
      () => sheet('rename header'),
      () => sheet('move column'),
    ])();
  const meddle = () => random.pick([moved, moved, right, typed])();
  return [
    ...repeat(1, 2, typed),
    ...(chance(50) ? [moved()] : []),
    ...repeat(0, 1, typed),
    ...repeat(1, 2, () => [run({ isFull: chance(30) }, chaosOf(draw, meddle)), pass(1_000, 60_000, 400_000)]).flat(),
    ...(chance(80) ? [right(), run({ isFull: chance(30) }, chaosOf(draw, meddle)), pass(60_000)] : []),
  ];
}

const automation = { onClear: 'cancel', cap: 100, isVetoed: false } as const;

/** Few people on both sides, whom a first run has linked, and then the rounds. */
export function hands(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  // Of contacts that were edited since, no new state could tell that cells were moved.
  const loseState = () => [
    sheet('put cells right'),
    { do: 'lose state' } as const,
    run({ isFull: true }),
    pass(60_000),
  ];
  const kind = random.pick(['moved', 'moved', 'numbers', 'merges', 'merges', 'titles', 'all'] as const);
  const round = () => [
    ...(kind === 'moved' || kind === 'all' ? movedCells(draw) : []),
    ...(kind === 'numbers' || kind === 'all' ? repeat(1, 2, () => numbers(draw)).flat() : []),
    ...(kind === 'merges' || kind === 'all' ? repeat(1, 2, () => merges(draw)).flat() : []),
    ...(kind === 'titles' ? [...repeat(1, 2, () => titles(draw)).flat(), sheet('put header right')] : []),
    ...(kind === 'all' ? [sheet('unmerge'), sheet('unmerge'), sheet('unmerge')] : []),
    ...(chance(15) ? [{ do: 'quiet' } as const] : []),
    ...(chance(10) ? loseState() : []),
  ];
  return {
    setting: plainly(setting, {
      settleSecs: chance(80) ? 0 : 10,
      limits: chance(80) ? 'wide' : 'default',
      conflict: random.pick(policies),
      ...(kind === 'merges' && chance(70) && { automation }),
      ...(kind === 'titles' && { titleRows: random.pick([undefined, 1, 2]) }),
    }),
    steps: [
      ...repeat(4, 6, () => random.pick([crm, crm, sheet])('enter', { c: random.integer(0, 940) })),
      run({ isFull: true }),
      pass(60_000),
      ...(kind === 'merges' ? [...repeat(1, 3, () => sheet('wish')), run(), pass(60_000)] : []),
      ...repeat(2, 3, round).flat(),
    ],
  };
}
