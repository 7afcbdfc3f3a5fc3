import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSyncTrial, type TrialOptions } from '../support/app.ts';
import { createOutboxTrial } from './outbox/support.ts';

/* The stored reports of runs, newest first. */

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];

async function inSync(options: TrialOptions = {}) {
  const trial = createSyncTrial({ values: [header], ...options });
  for (const name of ['ann', 'bob'])
    trial.addContact({ first_name: name, company_name: 'Firm', email: `${name}@firm.io` });
  const reports = async (name = 'prospects') => {
    const { store } = await trial.start();
    return store.sync(name).readRuns({ limit: 10 });
  };
  return { ...trial, reports };
}

describe('S6: the reports of runs', () => {
  test('of a run with changes is kept unchanged', async () => {
    const trial = await inSync();
    const report = await trial.run();
    expect(report.counts.appended).toBe(2);
    expect(await trial.reports()).toEqual([report]);
    const { store } = await trial.start();
    expect(await store.sync('prospects').readRun(report.run)).toEqual(report);
  });

  test('W9: an idle run leaves none, in this process or in another', async () => {
    const trial = await inSync();
    const { run } = await trial.run();
    // W18: it notes that nothing is to be done.
    await trial.run();
    const files = trial.stateFiles();
    await trial.run();
    await trial.start();
    await trial.run();
    await trial.run({ isFull: true });
    expect(trial.stateFiles()).toEqual(files);
    expect((await trial.reports()).map((each) => each.run)).toEqual([run]);
  });

  test('L12: of a run without changes but with new problems is kept once, without the values of a conflict', async () => {
    const trial = await inSync();
    await trial.run();
    trial.change('ann@firm.io', { company_name: 'Of the service' });
    trial.type('ann@firm.io', 'Company', 'Of the sheet');
    const { run } = await trial.run();
    await trial.run();
    const [last, ...before] = await trial.reports();
    expect(last).toMatchObject({ run, status: 'partial', problems: [{ kind: 'conflict', field: 'company_name' }] });
    expect(before).toHaveLength(1);
    expect(JSON.stringify(last)).not.toMatch(/Of the service|Of the sheet|firm\.io/);
  });

  test('a failure is kept with its reason, once while it lasts, and so is its end', async () => {
    let isDown = false;
    const trial = await inSync({
      around: async (request, next) =>
        isDown && request.url.includes('search') ? new Response('', { status: 503 }) : next(request),
    });
    await trial.run();
    isDown = true;
    expect(await trial.run()).toMatchObject({ status: 'failed' });
    expect(await trial.run()).toMatchObject({ status: 'failed' });
    isDown = false;
    await trial.run();
    const reports = await trial.reports();
    expect(reports.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded']);
    expect(reports[1]?.['error']).toMatch(/503|service/);
  });

  test('G2: a run that is held is kept with the limit that held it, once', async () => {
    const trial = await inSync({ sync: { limits: { creates: 1 } } });
    await trial.run();
    trial.person.paste(`'Prospects'!A4`, [
      ['cy', 'New', 'Firm', 'cy@firm.io'],
      ['dee', 'New', 'Firm', 'dee@firm.io'],
    ]);
    const { run } = await trial.run();
    await trial.run();
    const [last, ...before] = await trial.reports();
    expect(last).toMatchObject({ run, status: 'held', approvable: run, holds: [{ rule: 'G2' }] });
    expect(before).toHaveLength(1);
  });

  test('a feed and an outbox keep theirs, too', async () => {
    const feed = await inSync({ values: [[]], feeds: { flows: { resource: 'automations', columns: { ID: 'uuid' } } } });
    feed.service.model.automations.add({ name: 'Q3', status: 'off' });
    const mirrored = await feed.runFeed('flows');
    expect(await feed.reports('flows')).toEqual([mirrored]);
    const outbox = createOutboxTrial();
    await outbox.ready(['ann@firm.io', 'Max Muster', 'hello', 'yes']);
    const sent = await outbox.run();
    const { store: ofOutbox } = await outbox.start();
    const [last] = await ofOutbox.sync('messages').readRuns({ limit: 1 });
    expect(last).toMatchObject({ run: sent.run, kind: 'outbox', counts: { sent: 1 } });
  });

  test('a report that cannot be kept is a notice, and the run keeps its status', async () => {
    const trial = await inSync();
    const { store } = await trial.start();
    const state = store.sync('prospects');
    mkdirSync(join(trial.folder, 'state', 'prospects'), { recursive: true });
    writeFileSync(join(trial.folder, 'state', 'prospects', 'runs'), 'a file where the folder should be');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 2 } });
    const notices = trial.events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
    expect(notices.join('\n')).toMatch(/the report of run \S+ could not be kept: .*runs/);
    expect((await state.load()).links.size).toBe(2);
  });
});
