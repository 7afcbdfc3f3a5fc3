// Plays the story of a fixture. make.ts copies this file into a checkout of each version, as a test of that version.
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { createSyncTrial } from '../../support/app.ts';
import { enrolled, keep, ofSync, takeUp, type Trial } from './fixture.ts';

/** `begin`: from nothing. `turn`: from what another version left. `refused`: the same, and this version must not touch it. */
const { VERSION_PART: part = '', VERSION_FROM: from = '', VERSION_TO: to = '' } = process.env;

const nothing = { created: 0, appended: 0, updated: 0, set: 0, removed: 0, deleted: 0, enrolled: 0 };

test(`plays ${part}`, { timeout: 120_000 }, async () => {
  if (part === 'refused') return expectRefused(await takeUp(from));
  const trial = part === 'begin' ? await begin() : await takeTurn();
  trial.type('dee@firm.io', 'Last name', `Last of ${basename(to)}`);
  trial.change('cy@firm.io', { company_name: `Firm of ${basename(to)}` });
  const { run, counts } = await trial.run();
  expect(counts).toMatchObject({ ...nothing, updated: 1, set: 1, linked: 4, conflicts: 1 });
  await keep(trial, to, run);
});

/** Ann is created and enrolled, Dee is created, Bob and Cy get rows, and Bob has a conflict. */
async function begin(): Promise<Trial> {
  const headers = ['First name', 'Last name', 'Company', 'Email', 'Status', 'Automation', 'Enrolment'];
  const trial = createSyncTrial({
    ...ofSync,
    values: [
      headers,
      ['Ann', 'Wisher', '', 'ann@firm.io', '', 'Welcome', ''],
      ['Dee', 'Wisher', '', 'dee@firm.io', '', '', ''],
    ],
  });
  trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  for (const name of ['bob', 'cy']) {
    trial.addContact({ first_name: name, last_name: 'Wisher', company_name: 'Firm', email: `${name}@firm.io` });
  }
  await trial.run();
  await trial.run();
  expect(enrolled(trial)).toEqual(['ann@firm.io Welcome']);
  trial.type('bob@firm.io', 'Company', 'Firm of the sheet');
  trial.change('bob@firm.io', { company_name: 'Firm of the service' });
  expect(await trial.run()).toMatchObject({ counts: { linked: 4, conflicts: 1 } });
  return trial;
}

async function takeTurn(): Promise<Trial> {
  const trial = await takeUp(from);
  expect(await trial.run()).toMatchObject({ counts: { ...nothing, linked: 4 } });
  return trial;
}

async function expectRefused(trial: Trial): Promise<void> {
  const before = trial.stateFiles();
  const outcome = await trial.run().then(
    ({ status }) => status,
    () => 'failed',
  );
  expect(outcome).toBe('failed');
  expect(trial.stateFiles()).toEqual(before);
}
