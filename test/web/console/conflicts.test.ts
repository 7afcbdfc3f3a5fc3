import { expect, test } from 'vitest';
import { until } from '../../support/daemon.ts';
import { beginConsole, boxesOf } from './deciding.ts';

/* Conflicts are decided on the console: by the value that was seen, one or several, or not at all. */

async function begin(names: readonly string[] = ['Ann'], base: string | undefined = 'Firm Ltd') {
  const trial = await beginConsole({ sync: { conflict: 'manual' } });
  const email = (name: string) => `${name.toLowerCase()}@firm.io`;
  for (const name of names) {
    trial.addContact({ first_name: name, email: email(name), ...(base !== undefined && { company_name: base }) });
  }
  const console = await trial.start();
  const disagree = (name: string, service: string, sheet: string) => {
    trial.change(email(name), { company_name: service });
    trial.type(email(name), 'Company', sheet);
  };
  await until(() => trial.grid().length === names.length);
  await console.nextRun();
  for (const name of names) disagree(name, `${name} Freight`, `${name} Ltd`);
  await until(() =>
    trial.said('run ended').some(({ counts }) => (counts as { conflicts?: number }).conflicts === names.length),
  );
  const values = (name: string) => [trial.contactOf(email(name)).company_name, trial.rowOf(email(name))['Company']];
  /** No run comes until it is resumed, so that a decision stays undone. */
  const pause = async () => {
    const page = await console.get('/jobs/prospects');
    const paused = await console.press(page, 'Pause prospects');
    expect(paused.text).toContain('Paused by');
    await console.daemon.inTurn('prospects', async () => {});
  };
  const resume = async () => console.press(await console.get('/jobs/prospects'), /^Resume/);
  return { ...trial, ...console, email, disagree, values, pause, resume };
}

test('M1: one value is kept by its button, which says it; the page tells who decided, and then which run did it', async () => {
  const { get, press, pause, resume, values, untilShown } = await begin();
  await pause();
  const page = await get('/conflicts');
  expect(page.text).toContain('Keep "Ann Freight" (service)');
  expect(page.text).toContain('Keep "Ann Ltd" (sheet)');
  expect(page.text).toContain('Keep "Firm Ltd" (agreed before)');
  const after = await press(page, 'Keep "Ann Freight" (service)');
  expect(after.text).toContain('The next run carries it out');
  expect(after.text).toContain('keeps "Ann Freight" of the service');
  expect(values('Ann')).toEqual(['Ann Freight', 'Ann Ltd']);
  await resume();
  await until(() => values('Ann')[1] === 'Ann Freight');
  expect((await untilShown('/conflicts', 'carried out by run')).text).toContain('No conflict is open.');
});

test('M1: the agreed value, a typed value, and a blank one, which is asked about', async () => {
  const { get, press, values, email, change } = await begin(['Ann', 'Bob', 'Cyd']);
  const box = async (name: string) => {
    const page = await get(`/records?of=${email(name)}`);
    return { page, seen: boxesOf(await get('/conflicts')) };
  };
  await press((await box('Ann')).page, 'Keep "Firm Ltd" (agreed before)');
  await until(() => values('Ann').every((value) => value === 'Firm Ltd'));
  await press((await box('Bob')).page, 'Set this value', [['text', 'Bob & Daughters']]);
  await until(() => values('Bob').every((value) => value === 'Bob & Daughters'));
  const asked = await press((await box('Cyd')).page, 'Set this value', [['text', '  ']]);
  expect(asked.text).toContain('This empties the field on both sides');
  expect(values('Cyd')).toEqual(['Cyd Freight', 'Cyd Ltd']);
  await press(asked, 'Empty it on both sides');
  await until(() => (values('Cyd')[0] ?? '') === '' && values('Cyd')[1] === undefined);
  expect(change).toBeDefined();
});

test('M1: a conflict that is another by now is shown anew, and nothing happens', async () => {
  const { get, press, values, disagree, nextRun, said } = await begin();
  const page = await get('/conflicts');
  disagree('Ann', 'Later Freight', 'Ann Ltd');
  await nextRun();
  const after = await press(page, 'Keep "Ann Freight" (service)');
  expect(after.text).toContain('Nothing was decided: 1 conflict is not as you saw it');
  expect(after.text).toContain('changed meanwhile');
  expect(after.text).toContain('Keep "Later Freight" (service)');
  await nextRun();
  expect(values('Ann')).toEqual(['Later Freight', 'Ann Ltd']);
  expect(said('run crashed')).toEqual([]);
  await press(after, 'Keep "Later Freight" (service)');
  await until(() => values('Ann')[1] === 'Later Freight');
});

