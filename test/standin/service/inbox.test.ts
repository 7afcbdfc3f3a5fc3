import { describe, expect, test } from 'vitest';
import { makeList, rowsOf, trial, uuidOf } from './support.ts';

const messages = '/flows/api/professional-network-messages';
const emails = '/emails/api/emails';
const profiles = '/flows/api/sender-profiles';
const nobody = '00000000-0000-4000-8000-000000000000';

async function withSender() {
  const it = await trial();
  const { senderProfiles, contacts } = it.standin.model;
  const sender_profile_uuid = senderProfiles.add({ first_name: 'Mara', last_name: 'Lind' }).uuid;
  const lead_uuid = contacts.add({ fields: { name: 'Ada L', work_email: 'ada@engine.test' } }).record.uuid;
  return { ...it, sender_profile_uuid, lead_uuid, ids: { sender_profile_uuid, lead_uuid } };
}

describe('network messages', () => {
  test('are queued as new and done after a while', async () => {
    const it = await withSender();
    const sent = await it.call('POST', messages, { ...it.ids, text: 'Hello' });
    expect(sent.status).toBe(201);
    expect(sent.json).toMatchObject({ status: 'new', text: 'Hello', type: 'outbox', kind: 'message', sent_at: null });
    it.advance(5000);
    expect(rowsOf(await it.call('GET', messages))).toMatchObject([
      { uuid: uuidOf(sent), status: 'done', sent_at: '2026-11-21T12:00:05.000000Z' },
    ]);
  });

  test('with a subject are in-mails', async () => {
    const it = await withSender();
    const sent = await it.call('POST', messages, { ...it.ids, text: 'Hello', subject: 'A question' });
    expect(sent.json).toMatchObject({ kind: 'inmail', subject: 'A question' });
  });

  test.each([
    { more: {}, status: 422 },
    { more: { text: 'x'.repeat(8001) }, status: 422 },
    { more: { text: 'x', subject: 'x'.repeat(512) }, status: 422 },
    { more: { text: 'x', lead_uuid: nobody }, status: 404 },
    { more: { text: 'x', sender_profile_uuid: nobody }, status: 404 },
    { more: { template_uuid: nobody }, status: 201 },
  ])('%o is answered as documented', async ({ more, status }) => {
    const it = await withSender();
    expect((await it.call('POST', messages, { ...it.ids, ...more })).status).toBe(status);
  });

  test('are found by filters in any style, and ordered by their own fields alone', async () => {
    const it = await withSender();
    const sent = await it.call('POST', messages, { ...it.ids, text: 'Hello' });
    await it.call('POST', messages, { ...it.ids, text: 'Bye' });
    for (const query of [
      `filter[uuid]=${uuidOf(sent)}`,
      'filter[q]=hello',
      `uuid=${uuidOf(sent)}`,
      'filter={"q":"hello"}',
    ]) {
      expect(rowsOf(await it.call('GET', `${messages}?${query}`))).toMatchObject([{ text: 'Hello' }]);
    }
    expect(
      rowsOf(await it.call('GET', `${messages}?filter[lead_uuid]=${it.lead_uuid}&filter[status]=new`)),
    ).toHaveLength(2);
    expect((await it.call('GET', `${messages}?order_field=text`)).status).toBe(422);
  });
});

