// Writes of a run to both sides, and failures of writes (W rules).
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { createSyncTrial, defaultColumns, spreadsheetId, tabTitle } from '../support/app.ts';
import { protect, unprotect } from './sheet-refusals.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const ann = { first_name: 'Ann', last_name: 'Ames', company_name: 'Firm', email: 'ann@firm.io' };
const bob = { first_name: 'Bob', last_name: 'Bell', company_name: 'Firm', email: 'bob@firm.io' };
const cyRow = ['Cy', 'Cole', 'Firm', 'cy@firm.io', ''];

/** Two contacts with rows, equal on both sides. */
async function inSync(options: Parameters<typeof createSyncTrial>[0] = {}) {
  const trial = createSyncTrial({ values: [header], ...options });
  trial.addContact(ann);
  trial.addContact(bob);
  await trial.run();
  trial.service.received.clear();
  return trial;
}

describe('W1: writes to the CRM', () => {
  it('W1: only fields that changed are sent', async () => {
    const trial = await inSync();
    trial.type('ann@firm.io', 'Company', 'Other');
    await trial.run();
    expect(trial.crmCalls('contacts.update').map(({ body }) => body)).toEqual([{ company_name: 'Other' }]);
    expect(trial.contactOf('ann@firm.io')).toMatchObject({ first_name: 'Ann', last_name: 'Ames' });
  });

  it('W1, D5: creates go first, then updates, then deletes', async () => {
    const trial = await inSync({ sync: { on_row_deleted: 'delete_contact' } });
    trial.type('ann@firm.io', 'Company', 'Other');
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('bob@firm.io'));
    trial.person.paste(`'${tabTitle}'!A9`, [cyRow]);
    await trial.run();
    expect(trial.writes().crm).toEqual(['contacts.upsert', 'contacts.update', 'contacts.delete']);
  });
});

it('W3, L12: a row that changes under two runs alike is told by each of them once, and by no later one', async () => {
  const trial = await inSync();
  const { uuid } = trial.contactOf('ann@firm.io');
  trial.change('ann@firm.io', { company_name: 'Other' });
  for (let run = 0; run < 2; run += 1) {
    trial.atEachInstant((what) => {
      if (!(what instanceof Request) || !what.url.includes(':batchUpdate')) return;
      trial.atEachInstant(() => {});
      trial.type('ann@firm.io', 'First name', 'Anna');
    });
    expect(await trial.run()).toMatchObject({ counts: { set: 0, waiting: 1 } });
    trial.type('ann@firm.io', 'First name', 'Ann');
  }
  expect(await trial.run()).toMatchObject({ counts: { set: 1 } });
  const sets = (await trial.history()).filter(({ op, contact }) => op === 'set' && contact === uuid);
  expect(sets.map(({ outcome }) => outcome)).toEqual(['moved', 'moved', 'done']);
});

it('W2, L11: more new rows than are written at once stand in the order of the plan', async () => {
  const trial = createSyncTrial({ values: [header] });
  for (let index = 0; index < 1_001; index += 1) trial.addContact({ email: `p${index}@firm.io` });
  const { changes } = await trial.plan();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 1_001 } });
  expect(trial.grid().map((row) => row['Contact ID'])).toEqual(changes.map(({ uuid }) => uuid));
});

it('W1, W2: the progress of a run counts what is written to each side, up to its total', async () => {
  const trial = await inSync();
  trial.type('ann@firm.io', 'Company', 'Other');
  trial.person.paste(`'${tabTitle}'!A9`, [cyRow]);
  trial.change('bob@firm.io', { company_name: 'Other' });
  trial.addContact({ first_name: 'Di', email: 'di@firm.io' });
  trial.events.length = 0;
  expect(await trial.run()).toMatchObject({ counts: { created: 1, updated: 1, set: 2, appended: 1 } });
  const told = (wanted: string) =>
    trial.events.flatMap((event) =>
      event.type === 'progress' && event.step === wanted ? [`${event.done} of ${event.total}`] : [],
    );
  expect(told('crm')).toEqual(['1 of 2', '2 of 2']);
  // The row that gets its ID, the row that is changed, and the new row.
  expect(told('sheet')).toEqual(['1 of 2', '2 of 2', '1 of 1']);
});

it('W2: the uuid of a new contact is in its row after the same run, and cells of others are as they were', async () => {
  const trial = await inSync({ values: [[...header, 'Notes']] });
  trial.person.paste(`'${tabTitle}'!A9`, [[...cyRow, 'mine']]);
  await trial.run();
  expect(trial.rowOf('cy@firm.io')).toMatchObject({ 'Contact ID': trial.contactOf('cy@firm.io').uuid, Notes: 'mine' });
});

