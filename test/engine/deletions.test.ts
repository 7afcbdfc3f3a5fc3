// Deletions on one side or on both (D rules), with the slow deletions of the service (T30, T31).
import { describe, expect, it, test } from 'vitest';
import { createSyncTrial, inOrder, tabTitle, type TrialOptions } from '../support/app.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const names = ['Ann', 'Bob', 'Cy', 'Dee', 'Eve', 'Fay'];

async function inSync(
  sync: Readonly<Record<string, unknown>> = {},
  switches: TrialOptions['switches'] = {},
  around?: TrialOptions['around'],
) {
  const trial = createSyncTrial({ values: [header], sync, switches, ...(around && { around }) });
  for (const name of names)
    trial.addContact({ first_name: name, company_name: 'Firm', email: `${name.toLowerCase()}@firm.io` });
  await trial.run();
  const people = () => inOrder(trial.contacts().map(({ first_name }) => first_name));
  const rows = () => inOrder(trial.grid().map((row) => row['First name']));
  return { ...trial, people, rows, deleteRow, deleteContact };

  function deleteRow(email: string): void {
    trial.person.deleteRows(tabTitle, trial.rowNumberOf(email));
  }

  function deleteContact(email: string): void {
    trial.service.model.contacts.remove(trial.contactOf(email).uuid);
  }
}

const withoutAnn = names.slice(1);

test('D3: after a run that deleted a row and appended one, the state knows which record is in which row', async () => {
  const trial = await inSync({ on_contact_deleted: 'delete_row' });
  trial.deleteContact('bob@firm.io');
  trial.addContact({ first_name: 'Gus', email: 'gus@firm.io' });
  const { store } = await trial.start();
  expect(await trial.run({ isFull: true })).toMatchObject({ counts: { removed: 1, appended: 1 } });
  const ids = trial.grid().map((row) => row['Contact ID']);
  expect(new Map(await store.sync('prospects').readRows())).toEqual(new Map(ids.map((id, index) => [index + 2, id])));
  expect(ids).toHaveLength(names.length);
});

test('G2, D1: after a run that was held the state knows which records still have a row', async () => {
  const trial = await inSync({ on_row_deleted: 'delete_contact', limits: { deletes: '20%' } });
  const { store } = await trial.start();
  trial.deleteRow('bob@firm.io');
  trial.deleteRow('cy@firm.io');
  expect(await trial.run()).toMatchObject({ status: 'held' });
  const ids = trial.grid().map((row) => row['Contact ID']);
  expect(new Map(await store.sync('prospects').readRows())).toEqual(new Map(ids.map((id, index) => [index + 2, id])));
  expect(ids).toHaveLength(names.length - 2);
});

