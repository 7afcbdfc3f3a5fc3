import { expect, test } from 'vitest';
import { defaultSwitches } from '../../../src/standin/service/switches.ts';
import { makeList, trial, uuidOf } from './support.ts';
import type { Trial } from './support.ts';

const lists = '/leads/api/lists';

/** A control call; no token is sent. */
async function control(it: Trial, method: string, path: string, body?: unknown) {
  const init = {
    method,
    ...(body !== undefined && method !== 'GET' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
  const response = await it.standin.app.request(`/_standin${path}`, init);
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

test('switches are read, set, explained and reset', async () => {
  const it = await trial();
  expect(await control(it, 'GET', '/switches')).toEqual({ status: 200, json: defaultSwitches() });
  expect(await control(it, 'PUT', '/switches', { pageRowsMax: 20 })).toMatchObject({
    status: 200,
    json: { pageRowsMax: 20 },
  });
  expect(it.standin.switches).toEqual({ ...defaultSwitches(), pageRowsMax: 20 });
  expect(await control(it, 'GET', '/switches/help')).toMatchObject({
    json: { lookupMiss: expect.stringContaining('404') },
  });
  await control(it, 'DELETE', '/switches');
  expect(it.standin.switches).toEqual(defaultSwitches());
});

test('a wrong switch is refused by its name, and none is changed', async () => {
  const it = await trial();
  const answer = await control(it, 'PUT', '/switches', { pageRowsMax: 20, lookupMiss: 'teapot', shoeSize: 1 });
  expect(answer).toMatchObject({
    status: 422,
    json: { error: { data: { lookupMiss: [expect.any(String)], shoeSize: [expect.any(String)] } } },
  });
  expect(it.standin.switches).toEqual(defaultSwitches());
  expect((await control(it, 'PUT', '/switches', '{')).status).toBe(400);
});

test('faults are injected, listed and removed', async () => {
  const it = await trial();
  const fault = { kind: 'status', status: 503, operation: 'lists.list', times: 2 };
  expect(await control(it, 'POST', '/faults', fault)).toMatchObject({ status: 201, json: [fault] });
  expect((await it.call('GET', lists)).status).toBe(503);
  expect(await control(it, 'GET', '/faults')).toMatchObject({ json: [{ times: 1 }] });
  expect((await control(it, 'DELETE', '/faults')).status).toBe(204);
  expect((await it.call('GET', lists)).status).toBe(200);
  expect((await control(it, 'POST', '/faults', { kind: 'earthquake' })).status).toBe(422);
});

test('received requests can be read, by operation too, and deleted', async () => {
  const it = await trial();
  await it.call('GET', lists);
  await it.call('POST', lists, { name: 'EMEA' });
  expect(await control(it, 'GET', '/requests')).toMatchObject({
    json: [{ operation: 'lists.list' }, { operation: 'lists.create' }],
  });
  expect(await control(it, 'GET', '/requests?operation=lists.create')).toMatchObject({
    json: [{ body: { name: 'EMEA' } }],
  });
  await control(it, 'DELETE', '/requests');
  expect(await control(it, 'GET', '/requests')).toEqual({ status: 200, json: [] });
});

test('it gives a valid token', async () => {
  const it = await trial();
  const { json } = await control(it, 'GET', '/token');
  const { token } = json as { token: string };
  expect((await it.call('GET', lists, undefined, { authorization: `Bearer ${token}` })).status).toBe(200);
});

test('it shows hidden data of the service, and runs its jobs ahead of time', async () => {
  const it = await trial();
  const list_uuid = await makeList(it);
  const body = { lead: { email: 'a@b.test', domain: 'b.test' }, custom_fields: { segment: 'A' }, list_uuid };
  const uuid = uuidOf(await it.call('POST', '/leads/api/leads/upsert', body));
  const flow = it.standin.model.automations.add({ name: 'Welcome', status: 'on' }).uuid;
  await it.call('POST', `/flows/api/flows/${flow}/leads/${uuid}`);
  expect(await control(it, 'GET', `/state/contacts/${uuid}`)).toMatchObject({
    json: {
      contact: { uuid },
      custom_fields: { segment: 'A' },
      domain: 'b.test',
      enrolments: [{ flow_uuid: flow, state: 'active' }],
    },
  });
  expect((await control(it, 'GET', `/state/contacts/${flow}`)).status).toBe(404);

  await it.call('PUT', `/flows/api/flows/leads/${uuid}/cancel-all`);
  expect(await control(it, 'GET', '/state')).toMatchObject({
    json: { contacts: 1, jobs: { pending: [{ kind: 'cancel_enrolment' }] } },
  });
  expect((await control(it, 'POST', '/jobs/run')).status).toBe(200);
  expect(await control(it, 'GET', '/state')).toMatchObject({
    json: { jobs: { pending: [] }, enrolments: [{ state: 'cancelled' }] },
  });
});

test('it lists its paths', async () => {
  const it = await trial();
  const { json } = await control(it, 'GET', '');
  for (const name of Object.keys(json as object)) {
    const [method = '', path = ''] = name.replace('/_standin', '').replace('{uuid}', 'x').split(' ');
    const { json: answer } = await control(it, method, path, {});
    expect(JSON.stringify(answer ?? null)).not.toContain('no such control');
  }
});

test('an unknown control is 404', async () => {
  expect((await control(await trial(), 'GET', '/teapot')).status).toBe(404);
});