describe('W3: changes between planning and writing', () => {
  it('W3: a cell typed over after the pull is not written over, and the next run settles it', async () => {
    const trial = await inSync({ sync: { conflict: 'sheet' } });
    trial.change('ann@firm.io', { company_name: 'By the CRM' });
    let isTyped = false;
    trial.atEachInstant((what) => {
      if (isTyped || typeof what === 'string' || !what.url.includes(':batchUpdate')) return;
      isTyped = true;
      trial.type('ann@firm.io', 'Company', 'By hand');
    });
    const report = await trial.run();
    expect(isTyped).toBe(true);
    expect(report).toMatchObject({ status: 'succeeded', counts: { waiting: 1, set: 0 } });
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('By hand');
    await trial.run();
    expect(trial.contactOf('ann@firm.io').company_name).toBe('By hand');
  });

  it('W3: a contact edited after the pull is not written over, and the next run settles it', async () => {
    const trial = await inSync({ sync: { conflict: 'crm' } });
    trial.type('ann@firm.io', 'Company', 'By hand');
    let searches = 0;
    trial.atEachInstant((what) => {
      if (typeof what === 'string' || !what.url.endsWith('/leads/search')) return;
      searches += 1;
      if (searches === 2) trial.change('ann@firm.io', { company_name: 'By the CRM' });
    });
    expect(await trial.run()).toMatchObject({ counts: { waiting: 1, updated: 0 } });
    expect(trial.contactOf('ann@firm.io').company_name).toBe('By the CRM');
    await trial.run();
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('By the CRM');
  });

  it('W3, I7: the same holds between the two updates that swap the keys of two rows', async () => {
    const trial = await inSync({ sync: { conflict: 'crm' } });
    for (const email of ['ann@firm.io', 'bob@firm.io']) trial.type(email, 'Company', 'By hand');
    trial.type('ann@firm.io', 'Email', 'swapped@firm.io');
    trial.type('bob@firm.io', 'Email', 'ann@firm.io');
    trial.type('swapped@firm.io', 'Email', 'bob@firm.io');
    let edited: string | undefined;
    trial.atEachInstant((what) => {
      if (edited !== undefined || typeof what === 'string' || what.method !== 'PUT') return;
      edited = what.url.endsWith(trial.contactOf('ann@firm.io').uuid) ? 'ann@firm.io' : 'bob@firm.io';
      trial.change(edited, { company_name: 'By the CRM' });
    });
    expect(await trial.run()).toMatchObject({ counts: { waiting: 2 } });
    // Neither half is written: no contact is without a key until the next run.
    expect(trial.contactOf('ann@firm.io').first_name).toBe('Ann');
    expect(trial.contactOf('bob@firm.io').first_name).toBe('Bob');
    await trial.run();
    expect(trial.contactOf('bob@firm.io').first_name).toBe('Ann');
    expect(trial.contactOf('ann@firm.io').first_name).toBe('Bob');
    const swapped = edited === 'ann@firm.io' ? 'bob@firm.io' : 'ann@firm.io';
    expect(trial.contactOf(swapped).company_name).toBe('By the CRM');
    const { rowOf } = trial;
    expect(rowOf('bob@firm.io')['Company']).toBe(trial.contactOf('bob@firm.io').company_name);
    expect(rowOf('ann@firm.io')['Company']).toBe(trial.contactOf('ann@firm.io').company_name);
  });

  it('W3, D4: a contact that went to another list after the pull is not changed', async () => {
    const trial = await inSync();
    const other = trial.service.model.lists.add({ name: 'Other' });
    trial.type('ann@firm.io', 'Company', 'By hand');
    let searches = 0;
    trial.atEachInstant((what) => {
      if (typeof what === 'string' || !what.url.endsWith('/leads/search')) return;
      searches += 1;
      if (searches === 2) trial.change('ann@firm.io', { list_uuid: other.uuid });
    });
    await trial.run();
    expect(trial.writes().crm).toEqual([]);
  });
});

