// A process that tries one mutant after the other, each sent by its parent. It runs the tests and stops at the first that
// fails. The parent ends it when a mutant does not end.
import { readFileSync } from 'node:fs';
import { createVitest } from 'vitest/node';
import type { Mutant } from './mutate.ts';

export interface Verdict {
  readonly isKilled: boolean;
  /** Of the first test that failed. */
  readonly by: string;
}

let mutant: Mutant | undefined;

const vitest = await createVitest(
  {
    // Modules are cached by the content of their file; a mutant is in no file.
    fsModuleCache: false,
    // The projects of vitest.config.ts would bring files of their own.
    config: false,
    include: ['test/sync/**/*.test.ts'],
    testTimeout: 30_000,
    watch: false,
    bail: 1,
    reporters: [{}],
    pool: 'threads',
    maxWorkers: 1,
    env: { PROPERTY_RUNS: process.env['PROPERTY_RUNS'] ?? '1500' },
  },
  {
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        load(id: string) {
          if (mutant === undefined || id !== mutant.file) return undefined;
          const source = readFileSync(mutant.file, 'utf8');
          return source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end);
        },
      },
    ],
  },
);
await vitest.standalone();
// Cheap tests first: the properties find most, and take longest.
const specifications = (await vitest.globTestSpecifications()).toSorted(
  (a, b) => Number(a.moduleId.includes('properties')) - Number(b.moduleId.includes('properties')),
);

process.on('message', ({ mutant: next }: { readonly mutant: Mutant | null }) => {
  void judge(next);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function judge(next: Mutant | null): Promise<void> {
  if (mutant) vitest.invalidateFile(mutant.file);
  mutant = next ?? undefined;
  if (mutant) vitest.invalidateFile(mutant.file);
  const { testModules } = await vitest.runTestSpecifications(specifications);
  const failed = testModules.find((module) => !module.ok());
  const by = [...(failed?.children.allTests('failed') ?? [])][0]?.fullName ?? failed?.relativeModuleId ?? '';
  process.send?.({ isKilled: failed !== undefined, by } satisfies Verdict);
}
