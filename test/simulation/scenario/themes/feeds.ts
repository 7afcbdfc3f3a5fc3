// A theme about what people's hands do in the tab of a feed, while its runs are cut short.
import type { Setting } from '../../world/setting.ts';
import { type Chaos, type Fault, type FeedAct, type FeedHandsAct, type Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

const inService: ReadonlySet<FeedAct | FeedHandsAct> = new Set(['add list', 'rename list', 'delete list']);

const usualActs = [
  'add list',
  'rename list',
  'delete list',
  'note beside feed',
  'note beside feed',
  'type over feed',
  'delete feed row',
  'sort feed',
] as const satisfies readonly (FeedAct | FeedHandsAct)[];

const actsOfKind = [
  ['sort feed cells', 'copy feed row', 'copy feed row over', 'cut feed row', 'sort feed'],
  ['type over feed ID', 'clear feed ID', 'type over feed status', 'clear feed cells', 'insert feed row'],
  ['restore version', 'restore version', 'type over feed', 'delete feed row'],
  ['merge feed', 'merge feed', 'merge feed', 'unmerge feed', 'unmerge feed', 'clear feed cells'],
  [
    'sort feed cells',
    'copy feed row',
    'type over feed ID',
    'clear feed ID',
    'merge feed',
    'unmerge feed',
    'cut feed row',
  ],
] as const satisfies readonly (readonly (FeedAct | FeedHandsAct | 'restore version')[])[];

function feedFault({ random, chance }: Draw): Fault {
  const place = {
    when: random.pick(['before', 'after'] as const),
    times: random.pick([1, 2, 3]),
    skip: random.pick([0, 1]),
  };
  if (chance(40)) {
    const kind = random.pick(['lost', 'blank', 'html', 'status', 'truncated'] as const);
    return { ...place, on: 'crm', operation: 'lists.list', kind, status: 502 };
  }
  const target = random.pick(['read', 'write', 'write'] as const);
  const effect = random.pick(['lost', 'empty', 429, 503] as const);
  // Google answers 429 to what it has not carried out.
  return { ...place, on: 'sheet', target, effect, ...(effect === 429 && { when: 'before' }) };
}

/** F1 to F3, I4, V3, L13: lists come, go and get names, while people sort, cut, copy, type over and merge the cells of their rows. */
export function feedHands(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  const kind = random.pick(actsOfKind);
  const act = (): Step => {
    const what = random.pick([...usualActs, ...kind, ...kind, ...kind]);
    return what !== 'restore version' && inService.has(what) ? crm(what) : sheet(what);
  };
  // A run of the feed has about twenty instants.
  const chaos = (): Partial<Chaos> => ({
    ...(chance(40) && {
      acts: repeat(1, 3, () => ({
        at: random.integer(2, 24),
        act: (act() as Extract<Step, { do: 'act' }>).act,
      })).toSorted((a, b) => a.at - b.at),
    }),
    ...(chance(30) && { faults: [feedFault(draw)] }),
    ...(chance(30) && {
      end: { at: random.integer(2, 26), how: random.pick(['kill', 'kill', 'power', 'stop'] as const) },
    }),
  });
  const rounds = repeat(3, 6, () => [
    ...repeat(1, 5, act),
    run({ of: 'feed', isFull: false, both: chance(15), restart: chance(15) }, chaos()),
    ...(chance(6) ? [{ do: 'lose state' } as const] : []),
    ...(chance(12) ? [{ do: 'quiet' } as const] : []),
    pass(1_000, 30_000, 600_000, 3_600_000),
  ]);
  const { automation: _automation, ...plain } = setting;
  return {
    setting: plainly(plain, {
      hasFeed: true,
      hasFeedNotes: true,
      ...(chance(50) && { onListGone: 'delete_row' as const }),
      settleSecs: 0,
      limits: 'wide',
      ...(chance(30) && { switches: { pageRowsMax: 2 } }),
    }),
    steps: [
      crm('enter'),
      ...repeat(2, 4, () => crm('add list')),
      run({ isFull: true }),
      pass(60_000),
      ...rounds.flat(),
    ],
  };
}
