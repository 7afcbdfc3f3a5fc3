import { expect, test } from 'vitest';
import { givenAgain } from '../../../src/operator/decide.ts';
import { decidedList, decisionText } from '../../../src/web/console/forms/parts.ts';
import { until } from '../../support/daemon.ts';
import { beginConsole } from './deciding.ts';

/* S8: a run is taken back on the console: the plan first, then exactly this plan, or nothing. */

async function begin(server: Readonly<Record<string, unknown>> = {}) {
  const trial = await beginConsole({}, server);
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', company_name: 'Firm' });
  trial.addContact({ first_name: 'Bob', email: 'bob@firm.io', company_name: 'Firm' });
  const console = await trial.start();
  await until(() => trial.grid().length === 2);
  await console.nextRun();
  return { ...trial, ...console };
}

test('S8: an undo is planned first, and then carried out as it was seen; the page leads to its run', async () => {
  const { get, press, type, contactOf, rowOf, said, untilShown } = await begin();
  const did = '1 contact updated';
  type('ann@firm.io', 'Company', 'Wrong Ltd');
  await until(() => contactOf('ann@firm.io').company_name === 'Wrong Ltd');
  const run = await runThat(untilShown, did);
  expect((await get(`/runs/${run}`)).html).toContain(`/runs/${run}/undo`);
  const planned = await press(await get(`/runs/${run}/undo`), /^Plan the undo/);
  expect(planned.text).toContain('Put back');
  expect(planned.text).toMatch(/Wrong Ltd\s+Firm/);
  expect(contactOf('ann@firm.io').company_name).toBe('Wrong Ltd');
  const done = await press(planned, /^Take back 2 changes/);
  expect(done.text).toMatch(/succeeded Run \S+ of prospects\s?, as console decided/);
  expect([contactOf('ann@firm.io').company_name, rowOf('ann@firm.io')['Company']]).toEqual(['Firm', 'Firm']);
  expect(said('run crashed')).toEqual([]);
  // The decision is in the history with who made it.
  expect((await get('/log')).text).toContain(`undo of ${run}`);
  const twice = await press(planned, /^Take back 2 changes/);
  expect(twice.text).toContain('console had this plan carried out already');
});

test('S8: what was edited meanwhile makes another plan: it is shown, and nothing is done', async () => {
  const { get, press, type, contactOf, rowOf, untilShown } = await begin();
  const did = '1 contact updated';
  type('ann@firm.io', 'Company', 'Wrong Ltd');
  await until(() => contactOf('ann@firm.io').company_name === 'Wrong Ltd');
  const planned = await press(await get(`/runs/${await runThat(untilShown, did)}/undo`), /^Plan the undo/);
  type('ann@firm.io', 'Company', 'Edited Ltd');
  await until(() => contactOf('ann@firm.io').company_name === 'Edited Ltd');
  const told = await press(planned, /^Take back/);
  expect(told.text).toContain('Nothing was taken back: it is another plan by now');
  expect(told.text).toContain('Nothing of this run can be put back');
  expect(rowOf('ann@firm.io')['Company']).toBe('Edited Ltd');
});

test('S8: an approved undo is told to be given again, and every other decision to be for the next run', async () => {
  const at = '2026-11-21T09:00:00.000Z';
  const given = { decision: 'approve', id: 'r2', by: 'ann', at, through: 'console' } as const;
  const words = async (text: string) => {
    const decision = { ...given, text };
    const list = decidedList({ pending: [{ ...decision, job: 'prospects' }], done: [] }, Date.parse(at), true);
    return [await decisionText(decision, Date.parse(at), true), await list].join(' ');
  };
  expect(await words(`approved for 4 changes of the undo of r1; ${givenAgain}`)).not.toMatch(/next run/i);
  expect(await words('approved for 4 changes')).toMatch(/The next run carries it out\.[^]*the next run carries it out/);
});

