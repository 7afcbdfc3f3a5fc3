import { expect, test } from 'vitest';
import { runsPage, runShownAnswer } from '../../src/operator/answers/runs.ts';
import { readRun, readRuns } from '../../src/operator/runs.ts';
import { createSyncTrial } from '../support/app.ts';
import { createConflicts, createLinkedTrial, header, operatorError, operatorOf } from './support.ts';

/* What ran, from the reports that the state keeps and the history. */

const never = new AbortController().signal;

test('S6: runs are listed the latest first, each with what it did and cost', async () => {
  const { operator, ...trial } = await createLinkedTrial(['Ann', 'Bob']);
  trial.type('ann@firm.io', 'Company', 'New firm');
  const last = await trial.run();
  await trial.run();
  const { runs } = runsPage.parse(await readRuns(operator, { names: [], limit: 10 }));
  expect(runs[0]).toMatchObject({ name: 'prospects', kind: 'sync', run: last.run, counts: { updated: 1 } });
  expect(runs[0]!.cost.crm_calls).toBe(last.cost.crmCalls);
  // W9: the run that found nothing to do left no report.
  expect(runs.map(({ ended_at: at }) => at)).toEqual(
    runs
      .map(({ ended_at: at }) => at)
      .toSorted()
      .toReversed(),
  );
  expect((await readRuns(operator, { names: ['prospects'], limit: 1 })).runs).toHaveLength(1);
});

test('S6, L12: one run is shown with its problems and with each change that the history has of it', async () => {
  const { operator, ...trial } = await createLinkedTrial(['Ann']);
  trial.type('ann@firm.io', 'Company', 'New firm');
  const { run } = await trial.run();
  const shown = runShownAnswer.parse(await readRun(operator, run, never));
  expect(shown.changes).toEqual([
    expect.objectContaining({ side: 'crm', op: 'update', field: 'company_name', after: 'New firm', outcome: 'done' }),
  ]);
});

test('S6, M1: problems of a run are shown without the values of conflicts', async () => {
  const { operator } = await createConflicts(['Ann']);
  const [last] = (await readRuns(operator, { names: [], limit: 1 })).runs;
  const shown = await readRun(operator, last!.run, never);
  expect(shown.problems).toEqual([expect.objectContaining({ kind: 'conflict', rule: 'M1' })]);
});

test('S6, G2: a held run says why, in words, and what to name to approve', async () => {
  const rows = ['Ann', 'Bob'].map((name) => [name, 'A', 'Firm', `${name}@firm.io`]);
  const trial = createSyncTrial({ values: [header, ...rows], sync: { limits: { creates: 1 } } });
  const held = await trial.run();
  const operator = operatorOf(trial);
  const { runs } = await readRuns(operator, { names: [], limit: 5 });
  expect(runs).toMatchObject([
    { status: 'held', approvable: held.approvable, holds: [expect.stringMatching(/, G2\)$/)] },
  ]);
});

test.each(['20260101-000000-none', '../prospects', ''])('S6: a run that is not kept is named: %j', async (run) => {
  const { operator } = await createLinkedTrial(['Ann']);
  await expect(readRun(operator, run, never)).rejects.toMatchObject(
    operatorError('unknown', /no report of a run .* is kept: leadsheet runs lists them/),
  );
});

test('S6: a job that is not in the configuration is named', async () => {
  const { operator } = await createLinkedTrial(['Ann']);
  await expect(readRuns(operator, { names: ['prospect'], limit: 5 })).rejects.toMatchObject(
    operatorError('unknown', /^there is no sync, feed or outbox prospect.*prospects/),
  );
});
