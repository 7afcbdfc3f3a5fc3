import { describe, expect, test } from 'vitest';
import type { Lead } from '../../../src/crm/outreach/operations/records.ts';
import { fieldOf, makeList, trial, uuidOf } from './support.ts';
import type { Trial } from './support.ts';

const leads = '/leads/api/leads';

async function upsert(it: Trial, list_uuid: string, lead: Lead, more: object = {}) {
  return it.call('POST', `${leads}/upsert`, { lead, list_uuid, ...more });
}

describe('upsert', () => {
  test('creates a contact, and with the same identifier updates it', async () => {
    const it = await trial();
    const list_uuid = await makeList(it);
    const created = await upsert(it, list_uuid, { email: 'ada@engine.test', first_name: 'Ada', last_name: 'Lovelace' });
    expect(created.status).toBe(200);
    expect(created.json).toMatchObject({ name: 'Ada Lovelace', work_email: 'ada@engine.test', list_uuid });

    it.advance(60_000);
    const updated = await upsert(it, list_uuid, { email: 'ADA@engine.test', position: 'Analyst' });
    expect(updated.json).toMatchObject({
      uuid: uuidOf(created),
      position: 'Analyst',
      first_name: 'Ada',
      created_at: '2026-11-21T12:00:00.000000Z',
      updated_at: '2026-11-21T12:01:00.000000Z',
    });
  });

  /** Two contacts match; the stronger identifier decides. */
  test.each<{ stronger: Lead; weaker: Lead; sent: Lead; description: string }>([
    {
      description: 'member id before ln_id',
      stronger: { ln_id: '42' },
      weaker: { ln_id: 'X9' },
      sent: { network_id: '42', ln_id: 'X9' },
    },
    {
      description: 'ln_id before sn_id',
      stronger: { ln_id: 'L1' },
      weaker: { sn_id: 'S1' },
      sent: { ln_id: 'L1', sn_id: 'S1' },
    },
    {
      description: 'sn_id before handle',
      stronger: { sn_id: 'S1' },
      weaker: { network: 'ada' },
      sent: { sn_id: 'S1', network: 'ada' },
    },
    {
      description: 'handle before e-mail',
      stronger: { network: 'ada' },
      weaker: { email: 'a@b.test' },
      sent: { network: 'ada', email: 'a@b.test' },
    },
    {
      description: 'e-mail before name and company',
      stronger: { email: 'a@b.test' },
      weaker: { first_name: 'Ada', last_name: 'L', company_name: 'Engine' },
      sent: { email: 'a@b.test', first_name: 'Ada', last_name: 'L', company_name: 'Engine' },
    },
  ])('matches $description', async ({ stronger, weaker, sent }) => {
    const it = await trial();
    const list = await makeList(it);
    await upsert(it, list, weaker);
    const wanted = await upsert(it, list, stronger);
    expect(uuidOf(await upsert(it, list, sent))).toBe(uuidOf(wanted));
    expect(it.standin.model.contacts.size).toBe(2);
  });

  test('matches a work e-mail before a personal one', async () => {
    const it = await trial();
    const { contacts } = it.standin.model;
    contacts.add({ fields: { personal_email: 'a@b.test' } });
    const wanted = contacts.add({ fields: { work_email: 'a@b.test' } });
    const found = await it.call('POST', `${leads}/lookup-one`, { email: 'A@B.test' });
    expect(uuidOf(found)).toBe(wanted.record.uuid);
  });

  test.each(['https://www.network.test/in/Ada-L/?trk=x', 'network.test/in/ada-l', '@ada-l', 'ADA-L '])(
    'accepts %s for the handle ada-l',
    async (network_id) => {
      const it = await trial();
      const list = await makeList(it);
      const known = await upsert(it, list, { network: 'ada-l' });
      expect(uuidOf(await upsert(it, list, { network_id }))).toBe(uuidOf(known));
    },
  );

  test('gives a new contact the handle or the member id of network_id', async () => {
    const it = await trial();
    const list = await makeList(it);
    expect((await upsert(it, list, { network_id: 'https://network.test/in/ada/' })).json).toMatchObject({
      network: 'ada',
      ln_id: null,
    });
    expect((await upsert(it, list, { network_id: '4711' })).json).toMatchObject({ network: null, ln_id: '4711' });
  });

  test('gives an existing contact the handle it lacks, and keeps an existing handle', async () => {
    const it = await trial();
    const list = await makeList(it);
    const email = 'a@b.test';
    await upsert(it, list, { email });
    expect((await upsert(it, list, { email, network_id: 'ada' })).json).toMatchObject({ network: 'ada' });
    expect((await upsert(it, list, { network_id: 'ADA', email })).json).toMatchObject({ network: 'ada' });
    await upsert(it, list, { email: 'b@b.test', ln_id: 'ACo1' });
    expect((await upsert(it, list, { network_id: 'ACo1' })).json).toMatchObject({ network: null, ln_id: 'ACo1' });
  });

  test('leaves an existing contact in its list unless told to move it', async () => {
    const it = await trial();
    const [first, second] = [await makeList(it, 'First'), await makeList(it, 'Second')];
    const lead = { email: 'a@b.test' };
    await upsert(it, first, lead);
    expect((await upsert(it, second, lead)).json).toMatchObject({ list_uuid: first });
    expect((await upsert(it, second, lead, { move_to_list: true })).json).toMatchObject({ list_uuid: second });
  });

  test('with update_if_exists=false answers the contact unchanged', async () => {
    const it = await trial();
    const list = await makeList(it);
    const before = await upsert(it, list, { email: 'a@b.test', position: 'Analyst' });
    it.advance(5000);
    const lead = { email: 'a@b.test', position: 'Director' };
    const after = await upsert(it, list, lead, { update_if_exists: false, move_to_list: true });
    expect(after.json).toEqual(before.json);
  });

  test('stores custom fields, which no operation answers', async () => {
    const it = await trial();
    const list = await makeList(it);
    const created = await upsert(it, list, { email: 'a@b.test' }, { custom_fields: { segment: 'A', _note: 'x' } });
    await upsert(it, list, { email: 'a@b.test' }, { custom_fields: { segment: 'B' } });
    expect(created.text).not.toContain('segment');
    expect(it.standin.model.contacts.get(uuidOf(created)).customFields).toEqual({ segment: 'B', _note: 'x' });
  });

  test.each<{ description: string; body: object; field: string }>([
    { description: 'without an identifier', body: { lead: { first_name: 'Ada' } }, field: 'lead' },
    {
      description: 'into an unknown list',
      body: { list_uuid: '00000000-0000-4000-8000-000000000000' },
      field: 'list_uuid',
    },
    { description: 'of a new contact without a list', body: { list_uuid: undefined }, field: 'list_uuid' },
    {
      description: 'with a custom field whose name is none',
      body: { custom_fields: { '1st': 'x' } },
      field: 'custom_fields.1st',
    },
    {
      description: 'with more than 100 custom fields',
      body: { custom_fields: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, 'x'])) },
      field: 'custom_fields',
    },
    { description: 'with a field that is no text', body: { lead: { email: 5 } }, field: 'lead.email' },
    { description: 'with an unknown field', body: { leads: {} }, field: 'leads' },
  ])('$description is refused and changes nothing', async ({ body, field }) => {
    const it = await trial();
    const list_uuid = await makeList(it);
    const answer = await it.call('POST', `${leads}/upsert`, { lead: { email: 'a@b.test' }, list_uuid, ...body });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({
      code: 422,
      error: { reason: 'validation_error' },
      message: expect.any(String),
    });
    expect(Object.keys(fieldOf(answer, 'error', 'data'))).toContain(field);
    expect(it.standin.model.contacts.size).toBe(0);
  });
});

