// A process that runs tests again and again: once for what they reach, and then for each mutant that its parent puts into
// MUTANT_FILE. It stops at the first test that fails. The parent ends it when a mutant does not end.
import { relative, join } from 'node:path';
import { BaseSequencer, createVitest, type TestModule, type TestSpecification } from 'vitest/node';
import { root } from '../support/root.ts';

/** To the judge. `tests`: their paths, in the order in which they are run; left out: all of them. */
export interface Question {
  readonly tests?: readonly string[];
}

/** From the judge. `ended`: a file of tests is over; the last message of a question is a verdict. */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ended'; readonly test: string; readonly ms: number }
  | { readonly kind: 'verdict'; readonly isNoticed: boolean; readonly by: string };

const { include, exclude } = JSON.parse(process.argv[2] ?? '{}') as { include: string[]; exclude: string[] };
let order: readonly string[] = [];
/** Of the question under way: what vitest remembers of the modules is of earlier questions, too. */
let failed: TestModule | undefined;
const say = (message: Message) => process.send?.(message);

/** The given order: tests that noticed other mutants of the file first, then the cheap ones. */
class AsAsked extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => order.indexOf(a.moduleId) - order.indexOf(b.moduleId));
  }
}

const vitest = await createVitest(
  {
    // The projects of vitest.config.ts would bring files of their own.
    config: false,
    root,
    include,
    exclude,
    setupFiles: ['test/support/own-globals.ts', 'test/support/prompt-machine.ts', 'test/mutants/reach.ts'],
    testTimeout: 30_000,
    watch: false,
    bail: 1,
    reporters: [
      {
        onTestModuleEnd: (module) => {
          if (!module.ok()) failed ??= module;
          say({ kind: 'ended', test: module.moduleId, ms: module.diagnostic().duration });
        },
      },
    ],
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A mutant that never stops collecting is noticed in seconds: without a limit it takes 4 GB and a minute.
    execArgv: ['--import', join(import.meta.dirname, 'hook.ts'), '--max-old-space-size=2000'],
    env: { PROPERTY_RUNS: process.env['PROPERTY_RUNS'] ?? '1500' },
    sequence: { sequencer: AsAsked },
  },
  {},
);
await vitest.standalone();
const all = await vitest.globTestSpecifications();

process.on('message', ({ tests }: Question) => {
  void judge(tests);
});
process.on('disconnect', () => process.exit());
say({ kind: 'ready' });

async function judge(tests: readonly string[] | undefined): Promise<void> {
  order = tests ?? [];
  const wanted = tests ? all.filter(({ moduleId }) => tests.includes(moduleId)) : all;
  failed = undefined;
  const { unhandledErrors } = await vitest.runTestSpecifications(wanted);
  const by = failed ? nameOf(failed) : unhandledErrors.map(String).join(' ');
  say({ kind: 'verdict', isNoticed: failed !== undefined || unhandledErrors.length > 0, by });
}

function nameOf(module: TestModule): string {
  const [test] = module.children.allTests('failed');
  return `${relative(root, module.moduleId)}: ${test?.fullName ?? 'it cannot be loaded'}`;
}
