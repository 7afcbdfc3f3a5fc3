import { expect, test } from 'vitest';
import { createSyncTrial, type TrialOptions } from '../support/app.ts';

/* `contacts.create_list`. */

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const contacts = { list: 'New list', create_list: true };

function createTrial(options: TrialOptions = {}) {
  const trial = createSyncTrial({
    sync: { contacts },
    values: [header, ['Ann', 'Row', 'Firm', 'ann@firm.io']],
    ...options,
  });
  const made = () => [...trial.service.model.lists.table.all()].filter(({ name }) => name === 'New list');
  return { ...trial, made };
}

test('a missing list is created once, and new contacts go into it', async () => {
  const trial = createTrial();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
  expect(trial.made()).toHaveLength(1);
  expect(trial.contacts()).toMatchObject([{ first_name: 'Ann', list_uuid: trial.made()[0]!.uuid }]);
  await trial.start();
  expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { linked: 1 } });
  expect(trial.made()).toHaveLength(1);
});

test('an existing list is used, whatever its page', async () => {
  const trial = createTrial({ switches: { pageRowsMax: 20 } });
  for (let index = 0; index < 150; index += 1) trial.service.model.lists.add({ name: `New list ${index}` });
  trial.service.model.lists.add({ name: 'New list' });
  await trial.run();
  expect(trial.made()).toHaveLength(1);
});

test('a plan creates no list, and shows the contacts that would go into it', async () => {
  const trial = createTrial();
  expect(await trial.plan()).toMatchObject({ status: 'succeeded', changes: [{ op: 'create' }] });
  expect(trial.made()).toEqual([]);
  expect((await trial.cli('check')).stdout).toContain('"New list" is not there yet: the first run makes it');
});

test('L8: after a lost answer the next run finds the list and makes no second one', async () => {
  const trial = createTrial();
  trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'lists.create' });
  expect(await trial.run()).toMatchObject({ status: 'failed', error: expect.stringContaining('may have happened') });
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
  expect(trial.made()).toHaveLength(1);
});

test('G1: a list that was deleted after the first run is not created again', async () => {
  const trial = createTrial();
  await trial.run();
  trial.service.model.lists.table.replaceAll([]);
  const report = await trial.run({ isFull: true });
  expect(report).toMatchObject({ status: 'failed', error: expect.stringContaining('there is no list "New list"') });
  expect(trial.made()).toEqual([]);
});

test('L12: of a list that was renamed after the first run, nobody is told to set create_list, which is set', async () => {
  const trial = createTrial();
  await trial.run();
  const list = [...trial.service.model.lists.table.all()].find(({ name }) => name === 'New list');
  trial.service.model.lists.table.change(list!.uuid, { name: 'Renamed' }, Date.now());
  const { status, error } = await trial.run({ isFull: true });
  expect(status).toBe('failed');
  expect(error).toContain(', or make the list in the service: contacts.create_list makes it only once');
  expect(error).not.toContain('set contacts.create_list');
});

test('without create_list the run fails and says what to do', async () => {
  const trial = createTrial({ sync: { contacts: { list: 'New list' } } });
  expect(await trial.run()).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('set contacts.create_list'),
  });
});

test('L7, L8, L12: no list is created while not all lists were read: it may be among the others', async () => {
  let isOn = true;
  const trial = createTrial({
    switches: { pageRowsMax: 20 },
    around: async (request, next) => {
      const answer = await next(request);
      if (!isOn || !request.url.includes('/leads/api/lists') || !/offset=[1-9]/.test(request.url)) return answer;
      return Response.json({ ...((await answer.json()) as object), data: [] });
    },
  });
  for (let index = 0; index < 30; index += 1) trial.service.model.lists.add({ name: `New list ${index}` });
  trial.service.model.lists.add({ name: 'New list' });
  expect(await trial.run()).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/whether there is a list "New list" is not known: only 20 of 31/),
  });
  expect(trial.made()).toHaveLength(1);
  isOn = false;
  expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  expect(trial.made()).toHaveLength(1);
});
