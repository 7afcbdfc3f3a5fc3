// The traces that show that a story exercised a rule of docs/SPEC.md. leadsheet quotes most rules itself; the others leave
// another trace. A rule that stories do not reach names what tests it instead.
import { readFileSync } from 'node:fs';
import type { Area, Coverage } from './coverage.ts';

type Witness = readonly [Area, RegExp] | { readonly elsewhere: string };

const witnesses: Readonly<Record<string, Witness>> = {
  V1: ['value', /^text/],
  V2: ['value', /^odd form/],
  V3: ['value', /^blank/],
  V7: ['value', /^date/],
  M8: ['value', /^key/],
  M9: ['step', /^map/],
  I8: ['value', /^placeholder/],
  I9: ['step', /^lose state/],
  D6: ['value', /^deleted on both sides/],
  G3: ['step', /^map/],
  G4: ['value', /^went on after being held/],
  G6: ['decision', /^approve-records$/],
  G7: ['decision', /^refuse$/],
  W13: ['pause', /^pause: paused$/],
  W1: ['value', /^creates and updates in one run/],
  W2: ['rule', /^I1$/],
  W6: ['fault', /rate_limited|429|401/],
  W7: ['notice', /is being run by process/],
  W8: ['stop', /./],
  W9: ['law', /^L6$/],
  W11: ['notice', /header/],
  // W14 and W15 are judged at every write and run (laws/looks.ts).
  W14: ['value', /^run without a look/],
  W15: ['value', /^run without a look/],
  W16: ['switch', /^drive/],
  W17: ['mirror', /^succeeded/],
  W18: ['value', /^recognised that nothing changed/],
  E2: ['value', /^created and enrolled/],
  S1: ['notice', /what was saved before is used|cut short|damaged|not there/],
  S3: ['step', /^restore/],
  S2: { elsewhere: 'another version of the program: test/state/schema.test.ts, test/state/versions' },
  // A program that writes records of the wrong shape, or reads reports of runs, is in no story.
  S5: { elsewhere: 'records of the wrong shape: test/engine/set-aside.test.ts' },
  S6: { elsewhere: 'reports of runs: test/engine/runs.test.ts, test/state/runs.test.ts' },
  S8: ['decision', /^undo$/],
  S9: ['read', /./],
  S10: ['fault', /^disk (?:dropped|read|unsynced|astray)/],
  F1: ['feed', /./],
  F5: ['law', /^F1, F5$/],
  P1: ['outbox', /^send done$/],
  P2: ['outbox', /^P2$/],
  P3: ['outbox', /^P3$/],
  P4: ['outbox', /^P4$/],
  P5: ['outbox', /^P5$/],
  P6: ['outbox', /^P6$/],
  P7: ['outbox', /^P7$/],
  // A story's outbox has too few rows.
  P8: { elsewhere: 'words in Send that moved: test/engine/outbox/moved-yes.test.ts' },
  E7: { elsewhere: 'a feed: test/engine/feed/rules.test.ts' },
};

/** Whole families of rules, by their letter. */
const elsewhere: Readonly<Record<string, Witness>> = {
  F: { elsewhere: 'a feed: test/engine/feed/rules.test.ts' },
};

export interface RuleCount {
  readonly rule: string;
  readonly count: number;
  readonly elsewhere?: string;
}

let ids: readonly string[] | undefined;

function rulesOfSpec(): readonly string[] {
  const spec = readFileSync(new URL('../../docs/SPEC.md', import.meta.url), 'utf8');
  return [...new Set([...spec.matchAll(/\*\*([LVMIDGWESFP]\d+)\b/g)].map(([, id]) => id!))];
}

/** Every rule of the specification, in its order. */
export function countRules(coverage: Coverage): readonly RuleCount[] {
  ids ??= rulesOfSpec();
  return ids.map((rule) => {
    const witness: Witness = witnesses[rule] ??
      elsewhere[rule[0]!] ?? [rule.startsWith('L') ? 'law' : 'rule', new RegExp(`^${rule}$`)];
    if ('elsewhere' in witness) return { rule, count: 0, elsewhere: witness.elsewhere };
    const [area, name] = witness;
    const counts = [...(coverage.counts.get(area) ?? [])].filter(([each]) => name.test(each));
    return { rule, count: counts.reduce((sum, [, times]) => sum + times, 0) };
  });
}
