import { describe, expect, test } from 'vitest';
import { fieldOf, makeList, rowsOf, trial, uuidOf } from './support.ts';

const flows = '/flows/api/flows';
const nobody = '00000000-0000-4000-8000-000000000000';

/** A trial with one automation of each status and one contact. */
async function withAutomations() {
  const it = await trial();
  const { automations, contacts } = it.standin.model;
  const make = (status: string) => automations.add({ name: `The ${status} one`, status }).uuid;
  const list = await makeList(it);
  const contact = contacts.add({ fields: { work_email: 'a@b.test', list_uuid: list } }).record.uuid;
  return {
    ...it,
    automations,
    contacts,
    list,
    contact,
    on: make('on'),
    off: make('off'),
    draft: make('draft'),
    archived: make('archived'),
  };
}

describe('start and stop', () => {
  test.each([
    { from: 'draft', verb: 'start', status: 200, to: 'on' },
    { from: 'off', verb: 'start', status: 200, to: 'on' },
    { from: 'on', verb: 'start', status: 200, to: 'on' },
    { from: 'archived', verb: 'start', status: 422, to: 'archived' },
    { from: 'on', verb: 'stop', status: 200, to: 'off' },
    { from: 'off', verb: 'stop', status: 200, to: 'off' },
    { from: 'draft', verb: 'stop', status: 200, to: 'draft' },
    { from: 'archived', verb: 'stop', status: 422, to: 'archived' },
  ] as const)('$verb takes $from to $to with $status', async ({ from, verb, status, to }) => {
    const it = await withAutomations();
    const answer = await it.call('PUT', `${flows}/${it[from]}/${verb}`);
    expect(answer.status).toBe(status);
    expect(it.automations.table.get(it[from]).status).toBe(to);
  });

  test('the refusal of an archived one has its message at the top', async () => {
    const it = await withAutomations();
    const { json } = await it.call('PUT', `${flows}/${it.archived}/start`);
    expect(json).toMatchObject({ message: 'You cannot turn on an archived automation.' });
  });

  test('an unknown automation is 404', async () => {
    const it = await withAutomations();
    expect((await it.call('PUT', `${flows}/${nobody}/start`)).status).toBe(404);
  });
});

describe('adding a contact', () => {
  test('enrols it once, after any number of calls', async () => {
    const it = await withAutomations();
    for (let time = 0; time < 3; time += 1) {
      expect((await it.call('POST', `${flows}/${it.on}/leads/${it.contact}`, undefined, {})).status).toBe(204);
    }
    expect([...it.automations.enrolments()]).toMatchObject([
      { flow_uuid: it.on, lead_uuid: it.contact, state: 'active' },
    ]);
  });

  test('is accepted off and in draft, refused when archived, 404 for an unknown one', async () => {
    const it = await withAutomations();
    const add = async (flow: string, contact = it.contact) =>
      (await it.call('POST', `${flows}/${flow}/leads/${contact}`)).status;
    expect(await add(it.off)).toBe(204);
    expect(await add(it.draft)).toBe(204);
    expect(await add(it.archived)).toBe(422);
    expect(await add(nobody)).toBe(404);
    expect(await add(it.on, nobody)).toBe(404);
  });

  test('accepts the contact source of a later version, if the automation has it', async () => {
    const it = await withAutomations();
    it.automations.segmentsByAutomation.set(it.on, [2]);
    const add = async (contact_source_id: number) =>
      (await it.call('POST', `${flows}/${it.on}/leads/${it.contact}`, { contact_source_id })).status;
    expect(await add(9)).toBe(422);
    expect(await add(2)).toBe(204);
    expect(it.automations.enrolment(it.on, it.contact)).toMatchObject({ flow_segment_id: 2 });
  });
});

describe('adding a new contact', () => {
  const path = (flow: string) => `${flows}/${flow}/add-new-lead`;

  test('creates it in the list and enrols it, without an answer', async () => {
    const it = await withAutomations();
    const answer = await it.call('POST', path(it.on), { lead: { email: 'new@b.test' }, list_uuid: it.list });
    expect([answer.status, answer.text]).toEqual([204, '']);
    const created = await it.call('POST', '/leads/api/leads/lookup-one', { email: 'new@b.test' });
    expect(it.automations.enrolment(it.on, uuidOf(created))).toMatchObject({ state: 'active', flow_segment_id: 1 });
  });

  test('updates and enrols an existing one, leaves it unchanged, or skips it', async () => {
    const it = await withAutomations();
    const lead = { email: 'a@b.test', position: 'Analyst' };
    const add = (more: object) => it.call('POST', path(it.on), { lead, list_uuid: it.list, ...more });

    const skipped = await add({ skip_if_lead_exists: true });
    expect([skipped.status, skipped.json]).toEqual([200, { reason: 'skipped' }]);
    expect([...it.automations.enrolments()]).toEqual([]);

    expect((await add({ update_lead_if_exists: false })).status).toBe(204);
    expect(it.contacts.get(it.contact).record.position).toBeNull();
    expect(it.automations.enrolment(it.on, it.contact)).toBeDefined();

    expect((await add({})).status).toBe(204);
    expect(it.contacts.get(it.contact).record.position).toBe('Analyst');
  });

  test.each([
    { description: 'an archived automation', flow: 'archived', more: {}, status: 422 },
    { description: 'an unknown segment', flow: 'on', more: { flow_segment_id: 7 }, status: 422 },
    { description: 'an unknown list', flow: 'on', more: { list_uuid: nobody }, status: 422 },
    { description: 'a bad custom field', flow: 'on', more: { custom_fields: { '': 'x' } }, status: 422 },
  ] as const)('$description is refused, and no contact is created', async ({ flow, more, status }) => {
    const it = await withAutomations();
    const body = { lead: { email: 'new@b.test' }, list_uuid: it.list, ...more };
    expect((await it.call('POST', path(it[flow]), body)).status).toBe(status);
    expect(it.contacts.size).toBe(1);
  });
});