describe('D1, D2: a row is deleted', () => {
  it('D1: ignore leaves the contact, and does not append it again, whatever changes, over restarts and full scans', async () => {
    const trial = await inSync();
    trial.deleteRow('ann@firm.io');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { ignored: 1 } });
    trial.change('ann@firm.io', { company_name: 'Other' });
    await trial.start();
    expect(await trial.run({ isFull: true })).toMatchObject({
      status: 'succeeded',
      counts: { ignored: 1, appended: 0 },
    });
    expect([trial.people(), trial.rows()]).toEqual([names, withoutAnn]);
  });

  it('D1: ignore forgets that when a person puts the row back', async () => {
    const trial = await inSync();
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.deleteRow('ann@firm.io');
    await trial.run();
    trial.person.paste(`'${tabTitle}'!A7`, [['Ann', '', 'Firm', 'ann@firm.io', 'ok', uuid]]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 6, ignored: 0 } });
  });

  it('D1: restore appends the row again', async () => {
    const trial = await inSync({ on_row_deleted: 'restore' });
    trial.deleteRow('ann@firm.io');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
    expect(trial.rows()).toEqual(names);
  });

  describe.each(['delete_contact', 'cancel_automations'])('D5: on_row_deleted: %s', (policy) => {
    /** Ann's row is deleted. `then` happens in the run, right after it has read the tab. */
    async function deletedAnd(
      then: (putBack: (id?: string) => void) => void,
      afterwards: 'answers' | 'fails' = 'answers',
    ) {
      let reads = -Infinity;
      const trial = await inSync(
        { on_row_deleted: policy, automation: { column: 'Automation' } },
        {},
        async (request, next) => {
          if (!/DataFilter/.test(request.url)) return next(request);
          reads += 1;
          if (reads > 1 && afterwards === 'fails') return new Response('{}', { status: 500 });
          const answer = await next(request);
          if (reads === 1) {
            then((id = uuid) => {
              const again = row.map((cells) => cells.map((cell) => (cell === uuid ? id : cell)));
              trial.person.paste(`'${tabTitle}'!A${number}`, again);
            });
          }
          return answer;
        },
      );
      const number = trial.grid().length + 2;
      const { uuid } = trial.contactOf('ann@firm.io');
      const row = trial.person.read(
        `'${tabTitle}'!${trial.rowNumberOf('ann@firm.io')}:${trial.rowNumberOf('ann@firm.io')}`,
      );
      trial.deleteRow('ann@firm.io');
      trial.service.received.clear();
      reads = 0;
      const report = await trial.run();
      const calls = trial.crmCalls().map(({ operation }) => String(operation));
      return { ...report, done: calls.filter((each) => /delete|cancel/.test(each)) };
    }

    it('D5, L7: a row that is put back before that is done keeps its contact', async () => {
      const { done, problems } = await deletedAnd((putBack) => putBack());
      expect(done).toEqual([]);
      expect(problems).toMatchObject([{ kind: 'waiting', rule: 'W3', reason: 'its row is back: planned again' }]);
    });

    it('D5, I5, L7: so does a row that is put back without its ID', async () => {
      const { done, problems } = await deletedAnd((putBack) => putBack(''));
      expect(done).toEqual([]);
      const reason = 'a row without an ID came meanwhile, and may be its row: planned again';
      expect(problems).toMatchObject([{ kind: 'waiting', rule: 'W3', reason }]);
    });

    it('D5, L4: nothing is done while the tab cannot be read again', async () => {
      const { done, problems } = await deletedAnd(() => {}, 'fails');
      expect(done).toEqual([]);
      expect(problems).toMatchObject([
        { kind: 'failed', reason: expect.stringContaining('nothing is done about that') },
      ]);
    });

    it('D1: where it stays away, that is done', async () => {
      const { done, status } = await deletedAnd(() => {});
      expect([done.length, status]).toEqual([1, 'succeeded']);
    });
  });

  it('D1: delete_contact deletes the contact, once', async () => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    trial.deleteRow('ann@firm.io');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { deleted: 1 } });
    await trial.run({ isFull: true });
    expect([trial.people(), trial.rows()]).toEqual([withoutAnn, withoutAnn]);
    expect(trial.writes().crm.filter((op) => op === 'contacts.delete')).toHaveLength(1);
  });

  it.each(['no_content', 'ok', 'accepted'] as const)(
    'T30: a deletion that is answered %s and takes a minute is one deletion, and nobody rises again in the sheet',
    async (deleteStatus) => {
      const trial = await inSync({ on_row_deleted: 'delete_contact' }, { deleteStatus, deleteDelayMs: 60_000 });
      trial.deleteRow('ann@firm.io');
      await trial.run();
      for (const isFull of [true, false])
        expect(await trial.run({ isFull })).toMatchObject({ counts: { appended: 0 } });
      await trial.start();
      expect(await trial.run({ isFull: true })).toMatchObject({ counts: { appended: 0, deleted: 0 } });
      await pass(61_000);
      await trial.run({ isFull: true });
      expect([trial.people(), trial.rows()]).toEqual([withoutAnn, withoutAnn]);
      expect(trial.writes().crm.filter((op) => op === 'contacts.delete')).toHaveLength(1);
    },
  );

  it.each([
    ['just made', 0],
    ['older', 120_000],
  ])(
    'L7, T30: a person who is typed again while the deletion of the contact takes its minute is made anew, %s',
    async (_age, waitedMs) => {
      const trial = await inSync(
        { on_row_deleted: 'delete_contact', on_contact_deleted: 'delete_row' },
        { deleteDelayMs: 60_000 },
      );
      await pass(waitedMs);
      trial.deleteRow('ann@firm.io');
      expect(await trial.run()).toMatchObject({ counts: { deleted: 1 } });
      trial.person.paste(`'${tabTitle}'!A9`, [['Ann', '', 'Firm', 'ann@firm.io', '']]);
      await trial.run();
      await pass(61_000);
      for (let run = 0; run < 3; run += 1) await trial.run({ isFull: true });
      expect([trial.people(), trial.rows()]).toEqual([inOrder(names), inOrder(names)]);
    },
  );

  it('D2: delete_contact does not delete a contact that changed meanwhile: its row is restored', async () => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    trial.deleteRow('ann@firm.io');
    trial.change('ann@firm.io', { company_name: 'Other' });
    expect(await trial.run()).toMatchObject({ counts: { deleted: 0, appended: 1 } });
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('Other');
    const line = (await trial.history()).find(({ op, rule }) => op === 'append' && rule === 'D2');
    expect(line).toMatchObject({ reason: expect.stringContaining('modified beat deleted') });
  });

  it.each([
    ['', 0],
    [', though the search does not show it yet', 60_000],
  ])('D2, D5: nor one that changes between the plan and the deletion%s', async (_lag, searchLagMs) => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    trial.service.switches.searchLagMs = searchLagMs;
    trial.deleteRow('ann@firm.io');
    const { uuid } = trial.contactOf('ann@firm.io');
    let edits = 0;
    trial.atEachInstant((what) => {
      const isLook = typeof what !== 'string' && what.method === 'GET' && what.url.endsWith(uuid);
      if (!isLook || edits > 0) return;
      edits += 1;
      trial.change('ann@firm.io', { company_name: 'Other' });
    });
    expect(await trial.run()).toMatchObject({ counts: { deleted: 0 } });
    expect(edits).toBe(1);
    await pass(61_000);
    await trial.run();
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('Other');
  });

  it('D1: cancel_automations cancels the contact from all, once', async () => {
    const trial = await inSync({ on_row_deleted: 'cancel_automations' });
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.deleteRow('ann@firm.io');
    await trial.run();
    await trial.run({ isFull: true });
    const cancels = trial.crmCalls().filter(({ path }) => path.endsWith(`/${uuid}/cancel-all`));
    expect(cancels).toHaveLength(1);
    expect(trial.people()).toEqual(names);
  });
});