test('M1: a side that is edited between the decision and the run keeps its edit: the decision is void', async () => {
  const { get, press, pause, resume, values, disagree, untilShown } = await begin();
  await pause();
  await press(await get('/conflicts'), 'Keep "Ann Ltd" (sheet)');
  disagree('Ann', 'Newer Freight', 'Ann Ltd');
  await resume();
  const page = await untilShown('/conflicts', 'nothing came of it');
  expect(page.text).toContain('Keep "Newer Freight" (service)');
  expect(values('Ann')).toEqual(['Newer Freight', 'Ann Ltd']);
});

test('of the ticked, all are decided if all are as they were seen, else none; the page says which changed', async () => {
  const names = ['Ann', 'Bob', 'Cyd'];
  const { get, press, values, disagree, nextRun } = await begin(names);
  const page = await get('/conflicts');
  const seen = [...boxesOf(page).values()].map((value) => ['seen', value] as const);
  expect(seen).toHaveLength(3);
  disagree('Bob', 'Other Freight', 'Bob Ltd');
  await nextRun();
  const refused = await press(page, 'Keep the service’s value for the ticked', seen);
  expect(refused.text).toContain('Nothing was decided: 1 conflict is not as you saw it');
  expect(refused.text).toContain('2 others that you ticked are as before');
  await nextRun();
  for (const name of ['Ann', 'Cyd']) expect(values(name)).toEqual([`${name} Freight`, `${name} Ltd`]);
  const two = [...boxesOf(refused)].filter(([label]) => !label.startsWith('Bob'));
  const done = await press(
    refused,
    'Keep the service’s value for the ticked',
    two.map(([, value]) => ['seen', value]),
  );
  expect(done.text).toContain('2 conflicts decided');
  await until(() => ['Ann', 'Cyd'].every((name) => values(name)[1] === `${name} Freight`));
  expect(values('Bob')).toEqual(['Other Freight', 'Bob Ltd']);
});

test('nothing ticked is refused, and so is a form that is not of this console', async () => {
  const { get, press } = await begin(['Ann', 'Bob']);
  const page = await get('/conflicts');
  const nothing = await press(page, 'Keep the sheet’s value for the ticked');
  expect(nothing.status).toBe(400);
  expect(nothing.text).toContain('no conflict is ticked');
  for (const seen of ['{}', 'x', '{"sync":"prospects","id":"a"}', '[]']) {
    const wrong = await press(page, 'Keep the sheet’s value for the ticked', [['seen', seen]]);
    expect({ seen, status: wrong.status }).toEqual({ seen, status: 400 });
  }
});

test('two persons who decide the same: the second one sees what the first one decided', async () => {
  const { get, press, pause, resume, values } = await begin();
  await pause();
  const page = await get('/conflicts');
  const [first, second] = await Promise.all([
    press(page, 'Keep "Ann Freight" (service)'),
    press(page, 'Keep "Ann Ltd" (sheet)'),
  ]);
  const [done, told] = first.path.startsWith('/conflicts') ? [first, second] : [second, first];
  expect(done.path).toContain('/conflicts?notice=');
  expect(told.text).toContain('Nothing was decided');
  expect(told.text).toContain('Decided by console');
  await resume();
  await until(() => values('Ann')[0] === values('Ann')[1]);
});

test('a viewer sees the values and no button, and a crafted form changes nothing', async () => {
  const trial = await beginConsole({ sync: { conflict: 'manual' } }, { console: 'read' });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', company_name: 'Firm' });
  const { get, post, nextRun } = await trial.start();
  await until(() => trial.grid().length === 1);
  await nextRun();
  trial.change('ann@firm.io', { company_name: 'Service Ltd' });
  trial.type('ann@firm.io', 'Company', 'Sheet Ltd');
  await until(() => trial.said('run ended').some(({ counts }) => (counts as { conflicts?: number }).conflicts === 1));
  for (const path of ['/', '/conflicts', '/problems', '/jobs/prospects', '/records?of=ann@firm.io']) {
    expect({ path, forms: (await get(path)).html.includes('action="/do/') }).toEqual({ path, forms: false });
  }
  for (const action of [
    'resolve',
    'approve-all',
    'approve-ticked',
    'refuse',
    'retry',
    'send-again',
    'plan-undo',
    'undo',
  ]) {
    expect({ action, status: (await post(action, [['token', 'x']])).status }).toEqual({ action, status: 403 });
  }
  await nextRun();
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Sheet Ltd');
});