describe('lookup-one', () => {
  test('tries network_id, then e-mail, then name and company', async () => {
    const it = await trial();
    const list = await makeList(it);
    const byHandle = await upsert(it, list, { network: 'ada' });
    const byEmail = await upsert(it, list, { email: 'a@b.test' });
    const byName = await upsert(it, list, { first_name: 'Ada', last_name: 'L', company_name: 'Engine' });
    const person = { name: 'ada l', company_name: 'ENGINE' };
    const lookup = async (body: object) => uuidOf(await it.call('POST', `${leads}/lookup-one`, body));
    expect(await lookup({ network_id: 'ada', email: 'a@b.test', ...person })).toBe(uuidOf(byHandle));
    expect(await lookup({ network_id: 'nobody', email: 'a@b.test', ...person })).toBe(uuidOf(byEmail));
    expect(await lookup(person)).toBe(uuidOf(byName));
  });

  test('of two with the same name answers the one updated last', async () => {
    const it = await trial();
    const { contacts } = it.standin.model;
    const same = { name: 'Ada L', company_name: 'Engine' };
    const first = contacts.add({ fields: same });
    contacts.add({ fields: same });
    it.advance(1000);
    contacts.change(first.record.uuid, { fields: { about: 'x' } });
    expect(uuidOf(await it.call('POST', `${leads}/lookup-one`, same))).toBe(first.record.uuid);
  });

  test('is 404 without a match and 422 without an identifier', async () => {
    const it = await trial();
    expect((await it.call('POST', `${leads}/lookup-one`, { email: 'no@b.test' })).status).toBe(404);
    expect((await it.call('POST', `${leads}/lookup-one`, { name: 'Ada' })).status).toBe(422);
    expect((await it.call('POST', `${leads}/lookup-one`, {})).status).toBe(422);
  });
});