describe('D3, D4: a contact is deleted or moved', () => {
  it('D3: only a full scan notices, and mark keeps the row and says so', async () => {
    const trial = await inSync();
    trial.deleteContact('ann@firm.io');
    expect(await trial.run()).toMatchObject({ counts: { ignored: 0 } });
    expect(await trial.run({ isFull: true })).toMatchObject({
      status: 'succeeded',
      problems: [{ kind: 'ignored', rule: 'D3' }],
    });
    expect(trial.rows()).toEqual(names);
  });

  it('D3: delete_row deletes the row, but not one that a person edited', async () => {
    const trial = await inSync({ on_contact_deleted: 'delete_row' });
    trial.type('bob@firm.io', 'Company', 'By hand');
    trial.deleteContact('ann@firm.io');
    trial.deleteContact('bob@firm.io');
    await trial.run({ isFull: true });
    expect(trial.rows()).toEqual(withoutAnn);
    expect(trial.rowOf('bob@firm.io')['Company']).toBe('By hand');
  });

  it('D3, L7: a contact that the search leaves out while it is there is not gone', async () => {
    const trial = await inSync({ on_contact_deleted: 'delete_row' });
    trial.service.switches.searchLagMs = 600_000;
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.service.model.contacts.index.write(uuid, undefined, Date.now(), Date.now());
    await trial.run({ isFull: true });
    expect(trial.rows()).toEqual(names);
  });

  it('T31: deleted in the CRM while edited in the sheet: the row is kept and says so, and no contact is created again', async () => {
    const trial = await inSync({ on_contact_deleted: 'delete_row', sheet: { ...sheet, status_column: 'Sync' } });
    trial.type('ann@firm.io', 'Company', 'By hand');
    trial.deleteContact('ann@firm.io');
    expect(await trial.run()).toMatchObject({ counts: { created: 0, updated: 0 } });
    await trial.run({ isFull: true });
    expect(trial.rowOf('ann@firm.io')).toMatchObject({
      Company: 'By hand',
      Sync: expect.stringMatching(/deleted in the CRM/),
    });
    expect(trial.people()).toEqual(withoutAnn);
  });

  it('D3, L7: a contact whose 404 is an HTML page is not gone, and its row stays', async () => {
    const trial = await inSync({ on_contact_deleted: 'delete_row' });
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.service.model.contacts.index.write(uuid, undefined, Date.now(), Date.now());
    trial.service.faults.inject({ kind: 'html', status: 404, operation: 'contacts.get', times: 1_000 });
    await trial.run({ isFull: true });
    expect(trial.rows()).toEqual(names);
    trial.service.faults.clear();
    trial.deleteContact('bob@firm.io');
    await trial.run({ isFull: true });
    expect(trial.rows()).toEqual(names.filter((name) => name !== 'Bob'));
  });

  it('D1, D5, L12: a deletion answered by an HTML 404 is no deletion: it is made when the service answers', async () => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    trial.deleteRow('ann@firm.io');
    trial.service.faults.inject({ kind: 'html', status: 404, operation: 'contacts.delete', times: 1_000 });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { deleted: 0 } });
    expect(trial.people()).toEqual(names);
    trial.service.faults.clear();
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { deleted: 1 } });
    expect(trial.people()).toEqual(withoutAnn);
  });

  it('D4: a contact that moved to another list keeps its row; edits of the row are not sent; it comes back', async () => {
    const trial = await inSync();
    const other = trial.service.model.lists.add({ name: 'Other' });
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.change('ann@firm.io', { list_uuid: other.uuid });
    expect(await trial.run({ isFull: true })).toMatchObject({ problems: [{ kind: 'ignored', rule: 'D4' }] });
    trial.type('ann@firm.io', 'Company', 'By hand');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0 } });
    expect(await trial.run()).toMatchObject({ counts: { updated: 0 } });
    trial.change('ann@firm.io', { list_uuid: trial.list.uuid });
    expect(await trial.run()).toMatchObject({ counts: { linked: 6, ignored: 0 } });
    expect(trial.rowOf('ann@firm.io')['Contact ID']).toBe(uuid);
  });
});

