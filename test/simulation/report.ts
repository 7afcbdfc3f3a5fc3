// Prints the result of a number of stories.
import type { Area, Coverage } from './coverage.ts';
import { countRules, type RuleCount } from './rules.ts';

const areas: readonly (readonly [Area, string])[] = [
  ['law', 'times each law was judged'],
  ['act', 'what people did'],
  ['step', 'what happened'],
  ['fault', 'faults that struck'],
  ['kill', 'killed at'],
  ['power', 'power lost at'],
  ['stop', 'asked to end at'],
  ['decision', 'decisions of people'],
  ['feed', 'runs of a feed beside the sync'],
  ['mirror', 'runs of further syncs of the same list'],
  ['pause', 'pauses, and runs that were asked for'],
  ['outbox', 'runs, messages and rules of an outbox'],
  ['read', 'what people read beside runs'],
  ['value', 'values carried'],
  ['policy', 'policies'],
  ['switch', 'habits of the service'],
  ['allowed', 'what the laws allow for'],
];

/** Rules that no story exercised, though stories should reach them. */
export function unexercised(coverage: Coverage): readonly string[] {
  return countRules(coverage).flatMap(({ rule, count, elsewhere }) => (count === 0 && !elsewhere ? [rule] : []));
}

export function reportText(coverage: Coverage): string {
  const lines = areas.map(([area, title]) => `${title}: ${countsText(coverage.counts.get(area) ?? new Map())}`);
  const rules = countRules(coverage).map(ruleText).join(', ');
  const missing = unexercised(coverage);
  return [...lines, `rules: ${rules}`, `never exercised: ${missing.join(', ') || 'none'}`].join('\n');
}

function countsText(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  return `${counts.size} kinds; ${sorted.map(([name, count]) => `${name} ${count}`).join(', ')}`;
}

function ruleText({ rule, count, elsewhere }: RuleCount): string {
  return elsewhere === undefined ? `${rule} ${count}` : `${rule} elsewhere (${elsewhere})`;
}
