import { expect, test } from 'vitest';
import { until } from '../../support/daemon.ts';
import { beginConsole, boxesOf } from './support.ts';

/* A held plan is looked at, approved whole or in part, or refused, on the console. */

const names = ['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal', 'Ida', 'Jon'];

/** The rows of four of ten are deleted; two deletions are allowed. */
async function begin() {
  const trial = await beginConsole({ sync: { on_row_deleted: 'delete_contact', limits: { deletes: '20%' } } });
  for (const name of names) {
    trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io`, company_name: 'Firm' });
  }
  const console = await trial.start();
  await until(() => trial.grid().length === names.length);
  await console.nextRun();
  const gone = trial
    .grid()
    .slice(0, 4)
    .map((row) => String(row['First name']));
  trial.person.deleteRows('Prospects', 2, 4);
  await until(() => trial.said('run ended').some(({ status }) => status === 'held'));
  const left = () => trial.contacts().map(({ first_name }) => first_name);
  return { ...trial, ...console, left, gone };
}

test('G2: the page says which limit tripped, and the plan by record; all of it is approved after a second question', async () => {
  const { get, press, left, gone, untilShown } = await begin();
  expect((await get('/')).html).toContain('/jobs/prospects/held');
  expect((await get('/jobs/prospects')).html).toContain('/jobs/prospects/held');
  const page = await get('/jobs/prospects/held');
  expect(page.text).toContain('4 deletions are more than');
  expect(page.text).toContain('more changes than the limits allow, G2');
  expect(page.text).toContain('service: delete the contact');
  const asked = await press(page, 'Approve all 4 records');
  expect(asked.text).toContain('Nothing has happened yet');
  for (const name of gone) expect(asked.text).toContain(`${name} <${name.toLowerCase()}@firm.io>: delete the contact`);
  expect(left()).toEqual(names);
  const done = await press(asked, /^Approve all of it/);
  expect(done.text).toContain('The next run carries it out');
  await until(() => left().length === 6);
  const after = await untilShown('/jobs/prospects/held', 'carried out by run');
  expect(after.text).toContain('nothing of prospects is held');
});

test('G6: the ticked half is approved, exactly these; the rest stays held', async () => {
  const { get, press, left, gone, nextRun } = await begin();
  const page = await get('/jobs/prospects/held');
  const [first, second, third] = gone as [string, string, string];
  const ticked = [...boxesOf(page)].filter(([label]) => label.startsWith(first) || label.startsWith(third));
  const asked = await press(
    page,
    /^Approve the ticked/,
    ticked.map(([, value]) => ['seen', value]),
  );
  expect(asked.text).toContain(`${first} <${first.toLowerCase()}@firm.io>: delete the contact`);
  expect(asked.text).not.toContain(`${second.toLowerCase()}@firm.io`);
  await press(asked, 'Approve 2 records');
  await until(() => left().length === 8);
  await nextRun();
  expect(left()).toEqual(names.filter((name) => ![first, third].includes(name)));
  expect((await get('/jobs/prospects/held')).text).toContain(`${second} <${second.toLowerCase()}@firm.io>`);
});

test('G2: a plan that is another one by now is shown anew, also between the question and its answer', async () => {
  const { get, press, left, person, nextRun } = await begin();
  const page = await get('/jobs/prospects/held');
  const asked = await press(page, 'Approve all 4 records');
  person.deleteRows('Prospects', 2, 1);
  await nextRun();
  for (const [from, button] of [
    [page, 'Approve all 4 records'],
    [asked, /^Approve all of it/],
  ] as const) {
    const told = await press(from, button);
    expect(told.text).toContain('Nothing was decided: what is held of prospects is not as you saw it');
    expect(told.text).toContain('Approve all 5 records');
  }
  const ticks = [...boxesOf(page).values()].map((value) => ['seen', value] as const);
  expect((await press(page, /^Approve the ticked/, ticks)).text).toContain('Nothing was decided');
  expect((await press(page, /^Refuse it/)).text).toContain('Nothing was decided');
  await nextRun();
  expect(left()).toEqual(names);
});

test('G7: a refusal is told with who said it; a second person who approved at the same moment sees it first', async () => {
  const { get, press, left, nextRun } = await begin();
  const page = await get('/jobs/prospects/held');
  const refused = await press(page, /^Refuse it/);
  expect(refused.text).toContain('console refused it');
  const told = await press(page, 'Approve all 4 records');
  expect(told.text).toContain('Nothing was decided');
  expect(told.text).toContain('console refused it');
  await nextRun();
  expect(left()).toEqual(names);
});

test('nothing ticked approves nothing, and neither does a record of another plan', async () => {
  const { get, press, left, nextRun } = await begin();
  const page = await get('/jobs/prospects/held');
  expect((await press(page, /^Approve the ticked/)).text).toContain('no record is ticked');
  const other = await press(page, /^Approve the ticked/, [['seen', '{"id":"00000000-0000-4000-8000-000000000000"}']]);
  expect(other.status).not.toBe(303);
  expect(other.text).toContain('no change of 00000000-0000-4000-8000-000000000000 is held');
  await nextRun();
  expect(left()).toEqual(names);
});

test('a job that is not held says so', async () => {
  const trial = await beginConsole();
  const { get } = await trial.start();
  expect((await get('/jobs/prospects/held')).text).toContain('nothing of prospects is held');
  expect((await get('/jobs/nope/held')).status).toBe(404);
});
