import { expect, test } from 'vitest';
import { makeList, trial, uuidOf } from './support.ts';

const leads = '/leads/api/leads';

test('an upsert creates a contact, and a second one with the same e-mail updates it', async () => {
  const it = await trial();
  const list_uuid = await makeList(it);
  const lead = { email: 'ada@engine.test', first_name: 'Ada', last_name: 'Lovelace' };
  const created = await it.call('POST', `${leads}/upsert`, { lead, list_uuid });
  expect(created.status).toBe(200);
  expect(created.json).toMatchObject({ name: 'Ada Lovelace', work_email: 'ada@engine.test', list_uuid });

  it.advance(60_000);
  const again = { lead: { email: 'ADA@engine.test', position: 'Analyst' }, list_uuid };
  const updated = await it.call('POST', `${leads}/upsert`, again);
  expect(updated.json).toMatchObject({
    uuid: uuidOf(created),
    position: 'Analyst',
    first_name: 'Ada',
    created_at: '2026-11-21T12:00:00.000000Z',
    updated_at: '2026-11-21T12:01:00.000000Z',
  });
});
