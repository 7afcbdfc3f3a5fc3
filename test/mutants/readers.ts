// `npm run sabotage:readers [-- --only TEXT] [--from N]`: breaks the program in the ways of by-hand.ts, one at a time and only in memory,
// and runs the tests that should notice each.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useMemoryFolder } from '../support/memory-folder.ts';
import { root } from '../support/root.ts';
import { scriptOptions } from '../support/script-options.ts';
import { sabotages } from './by-hand.ts';
import type { Sabotage } from './by-hand/sabotage.ts';
import { createJudging } from './judging.ts';
import type { Mutant } from './mutate.ts';

const { only, from } = scriptOptions('npm run sabotage:readers', {
  only: { type: 'string', default: '' },
  from: { type: 'string', default: '1' },
});

const chosen = sabotages.filter(({ name, file }) => name.includes(only) || file.includes(only)).slice(Number(from) - 1);
const testsOf = ({ tests }: Sabotage) => [
  ...new Set(tests.flatMap((pattern) => globSync(join(root, 'test', pattern)).toSorted())),
];
const mutants = chosen.map((sabotage) => ({ sabotage, mutant: mutantOf(sabotage), tests: testsOf(sabotage) }));

/** The last file of a list may be a long one. */
const mutantSecsMax = 1_200;

await using resources = new AsyncDisposableStack();
resources.use(useMemoryFolder());
const judging = resources.use(
  createJudging({ sources: [], tests: mutants.flatMap(({ tests }) => tests) }, mutantSecsMax),
);
// A test that fails as it is notices everything.
await judging.explore();
let unnoticed = 0;
console.log('| sabotage | noticed by |\n| --- | --- |');
for (const { sabotage, mutant, tests } of mutants) {
  const { kind, by } = await judging.judge(mutant, tests);
  const isNoticed = kind === 'noticed' || kind === 'endless';
  if (!isNoticed) unnoticed += 1;
  console.log(`| ${sabotage.name} | ${isNoticed ? by || 'a test that does not end' : `**nothing** ${by}`} |`);
}
console.log(`${chosen.length - unnoticed} of ${chosen.length} noticed`);
if (unnoticed > 0) process.exitCode = 1;

function mutantOf({ name, file, text, instead }: Sabotage): Mutant {
  const path = join(root, 'src', file);
  const [before, ...after] = readFileSync(path, 'utf8').split(text);
  if (before === undefined || after.length !== 1) throw new Error(`${file} holds this not once:\n${text}`);
  const start = before.length;
  return { file: path, line: before.split('\n').length, start, end: start + text.length, text: instead, what: name };
}
