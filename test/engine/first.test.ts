import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle } from '../support/app.ts';

it('puts contacts into the sheet and rows into the CRM', async () => {
  const trial = createSyncTrial({
    values: [
      ['First name', 'Last name', 'Company', 'Email', 'Status'],
      ['Bob', 'Row', 'Firm', 'bob@firm.io', ''],
      ['Cy', 'Both', 'Firm', 'CY@firm.io', ''],
    ],
  });
  trial.addContact({ first_name: 'Ann', last_name: 'Contact', email: 'ann@firm.io' });
  trial.addContact({ first_name: 'Cy', last_name: 'Both', email: 'cy@firm.io' });
  const report = await trial.run();
  expect(report).toMatchObject({ status: 'succeeded', counts: { created: 1, appended: 1, updated: 1 } });
  const names = (rows: readonly Readonly<Record<string, unknown>>[], key: string) =>
    rows.map((row) => String(row[key])).toSorted((a, b) => a.localeCompare(b));
  expect(names(trial.grid(), 'First name')).toEqual(['Ann', 'Bob', 'Cy']);
  expect(names(trial.contacts(), 'first_name')).toEqual(['Ann', 'Bob', 'Cy']);
  expect(names(trial.grid(), 'Contact ID')).toEqual(names(trial.contacts(), 'uuid'));
  const again = await trial.run();
  expect(again.status).toBe('succeeded');
  const { linked, ...others } = again.counts;
  expect([linked, Object.entries(others).filter(([, count]) => count !== 0)]).toEqual([3, []]);
});

describe('a tab without rows whose columns the run makes', () => {
  const header = ['First name', 'Last name', 'Company', 'Email'];

  it('W14, I2: a row that a person types while the columns are made belongs to its contact', async () => {
    const trial = createSyncTrial({ values: [header] });
    const ann = trial.addContact({ first_name: 'Ann', last_name: 'Contact', email: 'ann@firm.io' });
    let isTyped = false;
    trial.atEachInstant(async (what) => {
      if (isTyped || !(what instanceof Request) || !what.url.includes(':batchUpdate')) return;
      isTyped = true;
      trial.person.paste(`'${tabTitle}'!A2`, [['Ann', 'Contact', 'Own Firm', 'ann@firm.io']]);
    });
    const report = await trial.run();
    expect(isTyped).toBe(true);
    expect(report).toMatchObject({ counts: { appended: 0, linked: 1 } });
    expect(trial.grid()).toMatchObject([{ 'Contact ID': ann.uuid, 'First name': 'Ann', Company: 'Own Firm' }]);
  });

  it('W14: every contact gets its row once, and the next run has nothing to do', async () => {
    const trial = createSyncTrial({ values: [header] });
    for (const name of ['Ann', 'Bob', 'Cy'])
      trial.addContact({ first_name: name, last_name: 'Contact', email: `${name}@firm.io` });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 3, linked: 3 } });
    expect(
      trial
        .grid()
        .map((row) => String(row['First name']))
        .toSorted(),
    ).toEqual(['Ann', 'Bob', 'Cy']);
    await trial.start();
    expect(await trial.run({ isFull: true })).toMatchObject({
      status: 'succeeded',
      counts: { appended: 0, set: 0, updated: 0, created: 0, linked: 3 },
    });
  });
});

it('I9: the first run says that there is no state yet, later ones do not; each says how many rows it read, the first after its columns are made, too', async () => {
  const trial = createSyncTrial({
    values: [
      ['First name', 'Email'],
      ['Bob', 'bob@firm.io'],
      ['Cy', 'cy@firm.io'],
    ],
  });
  const told = async () => {
    trial.events.length = 0;
    await trial.run({ isFull: true });
    return {
      notices: trial.events.flatMap((event) => (event.type === 'notice' ? [event.message] : [])),
      rows: trial.events.flatMap((event) => (event.type === 'progress' && event.step === 'rows' ? [event.done] : [])),
    };
  };
  expect(await told()).toEqual({ notices: [expect.stringMatching(/^there is no state yet/)], rows: [2, 2] });
  expect(await told()).toEqual({ notices: [], rows: [2] });
});