describe('cancelling', () => {
  test('dispatches one job for each listed automation, which takes effect later', async () => {
    const it = await withAutomations();
    await it.call('POST', `${flows}/${it.on}/leads/${it.contact}`);
    const flow_uuids = [it.on, it.off, it.on];
    expect((await it.call('PUT', `${flows}/leads/${it.contact}/cancel`, { flow_uuids })).status).toBe(204);
    expect(it.standin.model.jobs.pending).toHaveLength(2);

    it.advance(4999);
    it.standin.model.settle();
    expect(it.automations.enrolment(it.on, it.contact)).toMatchObject({ state: 'active' });
    it.advance(1);
    it.standin.model.settle();
    expect(it.automations.enrolment(it.on, it.contact)).toMatchObject({
      state: 'cancelled',
      cancel_reason: 'Automation cancelled manually',
      updated_at: '2026-11-21T12:00:05.000000Z',
    });
    expect(it.standin.model.jobs.finished).toHaveLength(2);
  });

  test('all covers the active automations of the contact alone', async () => {
    const it = await withAutomations();
    const other = it.contacts.add({}).record.uuid;
    for (const flow of [it.on, it.off]) await it.call('POST', `${flows}/${flow}/leads/${it.contact}`);
    await it.call('POST', `${flows}/${it.on}/leads/${other}`);
    expect((await it.call('PUT', `${flows}/leads/${it.contact}/cancel-all`)).status).toBe(204);
    it.advance(5000);
    it.standin.model.settle();
    expect(it.automations.activeFlows(it.contact)).toEqual([]);
    expect(it.automations.activeFlows(other)).toEqual([it.on]);
  });

  test('a cancelled contact can be added again, on the same enrolment', async () => {
    const it = await withAutomations();
    await it.call('POST', `${flows}/${it.on}/leads/${it.contact}`);
    await it.call('PUT', `${flows}/leads/${it.contact}/cancel-all`);
    it.advance(5000);
    await it.call('POST', `${flows}/${it.on}/leads/${it.contact}`);
    expect([...it.automations.enrolments()]).toMatchObject([{ state: 'active', cancel_reason: null }]);
  });

  test('is refused for an empty list, an unknown automation, an unknown contact', async () => {
    const it = await withAutomations();
    const cancel = (contact: string, flow_uuids: string[]) =>
      it.call('PUT', `${flows}/leads/${contact}/cancel`, { flow_uuids });
    expect((await cancel(it.contact, [])).status).toBe(422);
    const unknown = await cancel(it.contact, [it.on, nobody]);
    expect(Object.keys(fieldOf(unknown, 'error', 'data'))).toEqual(['flow_uuids.1']);
    expect((await cancel(nobody, [it.on])).status).toBe(404);
    expect((await it.call('PUT', `${flows}/leads/${nobody}/cancel-all`)).status).toBe(404);
    expect(it.standin.model.jobs.pending).toEqual([]);
  });
});

describe('listing', () => {
  test.each([
    'status=on',
    'filter[status]=on',
    'filter={"status":"on"}',
    'q=the+on',
    'filter[q]=THE ON',
    'is_public=true',
    'limit=1&offset=0&order_field=status&order_type=desc',
  ])('?%s finds the one that is on', async (query) => {
    const it = await withAutomations();
    it.automations.table.change(it.on, { is_public: true }, 0);
    const answer = await it.call('GET', `${flows}?${query}`);
    expect(rowsOf(answer)).toMatchObject([{ uuid: it.on, schedule: { timeblocks: expect.any(Array) } }]);
  });

  test('is of 20, oldest first, with has_more', async () => {
    const it = await withAutomations();
    const { json } = await it.call('GET', flows);
    expect(json).toMatchObject({ limit: 20, offset: 0, total: 4, has_more: false });
    expect((await it.call('GET', `${flows}?limit=3`)).json).toMatchObject({ limit: 3, has_more: true });
  });

  test('refuses an unknown filter and an unknown order', async () => {
    const it = await withAutomations();
    expect((await it.call('GET', `${flows}?colour=red`)).status).toBe(422);
    expect((await it.call('GET', `${flows}?filter[colour]=red`)).status).toBe(422);
    expect((await it.call('GET', `${flows}?order_field=colour`)).status).toBe(422);
    expect((await it.call('GET', `${flows}?limit=none`)).status).toBe(422);
  });
});