describe('D5, D6', () => {
  it('D5: nothing is deleted while the contacts were not all read', async () => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' }, { pageRowsMax: 2 });
    trial.deleteRow('ann@firm.io');
    let pages = 0;
    trial.service.faults.inject({
      kind: 'status',
      status: 503,
      times: 50,
      operation: 'contacts.search',
      matches: () => (pages += 1) > 2,
    });
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { deleted: 0 } });
    expect(trial.people()).toEqual(names);
    trial.service.faults.clear();
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { deleted: 1 } });
  });

  it('D6: a record deleted on both sides is forgotten without a write, and is new when it is created again', async () => {
    const trial = await inSync({ on_row_deleted: 'delete_contact' });
    trial.deleteContact('ann@firm.io');
    trial.deleteRow('ann@firm.io');
    const before = trial.writes();
    await trial.run({ isFull: true });
    expect(trial.writes().crm).toEqual(before.crm);
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    expect(await trial.run()).toMatchObject({ counts: { appended: 1, linked: 6 } });
  });

  it.each(['is gone', 'left the list'])(
    'D6, D4: a row whose contact %s is not made again, also by a run that does not read that contact',
    async (what) => {
      const trial = await inSync({ on_row_deleted: 'restore' });
      if (what === 'is gone') trial.deleteContact('ann@firm.io');
      else trial.change('ann@firm.io', { list_uuid: trial.service.model.lists.add({ name: 'Other' }).uuid });
      trial.deleteRow('ann@firm.io');
      for (const isFull of [false, true]) {
        expect(await trial.run({ isFull })).toMatchObject({ status: 'succeeded', counts: { appended: 0, linked: 5 } });
      }
    },
  );

  it('D6, L14: without an answer for the contact its row is not made again, which is named, and is made by the next run', async () => {
    const trial = await inSync({ on_row_deleted: 'restore' });
    // Later than an incremental scan looks back.
    await pass(3_600_000);
    await trial.run();
    trial.deleteRow('ann@firm.io');
    let searches = 0;
    trial.service.faults.inject({
      kind: 'status',
      status: 503,
      times: 50,
      operation: 'contacts.search',
      matches: () => (searches += 1) > 1,
    });
    const { problems } = await trial.run({ isFull: false });
    expect(problems).toMatchObject([
      {
        kind: 'waiting',
        rule: 'D5',
        reason: expect.stringContaining('its row is not made before the service answers'),
      },
    ]);
    trial.service.faults.clear();
    expect(await trial.run({ isFull: false })).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
  });
});

const sheet = { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: tabTitle };

async function pass(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
