import { expect, test } from 'vitest';
import { tabTitle } from '../support/app.ts';
import { createLinkedTrial } from './support.ts';

/* What commands say about a held plan, about its approval, and where nothing is held. */

const ten = ['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal', 'Ida', 'Jon'];
const email = (name: string) => `${name.toLowerCase()}@firm.io`;

/** Ten contacts; the company of four is edited, and two changes are allowed. */
async function createHeldEdits() {
  const trial = await createLinkedTrial(ten, { sync: { limits: { changes: '20%' } } });
  for (const name of ten.slice(0, 4)) trial.type(email(name), 'Company', 'Other');
  const held = await trial.run();
  expect(held).toMatchObject({ status: 'held', planned: { changes: 4 } });
  return { ...trial, held };
}

test('W9: where nothing is held, approve and status name the same last run, also where it failed', async () => {
  const trial = await createLinkedTrial(ten);
  // G1: the IDs stay where they are, and the people move.
  trial.person.paste(`'${tabTitle}'!A2`, trial.person.read(`'${tabTitle}'!A2:D11`).toReversed());
  const failed = await trial.run();
  expect(failed.status).toBe('failed');
  expect((await trial.cli('status')).stdout).toContain(`failed; last run ${failed.run}`);
  expect((await trial.cli('approve', 'prospects', '--yes')).stderr).toBe(
    `leadsheet: nothing of prospects is held; its last run is ${failed.run}, failed\n`,
  );
});

test('G2, G6: once a held plan is approved, status and explain say so, and offer no approval that was given', async () => {
  const trial = await createHeldEdits();
  const approve = `leadsheet approve prospects --run ${trial.held.run}`;
  const offered = async () => {
    const { stdout: status } = await trial.cli('status');
    const { stdout: explained } = await trial.cli('explain', email('Ann'));
    return { status, explained };
  };
  const before = await offered();
  expect(before.status).toContain(`  to let it through: ${approve}\n`);
  expect(before.explained).toContain(`  - let the held plan through: ${approve}\n`);
  await trial.cli('approve', 'prospects', '--only', email('Ann'), '--yes');
  const ofSome = await offered();
  expect(ofSome.status).toContain(`  to let the rest of it through: ${approve}\n`);
  expect(ofSome.explained).toContain(`  - let the rest of the held plan through: ${approve}\n`);
  await trial.cli('approve', 'prospects', '--yes');
  const ofAll = await offered();
  expect(ofAll.status).toContain('  it is approved, and the next run carries it out\n');
  expect(ofAll.explained).toContain('  - nothing: it is approved, and the next run carries it out\n');
  for (const text of Object.values(ofAll)) expect(text).not.toContain('leadsheet approve');
});

test('G6: a plan of the records that were approved says that the rest stays held', async () => {
  const trial = await createHeldEdits();
  await trial.cli('approve', 'prospects', '--only', email('Ann'), '--yes');
  const { stdout, code } = await trial.cli('plan');
  expect(code).toBe(2);
  expect(stdout).toContain('  1 contact to update in the service\n');
  expect(stdout).toContain(
    '  the rest stays held: 3 changed records, and 1 that were approved one by one, are more than',
  );
  expect((await trial.run()).holds).toMatchObject([{ reason: expect.stringContaining('3 changed records, and 1 ') }]);
  await trial.cli('approve', 'prospects', '--yes');
  expect((await trial.cli('plan')).stdout).not.toContain('held');
});