describe('W4: outcomes that are not known', () => {
  const lost = [
    { kind: 'lost', when: 'after' },
    { kind: 'blank', when: 'after' },
    { kind: 'html', when: 'after' },
    { kind: 'status', status: 500, when: 'after' },
    { kind: 'hang', when: 'after' },
    { kind: 'truncated' },
  ] as const;

  it.each(lost)(
    'W4, L8, T1: a create that was carried out and whose answer is $kind is found, not repeated',
    async (fault) => {
      const trial = await inSync();
      trial.person.paste(`'${tabTitle}'!A9`, [cyRow]);
      trial.service.faults.inject({ ...fault, operation: 'contacts.upsert' });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
      expect(trial.crmCalls('contacts.upsert')).toHaveLength(1);
      expect(trial.rowOf('cy@firm.io')['Contact ID']).toBe(trial.contactOf('cy@firm.io').uuid);
    },
  );

  it('W4: a create that was not carried out and got no answer is named as unknown, and made by the next run', async () => {
    const trial = await inSync();
    trial.person.paste(`'${tabTitle}'!A9`, [cyRow]);
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.upsert' });
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'partial', problems: [{ kind: 'unknown', rule: 'W4' }] });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
    expect(trial.contactOf('cy@firm.io').first_name).toBe('Cy');
  });

  it('W4, L3: an update that never arrives does not become the base, and is made by the next run', async () => {
    const trial = await inSync();
    trial.type('ann@firm.io', 'Company', 'Other');
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.update', times: 20 });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { updated: 0 } });
    trial.service.faults.clear();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Other');
  });

  it('M6, W4: a value whose answers are lost three times does not count as one that the service does not store', async () => {
    const trial = await inSync();
    trial.type('ann@firm.io', 'Company', 'Other');
    for (let run = 0; run < 4; run += 1) {
      trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.update', times: 5 });
      expect(await trial.run()).toMatchObject({ problems: [{ kind: 'failed' }] });
      trial.service.faults.clear();
    }
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
  });

  it.each(['lost', 'empty', 'html'] as const)(
    'W4, L8: rows whose append was answered by %s are there once',
    async (type) => {
      const trial = await inSync();
      trial.addContact({ first_name: 'Cy', email: 'cy@firm.io' });
      trial.sheets.faults.add({ effect: { type }, when: 'after', match: { kind: 'write' } });
      await trial.run();
      await trial.run();
      expect(trial.rowOf('cy@firm.io')['First name']).toBe('Cy');
    },
  );

  it('W3, L10: of more than a hundred updates a hundred are read again, sent and saved before the others are', async () => {
    const count = 130;
    const limits = { changes: '100%' };
    const trial = createSyncTrial({ values: [['First name', 'Company', 'Email']], sync: { limits } });
    for (let number = 0; number < count; number += 1)
      trial.addContact({ first_name: `P${number}`, company_name: 'Firm', email: `p${number}@firm.io` });
    await trial.run();
    const rows = trial.grid().map((row) => [String(row['First name']), 'Other', String(row['Email'])]);
    trial.person.paste(`'${tabTitle}'!A2`, rows);
    trial.service.received.clear();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: count } });
    const calls = trial.crmCalls().map(({ operation }) => operation);
    const lookedAgainAt = calls.indexOf('contacts.search', calls.indexOf('contacts.update'));
    const before = calls.slice(0, lookedAgainAt).filter((operation) => operation === 'contacts.update');
    expect([lookedAgainAt > 0, before.length]).toEqual([true, 100]);
  });

  it('L4: if the reading before the updates fails, they wait for the next run, and rows are still appended', async () => {
    const trial = await inSync();
    trial.type('ann@firm.io', 'Company', 'Other');
    trial.addContact({ first_name: 'Cy', email: 'cy@firm.io' });
    let searches = 0;
    trial.service.faults.inject({
      kind: 'status',
      status: 503,
      times: 20,
      operation: 'contacts.search',
      matches: () => (searches += 1) > 1,
    });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { updated: 0, appended: 1 } });
    trial.service.faults.clear();
    await trial.run();
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Other');
  });
});

describe('W5: records the service refuses', () => {
  it('W5: does not stop the others, is tried again after growing pauses, then quarantined with the service’s words', async () => {
    const trial = await inSync();
    trial.type('ann@firm.io', 'Company', 'Refused');
    trial.type('bob@firm.io', 'Company', 'Taken');
    const isAnn = ({ url }: Request) => url.endsWith(trial.contactOf('ann@firm.io').uuid);
    trial.service.faults.inject({
      kind: 'status',
      status: 422,
      operation: 'contacts.update',
      times: 99,
      matches: isAnn,
    });
    const report = await trial.run();
    expect(report).toMatchObject({
      status: 'partial',
      counts: { updated: 1 },
      problems: [{ kind: 'refused', rule: 'W5' }],
    });
    expect(trial.contactOf('bob@firm.io').company_name).toBe('Taken');
    let tries = trial.crmCalls('contacts.update').length;
    await trial.run();
    expect(trial.crmCalls('contacts.update')).toHaveLength(tries);
    for (const minutes of [1, 5, 30, 120]) {
      await pass(minutes * 60_000 + 1_000);
      await trial.run();
      tries += 1;
      expect(trial.crmCalls('contacts.update')).toHaveLength(tries);
    }
    await pass(86_400_000);
    expect(await trial.run()).toMatchObject({ problems: [{ kind: 'quarantined', rule: 'W5' }] });
    expect(trial.crmCalls('contacts.update')).toHaveLength(tries);
  });

  it('W5: another value is a new try', async () => {
    const trial = await inSync();
    trial.type('ann@firm.io', 'Company', 'Refused');
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.update' });
    await trial.run();
    trial.type('ann@firm.io', 'Company', 'Mended');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
  });
});

