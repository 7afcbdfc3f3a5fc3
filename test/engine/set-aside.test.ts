import { describe, expect, test } from 'vitest';
import type { Batch, JsonObject, Store, SyncState } from '../../src/state/port.ts';
import { ledgerKey } from '../../src/sync/record/ledger.ts';
import { readStanding } from '../../src/engine/standing.ts';
import { createSyncTrial } from '../support/app.ts';
import { createEnrolmentTrial, rowOf } from './enrolment/support.ts';
import { createOutboxTrial } from './outbox/support.ts';

/* Records of the state that are whole on disk and not valid in their place, as after a fault of a program. */

interface Started {
  start(): Promise<{ readonly store: Pick<Store, 'sync'> }>;
}

async function stateOf(trial: Started, name: string): Promise<SyncState> {
  return (await trial.start()).store.sync(name);
}

async function put(trial: Started, batch: Batch, name = 'prospects'): Promise<void> {
  const state = await stateOf(trial, name);
  await using lease = await state.acquireLease();
  await lease.load();
  await lease.commit(batch);
}

const one = (key: string, record: JsonObject) => ({ put: new Map([[key, record]]) });

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];

async function inSync() {
  const trial = createSyncTrial({ values: [header] });
  for (const name of ['ann', 'bob'])
    trial.addContact({ first_name: name, company_name: 'Firm', email: `${name}@firm.io` });
  await trial.run();
  const notices = () => trial.events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
  return { ...trial, notices };
}

describe('S5: a record that is not valid in its place', () => {
  test('of a link: it is named and set aside as it was, contact and row are matched anew, and the rest goes on', async () => {
    const trial = await inSync();
    const { uuid } = trial.contactOf('ann@firm.io');
    const bad = { agreed: 7, 'of another': ['program'] };
    await put(trial, { links: one(uuid, bad) });
    trial.type('bob@firm.io', 'Company', 'New firm');
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'succeeded', counts: { linked: 2, updated: 1, created: 0, appended: 0 } });
    expect(trial.notices().filter((text) => text.includes(`links/${uuid}`))).toEqual([
      expect.stringMatching(/not what it should be \(agreed: .*set aside as it was.*matched anew.*leadsheet conflicts/),
    ]);
    const { links, setAside } = await (await stateOf(trial, 'prospects')).load();
    expect(Object.fromEntries(setAside)).toMatchObject({
      [`links/${uuid}`]: { collection: 'links', key: uuid, record: bad },
    });
    expect(links.get(uuid)).toMatchObject({ agreed: expect.stringContaining('ann@firm.io') });
    // Once: the next run has no notice.
    const told = trial.notices().length;
    await trial.run();
    expect(trial.notices()).toHaveLength(told);
  });

  test('L3: if both sides differ then, that is a conflict, and no value is overwritten', async () => {
    const trial = await inSync();
    const { uuid } = trial.contactOf('ann@firm.io');
    await put(trial, { links: one(uuid, { agreed: 'no list' }) });
    trial.type('ann@firm.io', 'Company', 'Of the sheet');
    const report = await trial.run();
    expect(report.counts.conflicts).toBe(1);
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Firm');
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('Of the sheet');
  });

  test('commands that only read report it, and change nothing', async () => {
    const trial = await inSync();
    const { uuid } = trial.contactOf('ann@firm.io');
    await put(trial, { links: one(uuid, { agreed: 7 }) });
    const files = trial.stateFiles();
    const standing = await readStanding(await stateOf(trial, 'prospects'));
    expect(standing.notices).toEqual([expect.stringContaining(`links/${uuid}`)]);
    expect(standing.counts.linked).toBe(1);
    expect(trial.stateFiles()).toEqual(files);
  });

  test('a record that this process stored with an unknown side is valid', async () => {
    const trial = await inSync();
    const { uuid } = trial.contactOf('ann@firm.io');
    const state = await stateOf(trial, 'prospects');
    const parked = { why: 'flips', crm: undefined, sheet: 'Firm' };
    {
      await using lease = await state.acquireLease();
      const link = (await lease.load()).links.get(uuid)!;
      const record = Object.assign({ ...link }, { notes: { company_name: { parked } } });
      await lease.commit({ links: one(uuid, record) });
    }
    expect((await readStanding(state)).notices).toEqual([]);
  });

  test('without the order of the fields no link is read by guess: all are matched anew', async () => {
    const trial = await inSync();
    await put(trial, { facts: { put: new Map([['fields', ['email', 7]]]) } });
    const report = await trial.run();
    expect(report).toMatchObject({ counts: { linked: 2, updated: 0, set: 0, created: 0, appended: 0, conflicts: 0 } });
    const { setAside, facts } = await (await stateOf(trial, 'prospects')).load();
    expect([...setAside.keys()].filter((key) => key.startsWith('links/'))).toHaveLength(2);
    expect(setAside.get('facts/fields')).toMatchObject({ record: ['email', 7] });
    expect(facts.get('fields')).toContain('email');
  });

  test('of a fact: it is read anew', async () => {
    const trial = await inSync();
    await put(trial, { facts: { put: new Map([['watermark', 'yesterday']]) } });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 2 } });
    expect(trial.notices().join()).toMatch(/facts\/watermark/);
  });

  test('of a request: it is dropped, and reported', async () => {
    const trial = await inSync();
    await (await stateOf(trial, 'prospects')).addRequest({ kind: 'retry', id: 5 });
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.notices().join()).toMatch(/requests\/.*Give the command again/);
    const { requests, setAside } = await (await stateOf(trial, 'prospects')).load();
    expect(requests.size).toBe(0);
    expect([...setAside.values()]).toMatchObject([{ record: { kind: 'retry', id: 5 } }]);
  });

  test('a second record in the same place does not replace the first', async () => {
    const trial = await inSync();
    const { uuid } = trial.contactOf('ann@firm.io');
    for (const agreed of [1, 2]) {
      await put(trial, { links: one(uuid, { agreed }) });
      await trial.run();
    }
    const { setAside } = await (await stateOf(trial, 'prospects')).load();
    expect([...setAside.values()]).toMatchObject([{ record: { agreed: 1 } }, { record: { agreed: 2 } }]);
  });
});

