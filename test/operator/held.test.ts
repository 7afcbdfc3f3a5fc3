import { expect, test } from 'vitest';
import { tabTitle } from '../support/app.ts';
import { createLinkedTrial } from './support.ts';

/* What commands say about a held plan, about its approval, and where nothing is held. */

const ten = ['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal', 'Ida', 'Jon'];

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