describe('e-mails', () => {
  test('are answered with their body beside them, and listed without', async () => {
    const it = await withSender();
    const sent = await it.call('POST', `${emails}/send-email`, {
      ...it.ids,
      subject: 'Hi',
      body: 'Text',
      cc: ['c@b.test'],
    });
    expect(sent.status).toBe(201);
    expect(sent.json).toMatchObject({
      emailDomain: {
        status: 'waiting',
        to_email: 'ada@engine.test',
        to_name: 'Ada L',
        from_name: 'Mara Lind',
        cc: ['c@b.test'],
      },
      emailBodyDomain: { subject: 'Hi', body: 'Text', attachments: [] },
    });
    it.advance(5000);
    const listed = await it.call('GET', emails);
    expect(rowsOf(listed)).toMatchObject([{ status: 'sent', sent_at: '2026-11-21T12:00:05.000000Z' }]);
    expect(rowsOf(listed)[0]).not.toHaveProperty('body');
  });

  test('are found by the range of sent_at and by address', async () => {
    const it = await withSender();
    for (const to_email of ['one@b.test', 'two@b.test']) {
      await it.call('POST', `${emails}/send-email`, { ...it.ids, to_email, body: 'x' });
      it.advance(10_000);
    }
    const found = async (query: string) =>
      rowsOf(await it.call('GET', `${emails}?${query}`)).map((row) => row['to_email']);
    expect(await found('filter[sent_at][>]=2026-11-21T12:00:06Z')).toEqual(['two@b.test']);
    expect(await found('filter[sent_at][%3E%3D]=2026-11-21T12:00:05Z&filter[sent_at][<]=2026-11-21T12:00:06Z')).toEqual(
      ['one@b.test'],
    );
    expect(await found('filter[to_email]=two@b.test')).toEqual(['two@b.test']);
    expect(await found('filter={"to_email":"two@b.test"}')).toEqual(['two@b.test']);
  });

  test('may come in pages of up to 500', async () => {
    const it = await withSender();
    expect((await it.call('GET', `${emails}?limit=400`)).json).toMatchObject({ limit: 400 });
    expect((await it.call('GET', `${emails}?limit=900`)).json).toMatchObject({ limit: 500 });
  });

  test.each([
    { description: 'an unknown contact', more: { lead_uuid: nobody } },
    { description: 'an unknown sender', more: { sender_profile_uuid: nobody } },
    { description: 'no body', more: { body: undefined } },
    { description: 'a cc that is no list', more: { cc: 'c@b.test' } },
  ])('$description is 422, and nothing is queued', async ({ more }) => {
    const it = await withSender();
    expect((await it.call('POST', `${emails}/send-email`, { ...it.ids, body: 'x', ...more })).status).toBe(422);
    expect(it.standin.model.inbox.emails.size).toBe(0);
  });

  test('need a sender address', async () => {
    const it = await withSender();
    it.standin.model.contacts.change(it.lead_uuid, { fields: { work_email: null } });
    expect((await it.call('POST', `${emails}/send-email`, { ...it.ids, body: 'x' })).status).toBe(422);
  });
});

describe('sender profiles', () => {
  test('are created, listed, filtered and got', async () => {
    const it = await trial();
    const created = await it.call('POST', profiles, { first_name: 'Mara', last_name: 'Lind', label: 'Partners' });
    await it.call('POST', profiles, { first_name: 'Tom', last_name: 'Oak' });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({
      status: 'enabled',
      assignee_user_id: 501,
      schedule: { timezone: expect.any(String) },
    });
    expect((await it.call('GET', `${profiles}/${uuidOf(created)}`)).json).toEqual(created.json);
    for (const query of ['q=partners', 'first_name=Mara', 'filter[last_name]=Lind', `uuid=${uuidOf(created)}`]) {
      expect(rowsOf(await it.call('GET', `${profiles}?${query}`))).toMatchObject([{ uuid: uuidOf(created) }]);
    }
    expect((await it.call('POST', profiles, { first_name: 'Mara' })).status).toBe(422);
    expect((await it.call('GET', `${profiles}/${nobody}`)).status).toBe(404);
  });

  test('of an external browser need its id, and keep their own schedule', async () => {
    const it = await trial();
    const path = '/flows/client-api/sender-profiles/connect-external';
    const name = { first_name: 'Mara', last_name: 'Lind' };
    expect((await it.call('POST', path, name)).status).toBe(422);
    const schedule = { timezone: 'Asia/Tokyo', timeblocks: [{ dow: 0, min: 60, max: 120 }] };
    const connected = await it.call('POST', path, { ...name, external_browser_profile_id: 'b-1', schedule });
    expect(connected.status).toBe(201);
    expect(connected.json).toMatchObject({
      schedule: { timezone: 'Asia/Tokyo', timeblocks: [{ dow: 0, from: 60, to: 120 }] },
    });
    expect(it.standin.model.senderProfiles.externalIdByProfile.get(uuidOf(connected))).toBe('b-1');
  });
});

describe('lists', () => {
  test('are created, may share a name, are listed, filtered and got', async () => {
    const it = await trial();
    const [first, second] = [await makeList(it, 'EMEA'), await makeList(it, 'EMEA')];
    expect(second).not.toBe(first);
    await makeList(it, 'APAC');
    const listed = await it.call('GET', '/leads/api/lists?filter[q]=em');
    expect(rowsOf(listed).map(({ uuid }) => uuid)).toEqual([first, second]);
    expect(listed.json).toMatchObject({ limit: 20, offset: 0, total: 2, has_more: false });
    expect((await it.call('GET', `/leads/api/lists/${first}`)).json).toMatchObject({
      uuid: first,
      name: 'EMEA',
      team_id: 1001,
    });
    expect((await it.call('GET', `/leads/api/lists/${nobody}`)).status).toBe(404);
    expect((await it.call('POST', '/leads/api/lists', { name: '' })).status).toBe(422);
  });
});