describe('S5, E1: an unreadable record leads to no enrolment and no message', () => {
  test('of the ledger: it counts as done or perhaps done', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    const { uuid } = trial.contactOf('ann@firm.io');
    await put(trial, { ledger: one(ledgerKey(uuid, trial.welcome.uuid), { state: 'abroad', at: 5 }) });
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.enrolled()).toEqual([]);
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'unknown' });
    await trial.request({ kind: 'retry', id: `${uuid}/${trial.welcome.uuid}` });
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });

  test('of a call in flight: wishes wait for an approval', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    await put(trial, { outbox: one('["eve","Wisher",null,"eve@firm.io",null]', { state: 'intended', automation: 5 }) });
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    const held = await trial.run();
    expect(trial.enrolled()).toEqual([]);
    expect(held).toMatchObject({ approvable: held.run, planned: { enrolments: 1 } });
    const notices = trial.events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
    expect(notices.join()).toMatch(/outbox\/[\da-f]{12} .*leadsheet approve/);
    expect(notices.join()).not.toMatch(/eve@firm/);
    await trial.approveWishes(held);
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });

  test('W4: of a row without a contact: it is looked up before it is created', async () => {
    const trial = createEnrolmentTrial({ rows: [rowOf('eve@firm.io', '')] });
    await put(trial, { strays: one('["eve","Wisher",null,"eve@firm.io",null]', { since: 'yesterday' }) });
    trial.addContact({ first_name: 'eve', last_name: 'Wisher', email: 'eve@firm.io' });
    expect(await trial.run()).toMatchObject({ counts: { linked: 1, created: 0 } });
  });

  test('P3: of a message: it is not sent again before a person says so', async () => {
    const trial = createOutboxTrial();
    await trial.ready(['ann@firm.io', 'Max Muster', 'hello', 'yes']);
    await trial.run();
    expect(trial.sent()).toEqual(['ann: hello']);
    const [id = ''] = (await (await stateOf(trial, 'messages')).load()).ledger.keys();
    await put(trial, { ledger: one(id, { state: 'sent' }) }, 'messages');
    const report = await trial.run();
    expect(report.counts.sent).toBe(0);
    expect(trial.sent()).toEqual(['ann: hello']);
    // Its outcome counted as unknown, and the service's listing still has it.
    expect(await trial.ledger()).toEqual({ sent: 1 });
  });

  test('W5: of what the spreadsheet refused an outbox or a feed: it is set aside, and the run goes on', async () => {
    const outbox = createOutboxTrial();
    await outbox.ready(['ann@firm.io', 'Max Muster', 'hello', 'yes']);
    const refusal = { message: 'no', times: 1, retryAt: null, sheet: 'not packed' };
    await put(outbox, { strays: one('id:2 ', { since: 0, refusal }) }, 'messages');
    expect(await outbox.run()).toMatchObject({ counts: { sent: 1 } });

    const feed = createSyncTrial({
      values: [[]],
      feeds: { flows: { resource: 'automations', columns: { ID: 'uuid', Name: 'name' } } },
    });
    feed.service.model.automations.add({ name: 'Q1', status: 'off' });
    await put(feed, { strays: one('cells:2 ', { since: 0, refusal }) }, 'flows');
    expect(await feed.runFeed('flows')).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });

    for (const [trial, name] of [[outbox, 'messages'] as const, [feed, 'flows'] as const]) {
      const { strays, setAside } = await (await stateOf(trial, name)).load();
      expect([strays.size, setAside.size]).toEqual([0, 1]);
    }
  });
});