test('S7: contacts that the run created are deleted only when that is ticked, and asked again by name', async () => {
  const { get, press, person, contacts, grid, untilShown } = await begin();
  const did = '1 contact created';
  person.paste("'Prospects'!A4", [['Cyd', '', 'New Ltd', 'cyd@firm.io']]);
  await until(() => contacts().length === 3);
  await until(() => grid().some((row) => row['First name'] === 'Cyd' && row['Status'] !== undefined));
  const page = await get(`/runs/${await runThat(untilShown, did)}/undo`);
  const kept = await press(page, /^Plan the undo/);
  expect(kept.text).toContain('it was created');
  const planned = await press(page, /^Plan the undo/, [['deletes-created', 'yes']]);
  const asked = await press(planned, /and delete 1 contact$/);
  expect(asked.text).toContain('Cyd <cyd@firm.io>');
  expect(contacts()).toHaveLength(3);
  await press(asked, /^Take it back, and delete 1 contact/);
  await until(() => contacts().length === 2);
});

test('S8: after a restart the plan is made again, says whether it is the same, and takes nothing back until it is pressed again', async () => {
  const { start, stop, get, press, type, contactOf, untilShown } = await begin();
  type('ann@firm.io', 'Company', 'Wrong Ltd');
  await until(() => contactOf('ann@firm.io').company_name === 'Wrong Ltd');
  const run = await runThat(untilShown, '1 contact updated');
  const planned = await press(await get(`/runs/${run}/undo`), /^Plan the undo/, [['deletes-created', 'yes']]);
  // The row is opened in the sheet, as on every other page.
  expect(planned.html).toMatch(/#gid=\d+&amp;range=A\d+"/);
  await stop();
  const second = await start();
  // The page says so, and keeps what was asked for.
  const gone = await second.get(planned.path.replace(/&notice=[^&]*/, ''));
  expect(gone.text).toContain('leadsheet was started anew since, and a plan is in memory alone');
  expect(gone.html).toMatch(/name="deletes-created"\s+value="yes"\s+checked/);
  // The button that was on the screen all the time; the token is that of the new login.
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(gone.html) ?? [];
  const sent = {
    ...planned,
    html: planned.html.replaceAll(/name="token" value="[^"]+"/g, `name="token" value="${token}"`),
  };
  const same = await second.press(sent, /^Take back 2 changes/);
  expect(same.text).toContain('The plan is made again. Nothing is taken back yet.');
  expect(same.text).toContain('It is the same plan as the one that you saw');
  expect(contactOf('ann@firm.io').company_name).toBe('Wrong Ltd');
  type('ann@firm.io', 'Company', 'Edited Ltd');
  await until(() => contactOf('ann@firm.io').company_name === 'Edited Ltd');
  const other = await second.press(sent, /^Take back 2 changes/);
  expect(other.text).toContain('Nothing was taken back: it is another plan by now');
  expect(contactOf('ann@firm.io').company_name).toBe('Edited Ltd');
});

test('one change is taken back from the life line of its record', async () => {
  const { get, press, type, change, contactOf, rowOf } = await begin();
  type('ann@firm.io', 'Company', 'Wrong Ltd');
  await until(() => contactOf('ann@firm.io').company_name === 'Wrong Ltd');
  change('ann@firm.io', { last_name: 'Later' });
  await until(() => rowOf('ann@firm.io')['Last name'] === 'Later');
  const page = await get('/records?of=ann@firm.io');
  expect(page.text).toContain('Life line');
  const first = [...page.html.matchAll(/<tr>(?:(?!<\/tr>)[\s\S])*?Wrong Ltd[\s\S]*?<\/tr>/g)].find(([row]) =>
    row.includes('Plan to take it back'),
  );
  const planned = await press({ ...page, html: first![0] }, 'Plan to take it back');
  await press(planned, /^Take back/);
  await until(() => contactOf('ann@firm.io').company_name === 'Firm');
  expect(contactOf('ann@firm.io').last_name).toBe('Later');
});

test('a run that cannot be taken back says why, and a plan that is not kept is made again', async () => {
  const { get, post, untilShown } = await begin();
  const did = '2 rows appended';
  expect((await get('/runs/nope/undo')).status).toBe(404);
  const run = await runThat(untilShown, did);
  expect((await get(`/runs/${run}/undo?plan=other`)).text).toContain('That plan is not kept any more');
  expect(
    (
      await post('undo', [
        ['token', 'x'],
        ['run', run],
      ])
    ).status,
  ).toBe(403);
});

/** The latest run whose line says this. */
async function runThat(untilShown: Awaited<ReturnType<typeof begin>>['untilShown'], did: string): Promise<string> {
  const { html } = await untilShown('/runs', did);
  const row = html.split('<tr>').find((each) => each.includes(did));
  return /\/runs\/([\w-]+)"/.exec(row!)![1]!;
}
