import { expect, test } from 'vitest';
import { createEnrolmentTrial, rowOf } from '../engine/enrolment/support.ts';
import { createSyncTrial } from '../support/app.ts';
import { header } from './support.ts';

/* What people read of a refusal of the service: its own words, and "refused" once. */

test('W5: a refused new row says the words of the service, in status and explain', async () => {
  const trial = createSyncTrial({
    values: [header, ['Ann', 'A', 'Firm', 'ann@firm.io']],
    around: async (request, next) =>
      request.url.endsWith('/upsert')
        ? Response.json({ message: 'No more seats', errors: {} }, { status: 422 })
        : next(request),
  });
  const { stdout } = await trial.cli('sync');
  expect(stdout).toContain('row:2: refused: No more seats (a refused record');
  await trial.cli('sync');
  const explained = await trial.cli('explain', 'row:2');
  expect(explained.stdout).toContain('    refused: No more seats (a refused record');
  await trial.cli('retry', 'row:2');
  await trial.cli('sync');
  expect((await trial.cli('log')).stdout).toContain('saw refused: No more seats (W5)');
});

test('E4: a refused enrolment says the words of the service in its cell, and not the call', async () => {
  const trial = createEnrolmentTrial({
    rows: [rowOf('ann@firm.io', 'Welcome')],
    around: async (request, next) =>
      new URL(request.url).pathname.endsWith('/add-new-lead')
        ? Response.json({ message: 'The contact has no profile', errors: {} }, { status: 422 })
        : next(request),
  });
  const { stdout } = await trial.cli('sync');
  expect(stdout).toContain('refused: The contact has no profile (');
  expect(trial.resultOf('ann@firm.io')).toBe('refused: The contact has no profile');
});

test('E4: a refused enrolment of a contact says the words of the service in its cell, status, enrolments and explain', async () => {
  let isRefusing = false;
  const trial = createEnrolmentTrial({
    rows: [rowOf('ann@firm.io', '')],
    around: async (request, next) =>
      isRefusing && request.method === 'POST' && new URL(request.url).pathname.includes('flows')
        ? Response.json({ message: 'The contact has no profile', errors: {} }, { status: 422 })
        : next(request),
  });
  await trial.cli('sync');
  isRefusing = true;
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  const { stdout } = await trial.cli('sync');
  expect(trial.resultOf('ann@firm.io')).toBe('refused: The contact has no profile');
  expect(stdout).toContain('refused: The contact has no profile (');
  const outputs = [stdout, (await trial.cli('enrolments')).stdout, (await trial.cli('explain', 'ann@firm.io')).stdout];
  for (const output of outputs) {
    expect(output).toContain('The contact has no profile');
    expect(output).not.toMatch(/refused: refused|automations\.add/);
  }
});
