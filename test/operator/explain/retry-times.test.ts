import { expect, test } from 'vitest';
import { readProblemsPage } from '../../../src/operator/problems.ts';
import { createSyncTrial } from '../../support/app.ts';
import { createOutboxTrial } from '../../engine/outbox/support.ts';
import { createLinkedTrial, header, operatorOf } from '../support.ts';
import { recordOf } from './support.ts';

/* The instant from which a refused record is tried again by itself. */

const pass = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));
const minute = 60_000;

async function openOf(trial: Parameters<typeof recordOf>[0] & Parameters<typeof operatorOf>[0], reference: string) {
  const [problem] = (await recordOf(trial, reference)).problems;
  const { problems } = await readProblemsPage(operatorOf(trial), {}, { limit: 10 });
  expect(problems[0]?.retry_at).toBe(problem?.retry_at);
  return problem;
}

test('W5: a refused new row says when it is tried again, after 1, 5, 30 and 120 minutes; then only a person has it tried', async () => {
  const trial = createSyncTrial({ values: [header] });
  await trial.run();
  trial.person.paste("'Prospects'!A2", [['Ann', 'A', 'Firm', 'ann@firm.io']]);
  trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.upsert', times: 1_000 });
  for (const minutes of [1, 5, 30, 120]) {
    const tried = Date.now();
    await trial.run();
    const inMinutes = (iso: string | null | undefined) => Math.round((Date.parse(iso ?? '') - tried) / minute);
    const first = await openOf(trial, 'row:2');
    expect(first).toMatchObject({ kind: 'refused', rule: 'W5' });
    expect(inMinutes(first?.retry_at)).toBe(minutes);
    const tries = trial.crmCalls('contacts.upsert').length;
    await pass((minutes * minute) / 2);
    await trial.run();
    expect((await openOf(trial, 'row:2'))?.retry_at).toBe(first?.retry_at);
    expect(trial.crmCalls('contacts.upsert')).toHaveLength(tries);
    await pass((minutes * minute) / 2 + 1_000);
  }
  await trial.run();
  await trial.run();
  expect(await openOf(trial, 'row:2')).toMatchObject({ kind: 'quarantined', retry_at: null });
});

test('W5: so does a refused update, and an idle run writes nothing because of it', async () => {
  const trial = await createLinkedTrial(['Ann']);
  trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.update', times: 1_000 });
  trial.type('ann@firm.io', 'Company', 'Other');
  await trial.run();
  const open = await openOf(trial, 'ann@firm.io');
  expect(open).toMatchObject({ kind: 'refused', rule: 'W5', retry_at: expect.stringMatching(/^2026-11-21T/) });
  const before = trial.stateFiles();
  await trial.run();
  expect(trial.stateFiles()).toEqual(before);
});

test('P4: a refused row of an outbox says when the service is asked about it again', async () => {
  const trial = createOutboxTrial();
  await trial.ready(['zed@firm.io', 'Sales', 'Hi', 'yes']);
  const asked = Date.now();
  await trial.run();
  const open = await openOf(trial, 'row:2');
  expect(open).toMatchObject({ kind: 'refused', rule: 'P4' });
  expect(Math.round((Date.parse(open?.retry_at ?? '') - asked) / minute)).toBe(60);
  await trial.run();
  const before = trial.stateFiles('messages');
  await trial.run();
  expect(trial.stateFiles('messages')).toEqual(before);
});