describe('W6: limits and tokens', () => {
  it.each(['seconds', 'http_date', 'human_date', 'unix', 'none'] as const)(
    'W6, T3: a 429 that says when by %s is waited for, and nothing is dropped',
    async (headers) => {
      const trial = await inSync();
      trial.type('ann@firm.io', 'Company', 'Other');
      trial.service.faults.inject({ kind: 'rate_limited', headers, waitMs: 5_000, times: 3 });
      trial.sheets.faults.add({ effect: { type: 'status', status: 429 }, times: 3 });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    },
  );

  it('W6: a 401 ends the run, finally, with one message and no further call', async () => {
    const trial = await inSync();
    trial.service.faults.inject({ kind: 'status', status: 401 });
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'failed', isFinal: true });
    expect(report.error).toMatch(/does not accept the token/);
    const calls = trial.crmCalls().length;
    expect(await trial.run()).toMatchObject({ status: 'failed', isFinal: true });
    expect(trial.crmCalls()).toHaveLength(calls);
  });

  it('W6, L3, L12: writes before a 401 in the middle of the push are remembered and told', async () => {
    const trial = await inSync();
    trial.type('ann@firm.io', 'Company', 'Other');
    trial.type('bob@firm.io', 'Company', 'Other');
    const isBob = ({ url }: Request) => url.endsWith(trial.contactOf('bob@firm.io').uuid);
    trial.service.faults.inject({ kind: 'status', status: 401, operation: 'contacts.update', matches: isBob });
    expect(await trial.run()).toMatchObject({ status: 'failed', isFinal: true });
    const done = (await trial.history()).filter(({ op }) => op === 'update');
    expect(done).toMatchObject([
      { contact: trial.contactOf('ann@firm.io').uuid, field: 'company_name', outcome: 'done' },
    ]);
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
  });

  it.each([
    ['whose repeat is answered 401', 1, 'contacts.update'],
    ['for whose reading the token is refused', 99, 'contacts.get'],
  ] as const)(
    'W6, W4, L12: an update without an answer, %s beside one that was done, is told as unknown',
    async (_, times, refused) => {
      const trial = await inSync();
      trial.type('ann@firm.io', 'Company', 'Other');
      trial.type('bob@firm.io', 'Company', 'Other');
      const [done, lost] = ['ann@firm.io', 'bob@firm.io'].map((email) => trial.contactOf(email).uuid);
      const matches = ({ url }: Request) => url.endsWith(lost!);
      trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'contacts.update', times, matches });
      trial.service.faults.inject({ kind: 'status', status: 401, operation: refused, matches });
      expect(await trial.run()).toMatchObject({ status: 'failed', isFinal: true });
      trial.service.faults.clear();
      await trial.start();
      await trial.run({ isFull: true });
      const told = (await trial.history()).filter(({ op }) => op === 'update');
      expect(Object.fromEntries(told.map((line) => [line.contact, line.outcome]))).toEqual({
        [done!]: 'done',
        [lost!]: 'unknown',
      });
      expect(told).toHaveLength(2);
      expect(trial.contacts().map((each) => each.company_name)).toEqual(['Other', 'Other']);
      expect(await trial.run()).toMatchObject({ counts: { updated: 0 } });
    },
  );

  it('W6, W4, L1: what a person takes back after an update without an answer, for whose reading the token was refused, is an edit', async () => {
    const trial = await inSync();
    trial.type('ann@firm.io', 'Company', 'Other');
    trial.type('bob@firm.io', 'Company', 'Other');
    const { uuid } = trial.contactOf('bob@firm.io');
    const matches = ({ url }: Request) => url.endsWith(uuid);
    trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'contacts.update', times: 99, matches });
    trial.service.faults.inject({ kind: 'status', status: 401, operation: 'contacts.get', matches });
    await trial.run();
    trial.service.faults.clear();
    trial.type('bob@firm.io', 'Company', 'Firm');
    await trial.start();
    expect(await trial.run({ isFull: true })).toMatchObject({ problems: [{ uuid, kind: 'conflict' }] });
    expect(trial.rowOf('bob@firm.io')['Company']).toBe('Firm');
  });

  it('W6, W4, L12: a create without an answer, for whose lookup the token is refused beside one that was done, is told as unknown', async () => {
    const trial = await inSync();
    trial.person.paste(`'${tabTitle}'!A9`, [cyRow, ['Di', 'Dale', 'Firm', 'di@firm.io', '']]);
    trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'contacts.upsert', times: 99 });
    let lookups = 0;
    // Two before the creates, and one for each of them.
    const matches = () => (lookups += 1) === 4;
    trial.service.faults.inject({ kind: 'status', status: 401, operation: 'contacts.lookup-one', matches });
    expect(await trial.run()).toMatchObject({ status: 'failed', isFinal: true });
    trial.service.faults.clear();
    await trial.start();
    await trial.run({ isFull: true });
    const told = (await trial.history()).filter(({ op, field }) => op === 'create' && field === 'email');
    expect(told.map(({ after, outcome }) => [after, outcome])).toEqual([
      ['cy@firm.io', 'done'],
      ['di@firm.io', 'unknown'],
    ]);
    expect(trial.contacts()).toHaveLength(4);
  });

  it.each([402, 403])('W6: a %i stops the record it concerns and no other', async (status) => {
    const trial = await inSync();
    trial.type('ann@firm.io', 'Company', 'Other');
    trial.type('bob@firm.io', 'Company', 'Other');
    trial.service.faults.inject({ kind: 'status', status, operation: 'contacts.update' });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { updated: 1 } });
  });
});

