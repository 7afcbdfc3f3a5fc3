// Starts a judge (judge.ts), asks it, and replaces it when it does not answer.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/root.ts';
import type { Folder } from './folders.ts';
import type { Message, Question } from './judge.ts';
import type { Mutant } from './mutate.ts';
import type { Reach } from './reach.ts';

/** `endless`: a file of tests did not end. `slow`: not all of them ran within the time of a mutant. */
export interface Verdict {
  readonly kind: 'noticed' | 'survived' | 'endless' | 'slow';
  readonly by: string;
}

export interface Judging extends AsyncDisposable {
  /** What each file of tests runs and how long it takes. Throws if a test fails on the program as it is. */
  explore(): Promise<{ readonly reaches: readonly Reach[]; readonly msByTest: ReadonlyMap<string, number> }>;
  /** Runs these tests, in this order, with the mutant. Throws if none of them loads the file of the mutant. */
  judge(mutant: Mutant, tests: readonly string[]): Promise<Verdict>;
}

/** A file of tests that takes this and four times what the longest one took before does not end. */
const fileSecs = 60;
/** `mutantSecsMax`: the tests that are left then are not waited for. */
export function createJudging({ tests, testsWithout = [] }: Folder, mutantSecsMax = 300): Judging {
  const place = mkdtempSync(join(tmpdir(), 'mutants-'));
  const mutantFile = join(place, 'mutant.json');
  let judge: ChildProcess | undefined;
  let longestMs = 60_000;

  async function start(more: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
    const include = JSON.stringify({ include: tests, exclude: testsWithout });
    const child = fork(join(import.meta.dirname, 'judge.ts'), [include], {
      cwd: root,
      // A group of its own: the process of the tests ends with it.
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, MUTANT_FILE: mutantFile, ...more },
    });
    await once(child, 'message');
    return child;
  }

  function stop(): void {
    if (judge?.pid !== undefined) process.kill(-judge.pid, 'SIGKILL');
    judge = undefined;
  }

  async function ask(asked: ChildProcess, question: Question, onEnd: (test: string, ms: number) => boolean) {
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const wait = () => setTimeout(() => resolve({ kind: 'endless', by: '' }), fileSecs * 1000 + 4 * longestMs);
    let patience = wait();
    const hear = (message: Message) => {
      clearTimeout(patience);
      if (message.kind === 'verdict') resolve({ kind: message.isNoticed ? 'noticed' : 'survived', by: message.by });
      else if (message.kind === 'ended' && !onEnd(message.test, message.ms))
        resolve({ kind: 'slow', by: `not within ${mutantSecsMax} s` });
      else patience = wait();
    };
    asked.on('message', hear);
    asked.send(question);
    const verdict = await promise;
    asked.off('message', hear);
    if (verdict.kind === 'endless' || verdict.kind === 'slow') stop();
    return verdict;
  }

  return {
    async explore() {
      const msByTest = new Map<string, number>();
      const folder = mkdtempSync(join(place, 'reach-'));
      judge = await start({ REACH_FOLDER: folder });
      const { kind, by } = await ask(judge, {}, (test, ms) => Boolean(msByTest.set(test, ms)));
      stop();
      longestMs = Math.max(...msByTest.values());
      if (kind !== 'survived') throw new Error(`the tests fail as it is: ${kind} ${by}`);
      const reaches = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Reach);
      return { reaches, msByTest };
    },

    async judge(mutant, ordered) {
      writeFileSync(mutantFile, JSON.stringify(mutant));
      rmSync(`${mutantFile}.taken`, { force: true });
      const begun = performance.now();
      judge ??= await start();
      const verdict = await ask(judge, { tests: ordered }, () => performance.now() - begun < mutantSecsMax * 1000);
      if (!existsSync(`${mutantFile}.taken`)) throw new Error(`${ordered[0]} did not load ${mutant.file}`);
      return verdict;
    },

    async [Symbol.asyncDispose]() {
      stop();
      rmSync(place, { recursive: true });
    },
  };
}
