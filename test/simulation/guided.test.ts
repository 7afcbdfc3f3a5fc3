// Drawing alone, no story is played: what a story leaves out, and which stories are mutated.
import { expect, test } from 'vitest';
import { Coverage } from './coverage.ts';
import { createGuide } from './guided.ts';
import { drawScenario, themeOf } from './scenario/draw.ts';
import { feedActs, type Scenario } from './scenario/scenario.ts';
import { createSwarm } from './scenario/swarm.ts';

const seeds = Array.from({ length: 150 }, (_, index) => index + 1).filter((seed) => themeOf(seed) === undefined);

test('a story does only what its seed left in, and each thing is left out of about half of all stories', () => {
  const leftOut = seeds.filter((seed) => !createSwarm(seed).has('sheet', 'sort')).length / seeds.length;
  expect(leftOut).toBeGreaterThan(0.4);
  expect(leftOut).toBeLessThan(0.6);
  const done = seeds.flatMap((seed) => {
    const swarm = createSwarm(seed);
    return drawScenario(seed).steps.flatMap((step) => {
      const isEvent = step.do === 'daemon' || step.do === 'damage' || step.do === 'undo' || step.do === 'map';
      const acts = 'chaos' in step ? step.chaos.acts.map(({ act }) => act) : [];
      return [
        ...(isEvent ? [{ seed, what: step.do, isKept: swarm.has('event', step.do) }] : []),
        // Without any act that is left in, people edit.
        ...acts.map(({ side, what }) => ({ seed, what, isKept: what === 'edit' || swarm.has(side, what) })),
      ];
    });
  });
  expect(done.length).toBeGreaterThan(100);
  expect(done.filter(({ isKept }) => !isKept)).toEqual([]);
});

test('a story that leaves nothing out is another one, and the same each time', () => {
  expect(drawScenario(7, { isWhole: true })).toEqual(drawScenario(7, { isWhole: true }));
  expect(drawScenario(7)).not.toEqual(drawScenario(7, { isWhole: true }));
});

function reached(...rules: readonly string[]): Coverage {
  const coverage = new Coverage();
  for (const rule of rules) coverage.count('rule', rule);
  return coverage;
}

test('stories that reach a rare rule are mutated, until five stories reach it', () => {
  const [common, rare] = [1, 4].map((seed) => drawScenario(seed)) as [Scenario, Scenario];
  const guide = createGuide(1);
  for (let times = 0; times < 9; times += 1) guide.take(common, reached('I1', 'D1'), false);
  guide.take(rare, reached('I1', 'D5'), false);
  const mutants = guide.mutants(20);
  expect(mutants).toHaveLength(20);
  expect(new Set(mutants.map(({ setting }) => setting))).toEqual(new Set([rare.setting]));
  expect(mutants.some(({ steps }) => JSON.stringify(steps) !== JSON.stringify(rare.steps))).toBe(true);
  for (const mutant of mutants.slice(0, 4)) guide.take(mutant, reached('I1', 'D5'), true);
  expect(guide.mutants(20)).toEqual([]);
  expect(guide.counts().filter(({ target }) => target === 'D5')).toEqual([{ target: 'D5', before: 1, after: 5 }]);
});

test('a rare pair of two common rules is looked for as well', () => {
  const guide = createGuide(1);
  const story = drawScenario(1);
  for (let times = 0; times < 9; times += 1) {
    guide.take(drawScenario(4), reached('D1'), false);
    guide.take(drawScenario(6), reached('D3'), false);
  }
  guide.take(story, reached('D1', 'D3'), false);
  expect(guide.mutants(3).map(({ setting }) => setting)).toEqual([story.setting, story.setting, story.setting]);
  expect(guide.counts().find(({ target }) => target === 'D1+D3')).toEqual({ target: 'D1+D3', before: 1, after: 1 });
});

test('the acts of a feed are in stories with a feed alone', () => {
  const all: ReadonlySet<string> = new Set(feedActs);
  const withActs = seeds.filter((seed) =>
    drawScenario(seed).steps.some((step) => step.do === 'act' && all.has(step.act.what)),
  );
  expect(withActs.length).toBeGreaterThan(2);
  expect(withActs.filter((seed) => !drawScenario(seed).setting.hasFeed)).toEqual([]);
});
