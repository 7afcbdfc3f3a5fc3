// `npm run mutants [-- --folder F] [--sample N] [--seed N] [--all] [--file TEXT] [--minutes M]`: changes a folder of src in
// small ways, one at a time and only in memory, and lists the changes that no test of the folder notices.
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { useMemoryFolder } from '../support/memory-folder.ts';
import { root } from '../support/root.ts';
import { scriptOptions } from '../support/script-options.ts';
import { folders } from './folders.ts';
import { createJudging } from './judging.ts';
import { type Mutant, mutantsOf } from './mutate.ts';
import { testsThatReach } from './reached.ts';

const values = scriptOptions('npm run mutants', {
  folder: { type: 'string', default: 'sync' },
  sample: { type: 'string', default: '100' },
  seed: { type: 'string', default: '1' },
  all: { type: 'boolean', default: false },
  file: { type: 'string', default: '' },
  minutes: { type: 'string', default: '1440' },
});

const folder = folders[values.folder];
if (!folder) throw new Error(`--folder is one of ${Object.keys(folders).join(', ')}`);
const files = globSync([...folder.sources], { cwd: root, exclude: [...(folder.without ?? [])] })
  .filter((file) => file.includes(values.file))
  .toSorted();
const everything = files.flatMap((file) => mutantsOf(join(root, file), readFileSync(join(root, file), 'utf8')));
const chosen = sample(everything, values.all ? everything.length : Number(values.sample), Number(values.seed));
const started = performance.now();
const seconds = () => Math.round((performance.now() - started) / 1000);

await using resources = new AsyncDisposableStack();
resources.use(useMemoryFolder());
const judging = resources.use(createJudging(folder));
const { reaches, msByTest } = await judging.explore();
console.log(`${values.folder}: ${everything.length} mutants, ${msByTest.size} files of tests in ${seconds()} s`);

/** How many mutants of a file a test noticed so far. */
const noticedBy = new Map<string, number>();
let [tried, survived] = [0, 0];
for (const mutant of chosen) {
  if (seconds() > Number(values.minutes) * 60) break;
  const noticed = (test: string) => noticedBy.get(`${relative(root, test)} ${mutant.file}`) ?? 0;
  const tests = testsThatReach(reaches, mutant).toSorted(
    (a, b) => noticed(b) - noticed(a) || (msByTest.get(a) ?? 0) - (msByTest.get(b) ?? 0),
  );
  const { kind, by } =
    tests.length === 0 ? ({ kind: 'survived', by: 'no test runs it' } as const) : await judging.judge(mutant, tests);
  tried += 1;
  if (tried % 50 === 0) console.log(`${tried} tried in ${seconds()} s`);
  if (kind === 'noticed') {
    const key = `${by.slice(0, by.indexOf(':'))} ${mutant.file}`;
    noticedBy.set(key, (noticedBy.get(key) ?? 0) + 1);
    continue;
  }
  if (kind !== 'endless') survived += 1;
  const what = kind === 'endless' ? 'does not end' : 'survived';
  console.log(`${what}: ${relative(root, mutant.file)}:${mutant.line} ${mutant.what}${by === '' ? '' : ` (${by})`}`);
}
const share = ((100 * (tried - survived)) / Math.max(1, tried)).toFixed(1);
console.log(
  `${values.folder}: ${tried - survived} of ${tried} mutants noticed (${share}%), of ${everything.length} there are; seed ${values.seed}, ${seconds()} s`,
);

function sample(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = xoroshiro128plus(seed);
  const left = [...mutants];
  const drawn: Mutant[] = [];
  while (drawn.length < count && left.length > 0) drawn.push(...left.splice(uniformInt(random, 0, left.length - 1), 1));
  return drawn;
}