describe('W8: a stop', () => {
  it('W8: calls in flight are finished, none is begun, and the uuid of a confirmed create is in its row', async () => {
    const trial = await inSync();
    trial.person.paste(`'${tabTitle}'!A9`, [cyRow]);
    trial.type('ann@firm.io', 'Company', 'Other');
    const stop = new AbortController();
    trial.atEachInstant((what) => {
      if (typeof what !== 'string' && what.url.endsWith('/upsert')) stop.abort(new Error('SIGTERM'));
    });
    const report = await trial.run({ signal: stop.signal });
    expect(report).toMatchObject({ counts: { created: 1, updated: 0, set: 1 } });
    expect(trial.rowOf('cy@firm.io')['Contact ID']).toBe(trial.contactOf('cy@firm.io').uuid);
    expect(trial.writes().crm).toEqual(['contacts.upsert']);
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 0, updated: 1 } });
  });

  it('W8: while it reads, a run ends at once and says so', async () => {
    const trial = await inSync();
    const stop = new AbortController();
    trial.atEachInstant((what) => {
      if (typeof what !== 'string') stop.abort(new Error('SIGTERM'));
    });
    expect(await trial.run({ signal: stop.signal })).toMatchObject({ status: 'failed', error: 'stopped' });
  });

  it('W8: without time to write it, the uuid is written by the next run', async () => {
    const trial = await inSync();
    trial.person.paste(`'${tabTitle}'!A9`, [cyRow]);
    let isCreated = false;
    trial.atEachInstant((what) => {
      if (typeof what === 'string') return;
      if (what.url.endsWith('/upsert')) isCreated = true;
      else if (isCreated) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 0 } });
    expect(trial.rowOf('cy@firm.io')['Contact ID']).toBe(trial.contactOf('cy@firm.io').uuid);
  });
});

describe('W10: an edit that is not ready is not sent', () => {
  it('W10: a scheduled run sends a cell once it has stood still, and writes nothing over it meanwhile', async () => {
    const trial = await inSync({ sync: { settle_secs: 30 } });
    trial.type('ann@firm.io', 'Company', 'Half');
    trial.change('ann@firm.io', { company_name: 'By the CRM' });
    expect(await trial.run({ isAsked: false })).toMatchObject({ status: 'succeeded', counts: { waiting: 1 } });
    await pass(20_000);
    trial.type('ann@firm.io', 'Company', 'Half a sentence');
    await trial.run({ isAsked: false });
    await pass(20_000);
    expect(await trial.run({ isAsked: false })).toMatchObject({ counts: { waiting: 1, updated: 0, set: 0 } });
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('Half a sentence');
    await pass(20_000);
    expect(await trial.run({ isAsked: false })).toMatchObject({ counts: { conflicts: 1 } });
  });

  it('W10: a run that a person asked for does not wait', async () => {
    const trial = await inSync({ sync: { settle_secs: 30 } });
    trial.type('ann@firm.io', 'Company', 'Other');
    expect(await trial.run()).toMatchObject({ counts: { updated: 1 } });
  });

  it('W10, I2: a new row is created once it has stood still, over restarts too', async () => {
    const trial = await inSync({ sync: { settle_secs: 30 } });
    trial.person.paste(`'${tabTitle}'!A9`, [cyRow]);
    expect(await trial.run({ isAsked: false })).toMatchObject({ counts: { waiting: 1, created: 0 } });
    await pass(31_000);
    await trial.start();
    expect(await trial.run({ isAsked: false })).toMatchObject({ counts: { created: 1 } });
  });
});