describe('update', () => {
  test('changes named fields, recomputes the name, and leaves the rest byte-equal', async () => {
    const it = await trial();
    const before = await upsert(it, await makeList(it), {
      email: 'a@b.test',
      first_name: 'Ada',
      last_name: 'L',
      about: 'x',
    });
    it.advance(1000);
    const after = await it.call('PUT', `${leads}/${uuidOf(before)}`, { first_name: 'Eda' });
    expect(after.json).toEqual({
      ...before.json,
      first_name: 'Eda',
      name: 'Eda L',
      updated_at: '2026-11-21T12:00:01.000000Z',
    });
  });

  test('accepts unknown fields and an empty body, and changes nothing', async () => {
    const it = await trial();
    const before = await upsert(it, await makeList(it), { email: 'a@b.test' });
    it.advance(1000);
    const unknown = { pipeline_stage_uuid: 'x', custom_fields: { a: 'b' }, network_id: 'x' };
    expect((await it.call('PUT', `${leads}/${uuidOf(before)}`, unknown)).json).toEqual(before.json);
    expect((await it.call('PUT', `${leads}/${uuidOf(before)}`, {})).json).toEqual(before.json);
  });

  test.each(['', null])('%j clears a field', async (blank) => {
    const it = await trial();
    const before = await upsert(it, await makeList(it), { email: 'a@b.test', position: 'Analyst' });
    const after = await it.call('PUT', `${leads}/${uuidOf(before)}`, { position: blank });
    expect(after.json).toMatchObject({ position: null });
  });

  test('refuses a value of the wrong type by its field', async () => {
    const it = await trial();
    const before = await upsert(it, await makeList(it), { email: 'a@b.test' });
    const answer = await it.call('PUT', `${leads}/${uuidOf(before)}`, { position: 5, about: 'new' });
    expect(answer.status).toBe(422);
    expect(Object.keys(fieldOf(answer, 'error', 'data'))).toEqual(['position']);
    expect((await it.call('GET', `${leads}/${uuidOf(before)}`)).json).toEqual(before.json);
  });

  test('is found afterwards by the new e-mail and no longer by the old one', async () => {
    const it = await trial();
    const before = await upsert(it, await makeList(it), { email: 'old@b.test', network: 'ada' });
    await it.call('PUT', `${leads}/${uuidOf(before)}`, { email: 'new@b.test' });
    const lookup = (email: string) => it.call('POST', `${leads}/lookup-one`, { email });
    expect((await lookup('old@b.test')).status).toBe(404);
    expect(uuidOf(await lookup('new@b.test'))).toBe(uuidOf(before));
  });
});

describe('delete', () => {
  test('is 204, then 404 everywhere, and leaves a mass action', async () => {
    const it = await trial();
    const uuid = uuidOf(await upsert(it, await makeList(it), { email: 'a@b.test' }));
    expect((await it.call('DELETE', `${leads}/${uuid}`)).status).toBe(204);
    expect((await it.call('GET', `${leads}/${uuid}`)).status).toBe(404);
    expect((await it.call('DELETE', `${leads}/${uuid}`)).status).toBe(404);
    expect((await it.call('POST', `${leads}/lookup-one`, { email: 'a@b.test' })).status).toBe(404);
    expect(it.standin.model.massActions).toMatchObject([
      { kind: 'delete', lead_uuid: uuid, payload: { manually_deleted_by_user: true } },
    ]);
  });
});

test('texts of every kind come back unchanged', async () => {
  const it = await trial();
  const about = `=SUM(A1) \u0000 \u{1f4a5} ${'x'.repeat(50_000)}\n+1 -1 @x`;
  const created = await upsert(it, await makeList(it), { email: 'a@b.test', about });
  expect((await it.call('GET', `${leads}/${uuidOf(created)}`)).json).toMatchObject({ about });
});
