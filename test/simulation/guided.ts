// Looks for what stories seldom reach: stories that reach rare rules, or rare pairs of rules, are mutated.
import { createRandom } from '../../src/standin/service/random.ts';
import type { Coverage } from './coverage.ts';
import { countRules } from './rules.ts';
import { mutate } from './scenario/mutate.ts';
import type { Scenario } from './scenario/scenario.ts';

/** A rule, or two rules of one story: `D5`, `D5+G2`. */
export type Target = string;

/** What fewer stories than this reach is rare. */
const rareBelow = 5;

/** How often each target was reached: by the stories of the first pass, and by all. */
export interface Guide {
  /** Counts the story, and keeps it if it reaches something rare. `isMutant`: it is not of the first pass. */
  take(story: Scenario, coverage: Coverage, isMutant: boolean): void;
  /** Mutants of kept stories, the rarest targets first. Less than `count`: nothing is rare any more. */
  mutants(count: number): readonly Scenario[];
  readonly counts: () => readonly { readonly target: Target; readonly before: number; readonly after: number }[];
}

export function createGuide(seed: number): Guide {
  const random = createRandom(seed);
  const before = new Map<Target, number>();
  const after = new Map<Target, number>();
  const pool = new Map<Target, Scenario[]>();
  /** Laws are judged in every story: they and pairs with them say nothing. */
  const rules = new Map<string, number>();

  const isRare = (target: Target) => (after.get(target) ?? 0) < rareBelow;
  /** A pair of which one rule alone is rare says no more than that rule. */
  const isOwn = (target: Target) =>
    !isPair(target) || target.split('+').every((rule) => (rules.get(rule) ?? 0) >= rareBelow);
  const rare = () =>
    [...after.keys()]
      .filter((target) => isRare(target) && isOwn(target))
      .toSorted((a, b) => after.get(a)! - after.get(b)! || (a < b ? -1 : 1));

  return {
    take(story, coverage, isMutant) {
      const reached = countRules(coverage).flatMap(({ rule, count }) =>
        count > 0 && !rule.startsWith('L') ? [rule] : [],
      );
      for (const rule of reached) rules.set(rule, (rules.get(rule) ?? 0) + 1);
      for (const target of targetsOf(reached)) {
        if (isRare(target)) pool.set(target, [...(pool.get(target) ?? []), story]);
        after.set(target, (after.get(target) ?? 0) + 1);
        if (!isMutant) before.set(target, (before.get(target) ?? 0) + 1);
      }
    },
    mutants(count) {
      const wanted = rare();
      // A rule that is rare alone counts as much as all pairs together.
      const [ofRules, ofPairs] = [wanted.filter((each) => !isPair(each)), wanted.filter((each) => isPair(each))];
      if (wanted.length === 0) return [];
      return Array.from({ length: count }, (_, index) => {
        const turn = index % 2 === 0 && ofRules.length > 0 ? ofRules : ofPairs.length > 0 ? ofPairs : ofRules;
        const stories = pool.get(turn[Math.floor(index / 2) % turn.length]!)!;
        const neighbours = pool.get(random.pick(wanted))!;
        return mutate(random.pick(stories), random.pick(neighbours), random);
      });
    },
    counts: () =>
      [...after].flatMap(([target, times]) =>
        isOwn(target) ? [{ target, before: before.get(target) ?? 0, after: times }] : [],
      ),
  };
}

function isPair(target: Target): boolean {
  return target.includes('+');
}

function targetsOf(reached: readonly string[]): readonly Target[] {
  return [...reached, ...reached.flatMap((a, place) => reached.slice(place + 1).map((b) => `${a}+${b}`))];
}

const shownMax = 20;

/** The targets that were rarest before, with both counts. */
export function guideText(guide: Guide): string {
  const rare = guide.counts().filter(({ before }) => before < rareBelow);
  const kindOf = (arePairs: boolean) => rare.filter(({ target }) => isPair(target) === arePairs);
  const shown = [false, true].flatMap((arePairs) =>
    kindOf(arePairs)
      .toSorted((a, b) => a.before - b.before || b.after - a.after || (a.target < b.target ? -1 : 1))
      .slice(0, shownMax),
  );
  const lines = shown.map(({ target, before, after }) => `| ${target} | ${before} | ${after} |`);
  const left = (arePairs: boolean) => kindOf(arePairs).filter(({ after }) => after < rareBelow).length;
  const unmet = (arePairs: boolean) => kindOf(arePairs).filter(({ before }) => before === 0).length;
  return [
    '| rule or pair | stories before | with mutants |',
    '| --- | --- | --- |',
    ...lines,
    `rules that fewer than ${rareBelow} stories reached: ${kindOf(false).length}, with mutants ${left(false)}; ${unmet(false)} were not reached at all before`,
    `pairs: ${kindOf(true).length}, with mutants ${left(true)}; ${unmet(true)} were not reached at all before`,
  ].join('\n');
}