describe('W11: columns', () => {
  it('W11: a moved column stays the same column', async () => {
    const trial = await inSync();
    trial.person.moveColumns(tabTitle, 'C', 1, 'A');
    trial.type('ann@firm.io', 'Company', 'Other');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Other');
  });

  it('W11: a renamed header is followed, with a warning that names both', async () => {
    const trial = await inSync();
    trial.person.paste(`'${tabTitle}'!C1`, [['Employer']]);
    trial.type('ann@firm.io', 'Employer', 'Other');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect(trial.events).toContainEqual(
      expect.objectContaining({ type: 'notice', message: expect.stringMatching(/"Company" is "Employer" now/) }),
    );
  });

  it('W11, L7: a deleted column holds its field and empties no contact', async () => {
    const trial = await inSync();
    trial.person.deleteColumns(tabTitle, 'C');
    trial.type('ann@firm.io', 'First name', 'Anna');
    const report = await trial.run();
    expect(trial.contactOf('ann@firm.io')).toMatchObject({ first_name: 'Anna', company_name: 'Firm' });
    expect(trial.person.read(`'${tabTitle}'!1:1`)[0]).not.toContain('Company');
    // L12, W12: a run that left a change out is not `succeeded`.
    expect(report.status).toBe('partial');
    expect(report.problems).toEqual([expect.objectContaining({ kind: 'held', rule: 'W11', field: 'Company' })]);
  });

  it('W11, L7, W9: a deleted column stays away in every run, also of another process, which are all told the same', async () => {
    const trial = await inSync();
    trial.person.deleteColumns(tabTitle, 'C');
    const { problems } = await trial.run();
    const state = trial.stateFiles();
    const { sheet } = trial.writes();
    await trial.run({ isFull: true });
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'partial', problems });
    expect(trial.stateFiles()).toEqual(state);
    expect(trial.writes()).toEqual({ sheet, crm: [] });
    expect(companies(trial)).toEqual(['Firm', 'Firm']);
  });

  it('W11, L7: a state of an earlier version, whose last run missed the column, does not have it made again', async () => {
    const trial = await inSync();
    trial.person.deleteColumns(tabTitle, 'C');
    await trial.run();
    await forgetColumns(trial);
    expect(await trial.run()).toMatchObject({ status: 'partial', problems: [{ rule: 'W11', field: 'Company' }] });
    expect(companies(trial)).toEqual(['Firm', 'Firm']);
  });

  it.each([
    ['both', 'read'],
    ['to_sheet', 'read'],
    ['both', 'not read'],
    ['to_sheet', 'not read'],
  ])(
    'W11, V3, L14: blank cells under a header that is typed again are filled, and other ones are edits (%s), also by a run in which Ann was %s',
    async (direction, is) => {
      const columns = { ...defaultColumns, Company: { field: 'company_name', direction } };
      const trial = await inSync({ columns });
      // Later than an incremental scan looks back.
      if (is === 'not read') await pass(3_600_000);
      await trial.run();
      trial.person.deleteColumns(tabTitle, 'C');
      await trial.run();
      trial.person.paste(`'${tabTitle}'!G1`, [['Company']]);
      trial.change('bob@firm.io', { company_name: 'Other' });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 2, updated: 0 } });
      expect([trial.rowOf('ann@firm.io')['Company'], trial.rowOf('bob@firm.io')['Company']]).toEqual(['Firm', 'Other']);
      expect(companies(trial)).toEqual(['Firm', 'Other']);
    },
  );

  it('W11, M3: a cell that is emptied after its column came back empties the contact', async () => {
    const trial = await inSync();
    trial.person.deleteColumns(tabTitle, 'C');
    await trial.run();
    trial.person.paste(`'${tabTitle}'!G1`, [['Company']]);
    await trial.run();
    trial.type('ann@firm.io', 'Company', '');
    await trial.run();
    expect(companies(trial)).toEqual([null, 'Firm']);
  });

  it('W11, L1: a value that is typed under the header before the next run is an edit', async () => {
    const trial = await inSync();
    trial.person.deleteColumns(tabTitle, 'C');
    await trial.run();
    trial.person.paste(`'${tabTitle}'!G1`, [['Company']]);
    trial.type('ann@firm.io', 'Company', 'Other');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1, set: 1 } });
    expect(companies(trial)).toEqual(['Other', 'Firm']);
  });

  it.each(['emptied', 'of the contact before'])(
    'W11, L1: where its cells hold values, the base counts as before, also of a row whose ID cannot be written (it is %s)',
    async (is) => {
      const trial = await inSync({ sync: { conflict: 'sheet' } });
      const idColumn = trial.columnIndexOf('Contact ID');
      if (is === 'emptied') trial.person.clear(`'${tabTitle}'!F${trial.rowNumberOf('ann@firm.io')}`);
      else {
        trial.service.model.contacts.remove(trial.contactOf('ann@firm.io').uuid);
        trial.addContact(ann);
      }
      protect(trial, { startColumnIndex: idColumn, endColumnIndex: idColumn + 1 });
      await trial.run({ isFull: true });
      const cells = trial.person.read(`'${tabTitle}'!C1:C3`);
      trial.person.deleteColumns(tabTitle, 'C');
      await trial.run();
      trial.person.paste(`'${tabTitle}'!G1`, cells);
      trial.change('ann@firm.io', { company_name: 'Other' });
      await trial.run({ isFull: true });
      expect(trial.contactOf('ann@firm.io').company_name).toBe('Other');
      unprotect(trial);
      await pass(3_600_000);
      await trial.run({ isFull: true });
      expect(trial.rowOf('ann@firm.io')['Company']).toBe('Other');
    },
  );

  it.each(['row', 'copy'])(
    'W11, I4, L7: the row of a contact was copied, and a value stands in the %s alone when the column comes back: nobody is emptied',
    async (filled) => {
      const trial = await inSync();
      const row = trial.rowNumberOf('ann@firm.io');
      trial.person.copyPaste(`'${tabTitle}'!${row}:${row}`, `'${tabTitle}'!6:6`);
      trial.person.deleteColumns(tabTitle, 'C');
      await trial.run();
      trial.person.paste(`'${tabTitle}'!G1`, [['Company']]);
      trial.person.paste(`'${tabTitle}'!G${filled === 'copy' ? 6 : row}`, [['Firm']]);
      for (const isFull of [false, true]) await trial.run({ isFull });
      expect(companies(trial)).toEqual(['Firm', 'Firm']);
    },
  );

  it('W11, L7: a cell that cannot be filled when its column comes back is not taken for an edit by a later run', async () => {
    const trial = await inSync();
    trial.person.deleteColumns(tabTitle, 'C');
    await trial.run();
    trial.person.paste(`'${tabTitle}'!G1`, [['Company']]);
    protect(trial, { startColumnIndex: 6, endColumnIndex: 7 });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { updated: 0 } });
    await trial.start();
    await trial.run({ isFull: true });
    expect(companies(trial)).toEqual(['Firm', 'Firm']);
    unprotect(trial);
    await pass(120_000);
    await trial.run();
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('Firm');
  });

  it('W11, M4: a column that is only sent was deleted and typed again: what was sent stays', async () => {
    const columns = { ...defaultColumns, Company: { field: 'company_name', direction: 'to_crm' } };
    const trial = createSyncTrial({ values: [header, cyRow], columns });
    await trial.run();
    trial.person.deleteColumns(tabTitle, 'C');
    await trial.run();
    await trial.run();
    trial.person.paste(`'${tabTitle}'!H1`, [['Company']]);
    await trial.run();
    await trial.run();
    expect(companies(trial)).toEqual(['Firm']);
  });

  it('W11, M9: a lost column that left the mapping for a run is made again, and filled', async () => {
    const trial = await inSync();
    trial.person.deleteColumns(tabTitle, 'C');
    await trial.run();
    const { Company: _company, ...others } = defaultColumns;
    for (const columns of [others, defaultColumns]) {
      setColumns(trial, columns);
      await trial.start();
      await trial.run();
    }
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('Firm');
    expect(companies(trial)).toEqual(['Firm', 'Firm']);
  });

  it('W11, E5: a deleted column of wishes is not made again, and nobody is cancelled', async () => {
    const automation = { column: 'Flow', on_clear: 'cancel' };
    const values = [
      [...header, 'Flow'],
      [...cyRow, 'Welcome'],
    ];
    const trial = createSyncTrial({ values, sync: { automation } });
    trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
    await trial.run();
    await trial.run();
    trial.service.received.clear();
    trial.person.deleteColumns(tabTitle, 'F');
    for (const isFull of [false, true]) {
      expect(await trial.run({ isFull })).toMatchObject({ problems: [{ kind: 'held', rule: 'W11', field: 'Flow' }] });
    }
    expect(trial.writes().crm).toEqual([]);
  });

  it('W11, L12: a deleted status column is named by every run, and is written again once its header is typed', async () => {
    const trial = await inSync({
      sync: { sheet: { spreadsheet: spreadsheetId, tab: tabTitle, status_column: 'Sync' } },
    });
    const letter = String.fromCodePoint(65 + trial.columnIndexOf('Sync'));
    trial.person.deleteColumns(tabTitle, letter);
    await trial.run();
    expect(await trial.run()).toMatchObject({ problems: [{ kind: 'held', rule: 'W11', field: 'Sync' }] });
    trial.person.paste(`'${tabTitle}'!H1`, [['Sync']]);
    await trial.run();
    expect(trial.rowOf('ann@firm.io')['Sync']).toBe('in sync');
  });

  it('W11, L4: while a column is lost, a new contact gets its row without it, and that cell with the column', async () => {
    const trial = await inSync();
    trial.person.deleteColumns(tabTitle, 'C');
    trial.addContact({ first_name: 'Cy', company_name: 'Firm', email: 'cy@firm.io' });
    expect(await trial.run()).toMatchObject({ counts: { appended: 1 }, problems: [{ rule: 'W11' }] });
    expect(await trial.run()).toMatchObject({ counts: { appended: 0, set: 0 }, problems: [{ rule: 'W11' }] });
    trial.person.paste(`'${tabTitle}'!G1`, [['Company']]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.rowOf('cy@firm.io')).toMatchObject({ 'First name': 'Cy', Company: 'Firm' });
    expect(companies(trial)).toEqual(['Firm', 'Firm', 'Firm']);
  });

  it('W11, G1: a doubled header holds the run and writes nothing', async () => {
    const trial = await inSync();
    trial.person.paste(`'${tabTitle}'!H1`, [['Company']]);
    trial.person.request({
      deleteDeveloperMetadata: { dataFilter: { developerMetadataLookup: { locationType: 'COLUMN' } } },
    });
    trial.type('ann@firm.io', 'First name', 'Anna');
    await trial.start();
    const before = trial.writes();
    expect((await trial.run()).status).toMatch(/held|failed/);
    expect(trial.writes()).toEqual(before);
  });

  it('W11: a renamed tab is the same tab', async () => {
    const trial = await inSync();
    trial.person.renameTab(tabTitle, 'People');
    trial.change('ann@firm.io', { company_name: 'Other' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 1 } });
  });
});

