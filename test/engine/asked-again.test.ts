// Answers of the service that are stored, and that a full scan asks for again: a run that is held does not go back to the
// old one (G2, G4, W9).
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle, type TrialOptions } from '../support/app.ts';
import type { HeldFact } from '../../src/engine/stored/facts.ts';
import type { RunReport } from '../../src/engine/report.ts';

const columns = { 'First name': 'first_name', Company: 'company_name', Email: 'email' };
const header = Object.keys(columns);

type Trial = ReturnType<typeof createSyncTrial>;

function createTrial({ sync, ...options }: TrialOptions = {}): Trial {
  return createSyncTrial({ columns, values: [header], ...options, sync: { match: ['email'], ...sync } });
}

const origin = { by: 'ann', at: '2026-11-21T09:00:00.000Z', through: 'cli', text: '', seen: { status: null } } as const;

/** Five people who are linked. */
async function withFive(options: TrialOptions = {}): Promise<Trial> {
  const trial = createTrial(options);
  for (const name of ['Ann', 'Bob', 'Cy', 'Dan', 'Eve']) {
    trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io` });
  }
  await trial.run();
  return trial;
}

async function approve({ start }: Trial, { run, planned }: RunReport): Promise<void> {
  const { store } = await start();
  await store.sync('prospects').addRequest({ kind: 'approve', run, counts: { ...planned } });
}

/** What a run said of each record, and why it was held. */
function told({ status, problems, holds }: RunReport) {
  return { status, rules: problems.map(({ kind, rule }) => `${kind} ${rule}`), holds: holds.map(({ rule }) => rule) };
}

const heldByLimit = { status: 'held', rules: [], holds: ['G2'] };

/** Contacts of another list, `x` at x@firm.io. `free`: they are deleted. */
function withCustomers(trial: Trial, names: readonly string[]) {
  const { uuid: list_uuid } = trial.service.model.lists.add({ name: 'Customers' });
  const customers = names.map((name) => trial.addContact({ email: `${name}@firm.io`, list_uuid }));
  const free = () => {
    for (const { uuid } of customers) trial.service.model.contacts.remove(uuid);
  };
  return { free };
}

describe('I7: the holder of a key', () => {
  /** Two rows take addresses of contacts of another list, which is held; more changes than the limit of one. */
  async function withHolders(options: TrialOptions = {}) {
    const trial = await withFive({ ...options, sync: { limits: { changes: '20%' }, ...options.sync } });
    const { free } = withCustomers(trial, ['x', 'y']);
    trial.type('ann@firm.io', 'Email', 'x@firm.io');
    await trial.run();
    trial.type('bob@firm.io', 'Email', 'y@firm.io');
    expect(told(await trial.run())).toEqual({ status: 'partial', rules: ['held I7', 'held I7'], holds: [] });
    const namesOf = () => ['x', 'y'].map((name) => trial.contactOf(`${name}@firm.io`).first_name);
    return { ...trial, free, namesOf };
  }

  it('I7, G2, G4, W9: a full scan that finds keys free is held by the limit, and so are the runs after it', async () => {
    const trial = await withHolders();
    trial.free();
    const first = await trial.run({ isFull: true });
    expect(told(first)).toEqual(heldByLimit);
    expect(told(await trial.run())).toEqual(heldByLimit);
    const files = trial.stateFiles();
    for (const isFull of [false, true, true, false]) expect(told(await trial.run({ isFull }))).toEqual(heldByLimit);
    expect(trial.stateFiles()).toEqual(files);
    await approve(trial, first);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 2 } });
    expect(trial.namesOf()).toEqual(['Ann', 'Bob']);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', isFull: false, counts: { updated: 0 } });
  });

  it('I7, G4: so is a run that asks again because a person said retry', async () => {
    const trial = await withHolders();
    trial.free();
    const { store } = await trial.start();
    await store.sync('prospects').addRequest({ kind: 'retry', id: String(trial.rowOf('x@firm.io')['Contact ID']) });
    const first = await trial.run();
    expect(told(first)).toEqual(heldByLimit);
    expect(told(await trial.run())).toEqual(heldByLimit);
    await approve(trial, first);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 2 } });
  });

  it('I7, G6, G4: of two records that were found free one is approved, and the other stays held', async () => {
    const trial = await withHolders();
    trial.free();
    const { run } = await trial.run({ isFull: true });
    const { store } = await trial.start();
    const { facts } = await store.sync('prospects').load();
    const { records } = facts.get('held') as unknown as HeldFact;
    const [record] = records!;
    await store
      .sync('prospects')
      .addRequest({ kind: 'approve-records', run, ids: [record!.id], digests: [record!.digest], origin });
    for (let runs = 0; runs < 4; runs += 1) {
      expect(told(await trial.run({ isFull: runs > 1 }))).toMatchObject({ status: 'held', holds: ['G2'] });
    }
    expect(
      trial.contacts().filter(({ work_email: address }) => ['x@firm.io', 'y@firm.io'].includes(address ?? '')),
    ).toHaveLength(1);
  });

  it('I7, G2: what is held is the plan after the answers: a key of another contact is none of its changes', async () => {
    const trial = await withHolders();
    trial.type('cy@firm.io', 'Company', 'Firm');
    for (const isFull of [true, false]) {
      const report = await trial.run({ isFull });
      expect(told(report)).toEqual({ status: 'partial', rules: ['held I7', 'held I7'], holds: [] });
    }
    trial.type('dan@firm.io', 'Company', 'Firm');
    trial.type('eve@firm.io', 'Company', 'Firm');
    for (const isFull of [true, false]) {
      expect(await trial.run({ isFull })).toMatchObject({ status: 'held', planned: { changes: 2 } });
    }
  });

  it('I7, G2: an approval is of creates and changes together, as the answers leave them, and is carried out', async () => {
    const trial = await withHolders({ sync: { limits: { changes: '20%', creates: 1 } } });
    trial.type('cy@firm.io', 'Company', 'Firm');
    trial.person.paste(`'${tabTitle}'!A7`, [
      ['Xi', 'Firm', 'xi@firm.io'],
      ['Yo', 'Firm', 'yo@firm.io'],
    ]);
    const report = await trial.run({ isFull: true });
    expect(report).toMatchObject({ status: 'held', planned: { creates: 2, changes: 1 } });
    expect(report.holds.map(({ reason }) => reason)).toEqual([expect.stringContaining('2 new contacts')]);
    await approve(trial, report);
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { created: 2, updated: 1, held: 2 } });
  });

  it('I7, G2: of more than a hundred keys none is asked for before an approval; what is found then is approved once more, and done', async () => {
    const trial = createTrial({ sync: { limits: { creates: 1 } } });
    const names = Array.from({ length: 101 }, (_, index) => `p${index}`);
    for (const name of names) trial.addContact({ first_name: name, email: `${name}@firm.io` });
    withCustomers(
      trial,
      names.slice(0, 41).map((name) => `x${name}`),
    );
    await trial.run();
    trial.person.paste(`'${tabTitle}'!C2`, [
      ...trial.grid().map(({ Email }) => [`x${String(Email)}`]),
      ['xi@firm.io'],
      ['yo@firm.io'],
    ]);
    trial.person.paste(`'${tabTitle}'!A103`, [['Xi'], ['Yo']]);
    const calls = () => trial.crmCalls('contacts.lookup-one').length;
    const before = calls();
    const first = await trial.run();
    expect([first, calls() - before]).toMatchObject([{ status: 'held', planned: { creates: 0, changes: 101 } }, 0]);
    await approve(trial, first);
    const second = await trial.run();
    expect(second).toMatchObject({ status: 'held', planned: { creates: 2, changes: 60 } });
    await approve(trial, second);
    expect(await trial.run()).toMatchObject({ counts: { created: 2, updated: 60, held: 41 } });
    for (const isFull of [true, false]) {
      expect(await trial.run({ isFull })).toMatchObject({ status: 'partial', counts: { held: 41 }, holds: [] });
    }
  });

  it('I7, G2: more than a hundred keys that other contacts have hold no full scan', async () => {
    const trial = createTrial();
    const names = Array.from({ length: 101 }, (_, index) => `p${index}`);
    for (const name of names) trial.addContact({ first_name: name, email: `${name}@firm.io` });
    withCustomers(
      trial,
      names.map((name) => `x${name}`),
    );
    await trial.run();
    trial.person.paste(
      `'${tabTitle}'!C2`,
      trial.grid().map(({ Email }) => [`x${String(Email)}`]),
    );
    await approve(trial, await trial.run());
    await trial.run();
    for (const isFull of [true, false, true]) {
      expect(await trial.run({ isFull })).toMatchObject({ status: 'partial', counts: { held: 101 }, holds: [] });
    }
  });

  it('I7, M6, L6: a ring with a key that the service did not show is held by the holders of its keys in every run', async () => {
    const trial = await withFive({ switches: { emailStoredAs: 'personal_email' } });
    trial.type('ann@firm.io', 'Email', 'new@firm.io');
    expect(told(await trial.run())).toMatchObject({ status: 'partial', rules: ['failed M6'] });
    trial.service.received.clear();
    const rows = new Map(trial.grid().map((row, index) => [row['First name'], index + 2]));
    for (const [name, taken] of [
      ['Ann', 'bob'],
      ['Bob', 'cy'],
      ['Cy', 'new'],
    ] as const) {
      trial.person.paste(`'${tabTitle}'!C${rows.get(name)}`, [[`${taken}@firm.io`]]);
    }
    const held = { status: 'partial', rules: ['held I7', 'held I7', 'held I7'], holds: [] };
    expect(told(await trial.run({ isFull: true }))).toEqual(held);
    expect(told(await trial.run({ isFull: true }))).toEqual(held);
    const files = trial.stateFiles();
    for (const isFull of [true, false, false, true]) expect(told(await trial.run({ isFull }))).toEqual(held);
    expect(trial.stateFiles()).toEqual(files);
    expect(trial.writes().crm).toEqual([]);
  });
});

describe('I2: the contact of a new row', () => {
  /** Two new rows are contacts of another list; more than the limit of one new contact. */
  async function withElsewhere(options: TrialOptions = {}) {
    const trial = await withFive({ ...options, sync: { limits: { creates: 1 }, ...options.sync } });
    const { free } = withCustomers(trial, ['x', 'y']);
    trial.person.paste(`'${tabTitle}'!A7`, [
      ['Xi', 'Firm', 'x@firm.io'],
      ['Yo', 'Firm', 'y@firm.io'],
    ]);
    expect(told(await trial.run())).toMatchObject({ status: 'partial', rules: ['quarantined I2', 'quarantined I2'] });
    return { ...trial, free };
  }

  it('I2, G2, G4, W9: a full scan that finds their contacts gone is held by the limit, and so are the runs after it', async () => {
    const trial = await withElsewhere();
    trial.free();
    const first = await trial.run({ isFull: true });
    expect(told(first)).toEqual(heldByLimit);
    expect(told(await trial.run())).toEqual(heldByLimit);
    const files = trial.stateFiles();
    for (const isFull of [false, true, false]) expect(told(await trial.run({ isFull }))).toEqual(heldByLimit);
    expect(trial.stateFiles()).toEqual(files);
    await approve(trial, first);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 2 } });
  });

  it('I2, L10: a contact that is gone, and whose create then fails, is made by the next run', async () => {
    let isDown = false;
    const trial = await withElsewhere({
      sync: { limits: { creates: 2 } },
      around: async (request, next) =>
        isDown && request.url.endsWith('/upsert') ? new Response('gone', { status: 500 }) : next(request),
    });
    trial.free();
    isDown = true;
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'partial', counts: { created: 0 } });
    isDown = false;
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 2 } });
  });
});

describe('V2: the contact of a member id', () => {
  it("V2, G2, G4, W9: a full scan that finds that it is the row's is held by the limit, and so are the runs after it", async () => {
    const trial = createTrial({
      columns: { ...columns, Profile: 'network_id' },
      values: [
        [...header, 'Profile'],
        ['', '', 'ann@firm.io', '4711'],
        ['', '', 'bob@firm.io', '4712'],
      ],
      sync: { match: ['network_id', 'email'], limits: { changes: '20%' } },
    });
    const uuids = ['ann', 'bob', 'cy', 'dan', 'eve'].map(
      (name) => trial.addContact({ first_name: name, email: `${name}@firm.io`, network: name }).uuid,
    );
    await trial.run();
    expect(await trial.run()).toMatchObject({ counts: { conflicts: 2, linked: 5 } });
    for (const [index, id] of ['4711', '4712'].entries()) {
      trial.service.model.contacts.change(uuids[index]!, { fields: { ln_id: id } });
    }
    const first = await trial.run({ isFull: true });
    expect(told(first)).toEqual(heldByLimit);
    expect(told(await trial.run())).toEqual(heldByLimit);
    await approve(trial, first);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 2 } });
  });
});
