import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };

/* The workflows name scripts that there are, and ask for no more rights than they need. */

const root = join(import.meta.dirname, '../..');

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly name: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly 'timeout-minutes'?: number; readonly steps: readonly Step[] }>>;
}

const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map((path) => {
  return [path, parse(readFileSync(join(root, path), 'utf8')) as Workflow] as const;
});

test('there are workflows for changes, nights, releases and weaknesses', () => {
  expect(workflows.map(([, { name }]) => name).toSorted()).toEqual(['check', 'codeql', 'nightly', 'release']);
});

test.each(workflows)(
  '%s: rights, an end of each job, versions of actions, and scripts that there are',
  (_, workflow) => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const [name, job] of Object.entries(workflow.jobs)) {
      expect({ name, ends: job['timeout-minutes'] }).toEqual({ name, ends: expect.any(Number) });
      const actions = job.steps.flatMap(({ uses, with: given }) => (uses === undefined ? [] : [{ uses, given }]));
      for (const { uses } of actions) expect(uses).toMatch(/^[\w-]+\/[\w/-]+@(v\d+|[0-9a-f]{40})$/);
      const checkouts = actions.filter(({ uses }) => uses.startsWith('actions/checkout'));
      expect(checkouts.map(({ given }) => given?.['persist-credentials'])).toEqual(checkouts.map(() => false));
      for (const { run = '' } of job.steps) {
        const scripts = [...run.matchAll(/npm (?:run (?:-s )?([\w:]+)|(test|start))/g)].map(([, a, b]) => a ?? b);
        for (const script of scripts) expect(Object.keys(packageJson.scripts)).toContain(script);
        for (const [file] of run.matchAll(/\bscripts\/[\w.-]+/g)) expect(globSync(file, { cwd: root })).toEqual([file]);
        // What somebody wrote into a title or a branch never becomes a part of a command.
        expect(run).not.toMatch(/\$\{\{/);
      }
    }
  },
);

test('a release is published only after the gate', () => {
  const jobs = workflows.find(([path]) => path.endsWith('release.yml'))![1].jobs as Readonly<
    Record<string, { readonly needs?: string | readonly string[] }>
  >;
  expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
    ['gate', undefined],
    ['npm', 'gate'],
    ['image', 'gate'],
    ['notes', ['npm', 'image']],
  ]);
});
