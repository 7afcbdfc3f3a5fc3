// `npm run mutants [-- --sample N] [--seed N] [--all] [--file TEXT]`: changes src/sync in small ways, one at a time and
// only in memory, and lists the changes that no test notices.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { Verdict } from './judge.ts';
import { type Mutant, mutantsOf } from './mutate.ts';
import { scriptOptions } from '../../support/script-options.ts';

const values = scriptOptions('npm run mutants', {
  sample: { type: 'string', default: '100' },
  seed: { type: 'string', default: '1' },
  all: { type: 'boolean', default: false },
  file: { type: 'string', default: '' },
});
const root = join(import.meta.dirname, '../../..');
/** A run without mutants takes a few seconds, on a busy machine a minute. A mutant that takes longer does not end. */
const mutantSecsMax = 180;

const files = globSync('src/sync/**/*.ts', { cwd: root })
  .filter((file) => file.includes(values.file))
  .toSorted();
const everything = files.flatMap((file) => mutantsOf(join(root, file), readFileSync(join(root, file), 'utf8')));
const tried = values.all ? everything : sample(everything, Number(values.sample), Number(values.seed));
const started = performance.now();
let judge = await startJudge();
const clean = await verdictOf(null);
if (clean === undefined || clean.isKilled)
  throw new Error(`the tests fail as it is: ${clean?.by ?? 'they do not end'}`);
const survivors: Mutant[] = [];
for (const mutant of tried) {
  const verdict = await verdictOf(mutant);
  if (verdict === undefined) {
    console.log(`does not end: ${relative(root, mutant.file)}:${mutant.line} ${mutant.what}`);
    judge.kill('SIGKILL');
    judge = await startJudge();
  }
  if (verdict !== undefined && !verdict.isKilled) {
    survivors.push(mutant);
    console.log(`survived: ${relative(root, mutant.file)}:${mutant.line} ${mutant.what}`);
  }
}
judge.kill();
const killed = tried.length - survivors.length;
const share = ((100 * killed) / tried.length).toFixed(1);
const secs = Math.round((performance.now() - started) / 1000);
console.log(`${killed} of ${tried.length} mutants noticed (${share}%), of ${everything.length} there are; ${secs} s`);

async function startJudge(): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'judge.ts'), {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

/** undefined: it does not end. */
async function verdictOf(mutant: Mutant | null): Promise<Verdict | undefined> {
  judge.send({ mutant });
  try {
    const [verdict] = (await once(judge, 'message', { signal: AbortSignal.timeout(mutantSecsMax * 1000) })) as [
      Verdict,
    ];
    return verdict;
  } catch {
    return undefined;
  }
}

function sample(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = xoroshiro128plus(seed);
  const left = [...mutants];
  const drawn: Mutant[] = [];
  while (drawn.length < count && left.length > 0) drawn.push(...left.splice(uniformInt(random, 0, left.length - 1), 1));
  return drawn;
}
