// `npm run sabotage [-- --seeds N] [--seed S] [--only TEXT] [--processes P]`: breaks the program in one small way after the
// other, in memory only. The stories of the simulation have to notice each.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import PQueue from 'p-queue';
import type { Verdict } from './judge.ts';
import { type Sabotage, sabotages } from './sabotages.ts';
import { scriptOptions } from '../../support/script-options.ts';

const values = scriptOptions('npm run sabotage', {
  seeds: { type: 'string', default: '2000' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  processes: { type: 'string', default: '2' },
});
const run = promisify(execFile);
const chosen = sabotages.filter(({ name }) => name.includes(values.only));
const unnoticed: string[] = [];
const noticedAfter: number[] = [0];
const started = performance.now();
const queue = new PQueue({ concurrency: Number(values.processes) });
console.log('| sabotage | noticed after | by |\n| --- | --- | --- |');
await queue.addAll(chosen.map((each) => async () => tell(each, await judge(each, values.seeds))));
const needed = Math.max(...noticedAfter);
const clean = await judge(undefined, needed);
if (clean.stories !== null) {
  console.log(`story ${clean.stories} breaks ${clean.law} without any sabotage: nothing follows from the above`);
  process.exitCode = 1;
}
const secs = Math.round((performance.now() - started) / 1000);
console.log(
  `${chosen.length - unnoticed.length} of ${chosen.length} noticed within ${values.seeds} stories; ${secs} s`,
);
if (unnoticed.length > 0) process.exitCode = 1;

/** Without a sabotage: the unchanged program. */
async function judge(sabotage: Sabotage | undefined, stories: string | number): Promise<Verdict> {
  const here = (file: string) => new URL(file, import.meta.url).pathname;
  const hook = sabotage ? ['--import', here('hook.ts')] : [];
  const { stdout } = await run(process.execPath, [...hook, here('judge.ts'), values.seed, String(stories)], {
    env: { ...process.env, SABOTAGE: sabotage?.name },
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(stdout) as Verdict;
}

function tell({ name }: Sabotage, { stories, law, text }: Verdict): void {
  if (stories === null) unnoticed.push(name);
  else noticedAfter.push(stories);
  const after = stories === null ? '**not noticed**' : `${stories} ${stories === 1 ? 'story' : 'stories'}`;
  const by = law === 'fault' ? text.split('\n')[0]!.slice(0, 80) : law;
  console.log(`| ${name} | ${after} | ${by} |`);
}