function companies(trial: Pick<ReturnType<typeof createSyncTrial>, 'contacts'>): readonly unknown[] {
  return trial.contacts().map(({ company_name }) => company_name);
}

/** As an earlier version left the state. */
async function forgetColumns({ start }: Pick<ReturnType<typeof createSyncTrial>, 'start'>): Promise<void> {
  const { store } = await start();
  await using lease = await store.sync('prospects').acquireLease();
  await lease.load();
  await lease.commit({ facts: { delete: ['columns'] } });
}

function setColumns({ configFile }: { readonly configFile: string }, columns: Readonly<Record<string, unknown>>): void {
  const file = parse(readFileSync(configFile, 'utf8')) as { syncs: { prospects: { columns: unknown } } };
  file.syncs.prospects.columns = columns;
  writeFileSync(configFile, stringify(file));
}

async function pass(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

it.each([
  ['the filter', 'filtered out of list Prospects'],
  ['the list', 'in list Other'],
])(
  'D4, W3: an edit in the row of a contact that left %s says so until the full scan, and not that it is planned again',
  async (what, where) => {
    const filter = { status: ['ok'] };
    const sheet = { spreadsheet: spreadsheetId, tab: tabTitle, status_column: 'Sync' };
    const trial = createSyncTrial({ sync: { contacts: { list: 'Prospects', filter }, sheet } });
    const { uuid } = trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    trial.addContact({ first_name: 'Bob', email: 'bob@firm.io' });
    await trial.run();
    const other = trial.service.model.lists.add({ name: 'Other' });
    const fields = what === 'the list' ? { list_uuid: other.uuid } : { status: 'duplicate' };
    trial.service.model.contacts.change(uuid, { fields });
    trial.type('ann@firm.io', 'Company', 'Firm');
    for (let run = 0; run < 2; run += 1) {
      await trial.run();
      expect(trial.rowOf('ann@firm.io')['Sync']).toBe(
        'waiting: no longer in list Prospects, or its filter leaves the contact out: nothing is sent, and the next full scan says which',
      );
    }
    await trial.run({ isFull: true });
    expect(trial.rowOf('ann@firm.io')['Sync']).toBe(`ignored: no longer in list Prospects: ${where}`);
    expect(trial.contactOf('ann@firm.io').company_name).toBeNull();
  },
);
