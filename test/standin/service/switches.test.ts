import { describe, expect, test } from 'vitest';
import type { Switches } from '../../../src/standin/service/switches.ts';
import { defaultSwitches } from '../../../src/standin/service/switches.ts';
import { fieldOf, makeList, rowsOf, trial, uuidOf } from './support.ts';
import type { Trial } from './support.ts';

const leads = '/leads/api/leads';
const lists = '/leads/api/lists';
const flows = '/flows/api/flows';
const profiles = '/flows/api/sender-profiles';
const messages = '/flows/api/professional-network-messages';
const emails = '/emails/api/emails';
const nobody = '00000000-0000-4000-8000-000000000000';
const name = { first_name: 'Mara', last_name: 'Lind' };

/** A trial with these switches, a contact with an e-mail address, a list, an automation that is on, and a sender. */
async function turned(switches: Partial<Switches>) {
  const it = await trial();
  const { contacts, automations, senderProfiles } = it.standin.model;
  const list = await makeList(it);
  const contact = contacts.add({
    fields: {
      name: 'Ada L',
      work_email: 'ada@engine.test',
      position: 'Analyst',
      has_premium: 1,
      list_uuid: list,
      location: [{ address_string: 'Berlin' }],
      unread_counts: [{ count: 3, sender_profile_uuid: nobody }],
    },
  }).record.uuid;
  const flow = automations.add({ name: 'Welcome', status: 'on' }).uuid;
  const profile = senderProfiles.add(name).uuid;
  Object.assign(it.standin.switches, switches);
  return { ...it, list, contact, flow, profile };
}

const search = (it: Trial, body: object = {}) => it.call('POST', `${leads}/search`, body);
const get = (it: Trial & { contact: string }) => it.call('GET', `${leads}/${it.contact}`);
const put = (it: Trial & { contact: string }, body: object) => it.call('PUT', `${leads}/${it.contact}`, body);
const upsert = (it: Trial & { list: string }, lead: object, more: object = {}) =>
  it.call('POST', `${leads}/upsert`, { lead, list_uuid: it.list, ...more });

/** The effect of each switch; a switch without an entry does not compile. */
const effects: Record<keyof Switches, () => Promise<void>> = {
  teamIdHeaderRequired: async () => {
    const it = await turned({ teamIdHeaderRequired: true });
    expect((await it.call('GET', lists)).status).toBe(400);
    expect((await it.call('GET', lists, undefined, { 'team-id': '1001' })).status).toBe(200);
  },
  userAgentRequired: async () => {
    const it = await turned({ userAgentRequired: true });
    const refused = await it.call('GET', lists);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('<html>')]);
    expect((await it.call('GET', lists, undefined, { 'user-agent': 'x' })).status).toBe(200);
  },
  notFoundBody: async () => {
    const it = await turned({ notFoundBody: 'message' });
    expect((await it.call('GET', `${leads}/${nobody}`)).json).toEqual({ message: 'The contact was not found.' });
  },
  validationBody: async () => {
    const it = await turned({ validationBody: 'errors' });
    const { status, json } = await it.call('POST', lists, {});
    expect([status, json]).toEqual([422, { message: expect.any(String), errors: { name: [expect.any(String)] } }]);
  },
  malformedUuid: async () => {
    const status = async (malformedUuid: Switches['malformedUuid']) =>
      (await (await turned({ malformedUuid })).call('GET', `${lists}/nope`)).status;
    expect([await status('not_found'), await status('server_error')]).toEqual([404, 500]);
  },
  foreignUuid: async () => {
    const it = await turned({ foreignUuid: 'denied' });
    it.standin.world.foreignUuids.add(nobody);
    for (const path of [`${leads}/${nobody}`, `${lists}/${nobody}`, `${profiles}/${nobody}`]) {
      const { status, json } = await it.call('GET', path);
      expect([status, json]).toMatchObject([403, { error: { reason: 'access_denied' } }]);
    }
  },
  wrongContentType: async () => {
    const it = await turned({ wrongContentType: 422 });
    expect((await it.call('POST', lists, 'name=x', { 'content-type': 'text/plain' })).status).toBe(422);
  },
  rateLimits: async () => {
    const windows = [
      { calls: 2, windowMs: 60_000 },
      { calls: 3, windowMs: 3_600_000 },
    ];
    const it = await trial({ rateLimits: windows });
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await it.call('GET', lists)).status);
    it.advance(60_000);
    statuses.push((await it.call('GET', lists)).status);
    const refused = await it.call('GET', lists);
    expect([...statuses, refused.status]).toEqual([200, 200, 429, 200, 429]);
    // The limit of an hour applies from the first call on.
    expect(refused.headers.get('retry-after')).toBe('3540');
    it.standin.switches.rateLimits = [];
    expect((await it.call('GET', lists)).status).toBe(200);
  },
  rateLimitHeaders: async () => {
    const refused = async (rateLimitHeaders: Switches['rateLimitHeaders']) => {
      const it = await turned({ rateLimitHeaders, rateLimits: [{ calls: 1, windowMs: 30_000 }] });
      await it.call('GET', lists);
      const { headers } = await it.call('GET', lists);
      return [headers.get('retry-after'), headers.get('x-ratelimit-reset'), headers.get('x-ratelimit-limit')];
    };
    expect(await refused('seconds')).toEqual(['30', '30', '1']);
    expect(await refused('http_date')).toEqual(['Sat, 21 Nov 2026 12:00:30 GMT', null, '1']);
    expect(await refused('human_date')).toEqual([null, expect.stringMatching(/^Sat Nov 21 2026/), '1']);
    expect(await refused('unix')).toEqual([null, '1795262430', '1']);
    expect(await refused('none')).toEqual([null, null, null]);
  },
  blankSuccess: async () => {
    const it = await turned({ blankSuccess: true });
    const { status, text } = await search(it);
    expect([status, text]).toEqual([200, '']);
  },
  extraFields: async () => {
    const it = await turned({ extraFields: true });
    for (const path of [`${leads}/${it.contact}`, `${lists}/${it.list}`, `${profiles}/${it.profile}`]) {
      expect((await it.call('GET', path)).json).toHaveProperty('x_revision');
    }
  },
  timestamps: async () => {
    const it = await turned({ timestamps: 'plain' });
    expect((await get(it)).json).toMatchObject({ created_at: '2026-11-21T12:00:00Z' });
    expect((await it.call('GET', `${lists}/${it.list}`)).json).toMatchObject({ created_at: '2026-11-21T12:00:00Z' });
  },
  flags: async () => {
    const it = await turned({ flags: 'boolean' });
    expect((await get(it)).json).toMatchObject({ has_premium: true, has_open_profile: null });
  },
  pageRowsMax: async () => {
    const it = await turned({ pageRowsMax: 20 });
    expect((await search(it, { limit: 100 })).json).toMatchObject({ limit: 20 });
    expect((await it.call('GET', `${flows}?limit=100`)).json).toMatchObject({ limit: 20 });
    it.standin.switches.pageRowsMax = 5;
    expect((await search(it)).json).toMatchObject({ limit: 5 });
  },
  emailPageRowsMax: async () => {
    const it = await turned({ emailPageRowsMax: 20 });
    expect((await it.call('GET', `${emails}?limit=100`)).json).toMatchObject({ limit: 20 });
  },
  pageBeyond: async () => {
    const it = await turned({ pageBeyond: 'refused' });
    expect((await search(it, { limit: 101 })).status).toBe(422);
    expect((await search(it, { limit: 100 })).status).toBe(200);
  },
  windowRowsMax: async () => {
    const it = await turned({ windowRowsMax: 50 });
    expect((await search(it, { limit: 20, offset: 40 })).status).toBe(422);
  },
  windowBeyond: async () => {
    const it = await turned({ windowBeyond: 'empty', windowRowsMax: 5 });
    const empty = await search(it, { limit: 6 });
    expect(empty.json).toMatchObject({ data: [], total: 1 });
    it.standin.switches.windowBeyond = 'server_error';
    expect((await search(it, { limit: 6 })).status).toBe(500);
  },
  searchRows: async () => {
    const it = await turned({ searchRows: 'wrapped' });
    it.standin.model.contacts.add({});
    expect(rowsOf(await search(it, { disable_aggregation: true })).map((row) => Object.keys(row))).toEqual([
      ['lead'],
      ['lead'],
    ]);
    expect(Object.keys(rowsOf(await search(it))[0] ?? {})).toEqual(['lead', 'markers', 'flows']);
    it.standin.switches.searchRows = 'mixed';
    expect(rowsOf(await search(it)).map((row) => 'lead' in row)).toEqual([true, false]);
  },
  getWrapped: async () => {
    const it = await turned({ getWrapped: true });
    expect((await get(it)).json).toMatchObject({ lead: { uuid: it.contact } });
  },
  searchHasMore: async () => {
    const it = await turned({ searchHasMore: 'present' });
    expect((await search(it)).json).toMatchObject({ has_more: false });
    it.standin.switches.searchHasMore = 'wrong';
    expect((await search(it)).json).toMatchObject({ has_more: true });
  },
  totalDriftMax: async () => {
    const it = await turned({ totalDriftMax: 3 });
    const totals = new Set<unknown>();
    for (let count = 0; count < 30; count += 1) totals.add((await search(it)).json['total']);
    expect(totals).toEqual(new Set([0, 1, 2, 3, 4]));
  },
  searchLagMs: async () => {
    const it = await turned({ searchLagMs: 60_000 });
    const rows = async () =>
      rowsOf(await search(it, { order_type: 'asc' })).map((row) => [row['work_email'], row['position']]);
    await upsert(it, { email: 'new@b.test' });
    await put(it, { position: 'Director' });
    expect(await rows()).toEqual([['ada@engine.test', 'Analyst']]);
    expect((await get(it)).json).toMatchObject({ position: 'Director' });
    it.advance(60_000);
    const both = [
      ['ada@engine.test', 'Director'],
      ['new@b.test', null],
    ];
    expect(await rows()).toEqual(both);
    await it.call('DELETE', `${leads}/${it.contact}`);
    expect((await get(it)).status).toBe(404);
    expect(await rows()).toEqual(both);
    it.advance(60_000);
    expect(await rows()).toEqual([['new@b.test', null]]);
  },
  unknownFilter: async () => {
    const it = await turned({ unknownFilter: 'ignored' });
    expect((await search(it, { filter: { shoe_size: 44 } })).json).toMatchObject({ total: 1 });
    it.standin.switches.unknownFilter = 'server_error';
    expect((await search(it, { filter: { shoe_size: 44 } })).status).toBe(500);
    it.standin.switches.unknownFilter = 'gateway_timeout';
    const timeout = await search(it, { filter: { shoe_size: 44 } });
    expect([timeout.status, timeout.text]).toEqual([504, expect.stringContaining('<html>')]);
  },
  filterByField: async () => {
    const it = await turned({
      filterByField: { updated_at: 'server_error', company_name: 'ignored', tags: 'refused' },
    });
    expect((await search(it, { filter: { updated_at: { '>': '2026-01-01' } } })).status).toBe(500);
    expect((await search(it, { filter: { company_name: 'Nobody & Co' } })).json).toMatchObject({ total: 1 });
    expect((await search(it, { filter: { tags: ['x'] } })).status).toBe(422);
    expect((await search(it, { filter: { created_at: { '>': '2026-01-01' } } })).status).toBe(200);
  },
  orderByField: async () => {
    const it = await turned({
      orderByField: { updated_at: 'refused', name: 'server_error', company_name: 'ignored', uuid: 'gateway_timeout' },
    });
    it.advance(1000);
    it.standin.model.contacts.add({ fields: { name: 'Aaron', company_name: 'AAA' } });
    const ordered = (order_field: string) => search(it, { order_field, order_type: 'asc' });
    expect((await ordered('updated_at')).status).toBe(422);
    expect((await ordered('name')).status).toBe(500);
    expect((await ordered('uuid')).status).toBe(504);
    expect(rowsOf(await ordered('company_name')).map((row) => row['name'])).toEqual(['Ada L', 'Aaron']);
    expect((await ordered('created_at')).status).toBe(200);
  },
  tieOrder: async () => {
    const it = await turned({ tieOrder: 'random' });
    for (let index = 0; index < 20; index += 1) it.standin.model.contacts.add({ fields: { name: `Tied ${index}` } });
    it.advance(1000);
    it.standin.model.contacts.add({ fields: { name: 'Last' } });
    const answers = await Promise.all([1, 2, 3].map(() => search(it, { order_type: 'asc', limit: 100 })));
    const names = answers.map((answer) => rowsOf(answer).map((row) => row['name'] as unknown as string));
    expect(new Set(names.map((each) => each.join())).size).toBe(3);
    expect(new Set(names.map((each) => each.toSorted().join())).size).toBe(1);
    expect(names.map((each) => each.at(-1))).toEqual(['Last', 'Last', 'Last']);
  },
  orderFieldIgnored: async () => {
    const it = await turned({ orderFieldIgnored: true });
    it.advance(1000);
    it.standin.model.contacts.add({ fields: { name: 'Aaron' } });
    const answer = await search(it, { order_field: 'name', order_type: 'asc' });
    expect(rowsOf(answer).map((row) => row['name'])).toEqual(['Ada L', 'Aaron']);
  },
  lookupMiss: async () => {
    const miss = async (lookupMiss: Switches['lookupMiss']) => {
      const { status, text } = await (
        await turned({ lookupMiss })
      ).call('POST', `${leads}/lookup-one`, { email: 'no@b.test' });
      return [status, text];
    };
    expect(await miss('null')).toEqual([200, 'null']);
    expect(await miss('object')).toEqual([200, '{}']);
    expect(await miss('array')).toEqual([200, '[]']);
    expect(await miss('blank')).toEqual([200, '']);
    expect(await miss('no_content')).toEqual([204, '']);
  },
  locationAs: async () => {
    const it = await turned({ locationAs: 'object' });
    expect((await get(it)).json).toMatchObject({ location: { address_string: 'Berlin' } });
  },
  unreadCountsBy: async () => {
    const it = await turned({ unreadCountsBy: 'category' });
    expect((await get(it)).json).toMatchObject({ unread_counts: [{ category: 'messages', count: 3 }] });
  },
  updateIgnores: async () => {
    const it = await turned({ updateIgnores: ['position'] });
    expect((await put(it, { position: 'Director', about: 'x' })).json).toMatchObject({
      position: 'Analyst',
      about: 'x',
    });
  },
  blankValue: async () => {
    const position = async (blankValue: Switches['blankValue']) => {
      const { status, json } = await put(await turned({ blankValue }), { position: '' });
      return [status, json['position']];
    };
    expect(await position('stored')).toEqual([200, '']);
    expect(await position('ignored')).toEqual([200, 'Analyst']);
    expect(await position('refused')).toEqual([422, undefined]);
  },
  normalises: async () => {
    const it = await turned({ normalises: ['trim', 'handle', 'email_case'] });
    const written = await put(it, { about: ' x ', network: 'https://network.test/in/Ada/?x', email: 'ADA@b.test' });
    expect(written.json).toMatchObject({ about: 'x', network: 'ada', work_email: 'ada@b.test' });
  },
  emailStoredAs: async () => {
    const it = await turned({ emailStoredAs: 'personal_email' });
    const written = await put(it, { email: 'new@b.test' });
    expect(written.json).toMatchObject({ personal_email: 'new@b.test', work_email: 'ada@engine.test' });
  },
  deleteStatus: async () => {
    const answer = async (deleteStatus: Switches['deleteStatus']) => {
      const it = await turned({ deleteStatus });
      const { status, json } = await it.call('DELETE', `${leads}/${it.contact}`);
      return [status, json];
    };
    const body = { status: 'success', message: expect.any(String) as string };
    expect(await answer('ok')).toEqual([200, body]);
    expect(await answer('accepted')).toEqual([202, body]);
  },
  deleteDelayMs: async () => {
    const it = await turned({ deleteDelayMs: 60_000 });
    for (let time = 0; time < 2; time += 1)
      expect((await it.call('DELETE', `${leads}/${it.contact}`)).status).toBe(204);
    it.advance(59_999);
    expect((await get(it)).status).toBe(200);
    it.advance(1);
    expect((await get(it)).status).toBe(404);
    expect(it.standin.model.massActions).toHaveLength(1);
  },
  upsertCreateStatus: async () => {
    const it = await turned({ upsertCreateStatus: 201 });
    expect((await upsert(it, { email: 'new@b.test' })).status).toBe(201);
    expect((await upsert(it, { email: 'new@b.test' })).status).toBe(200);
  },
  upsertNeedsNetworkId: async () => {
    const it = await turned({ upsertNeedsNetworkId: true });
    expect((await upsert(it, { email: 'new@b.test' })).status).toBe(422);
    expect((await upsert(it, { network_id: 'new' })).status).toBe(200);
  },
  upsertExisting: async () => {
    const it = await turned({ upsertExisting: 'refused' });
    const again = { email: 'ada@engine.test', position: 'Director' };
    expect((await upsert(it, again, { update_if_exists: false })).status).toBe(422);
    expect((await upsert(it, again)).status).toBe(200);
    it.standin.switches.upsertExisting = 'duplicated';
    const second = await upsert(it, again, { update_if_exists: false });
    expect(second.json).toMatchObject({ status: 'duplicate', work_email: 'ada@engine.test' });
    expect(uuidOf(second)).not.toBe(it.contact);
  },
  unknownList: async () => {
    const it = await turned({ unknownList: 404 });
    expect((await upsert(it, { email: 'new@b.test' }, { list_uuid: nobody })).status).toBe(404);
  },
  customFields: async () => {
    const it = await turned({ customFields: 'ignored' });
    await upsert(it, { email: 'ada@engine.test' }, { custom_fields: { segment: 'A', '1st': 'x' } });
    expect(it.standin.model.contacts.get(it.contact).customFields).toEqual({});
  },
  customFieldNames: async () => {
    const it = await turned({ customFieldNames: ['segment'] });
    const write = async (field: string) =>
      (await upsert(it, { email: 'ada@engine.test' }, { custom_fields: { [field]: 'A' } })).status;
    expect([await write('segment'), await write('region')]).toEqual([200, 422]);
  },
  unknownCustomField: async () => {
    const it = await turned({ unknownCustomField: 'ignored', customFieldNames: ['segment'] });
    await upsert(it, { email: 'ada@engine.test' }, { custom_fields: { segment: 'A', region: 'B' } });
    expect(it.standin.model.contacts.get(it.contact).customFields).toEqual({ segment: 'A' });
  },
  enrichmentDelayMs: async () => {
    const it = await turned({ enrichmentDelayMs: 120_000 });
    const uuid = uuidOf(await upsert(it, { email: 'new@b.test', position: 'Analyst', company_name: 'Engine' }));
    it.advance(120_000);
    expect((await it.call('GET', `${leads}/${uuid}`)).json).toMatchObject({
      position: 'Senior Analyst',
      headline: 'Senior Analyst at Engine',
      updated_at: '2026-11-21T12:02:00.000000Z',
    });
  },
  automationOrder: async () => {
    const it = await turned({ automationOrder: 'desc' });
    it.advance(1000);
    const later = it.standin.model.automations.add({ name: 'Later', status: 'on' }).uuid;
    expect(rowsOf(await it.call('GET', flows)).map(({ uuid }) => uuid)).toEqual([later, it.flow]);
  },
  flatFilters: async () => {
    const it = await turned({ flatFilters: 'ignored' });
    expect(rowsOf(await it.call('GET', `${flows}?status=off`))).toHaveLength(1);
    expect(rowsOf(await it.call('GET', `${flows}?filter[status]=off`))).toHaveLength(0);
  },
  timeblocks: async () => {
    const it = await turned({ timeblocks: 'min_max' });
    expect(rowsOf(await it.call('GET', flows))[0]).toMatchObject({
      schedule: { timeblocks: [{ dow: 1, min: 540, max: 1080 }, {}, {}, {}, {}] },
    });
  },
  sundayAs: async () => {
    const it = await turned({ sundayAs: 7 });
    const schedule = { timezone: 'UTC', timeblocks: [{ dow: 0, from: 0, to: 1440 }] };
    it.standin.model.automations.table.change(it.flow, { schedule }, 0);
    expect(rowsOf(await it.call('GET', flows))[0]).toMatchObject({ schedule: { timeblocks: [{ dow: 7 }] } });
  },
  addToStopped: async () => {
    const it = await turned({ addToStopped: 'refused' });
    const add = async () => (await it.call('POST', `${flows}/${it.flow}/leads/${it.contact}`)).status;
    expect(await add()).toBe(204);
    await it.call('PUT', `${flows}/${it.flow}/stop`);
    expect(await add()).toBe(422);
  },
  addTwice: async () => {
    const second = async (addTwice: Switches['addTwice']) => {
      const it = await turned({ addTwice });
      await it.call('POST', `${flows}/${it.flow}/leads/${it.contact}`);
      const { status, json } = await it.call('POST', `${flows}/${it.flow}/leads/${it.contact}`);
      return [status, json['message']];
    };
    expect(await second('conflict')).toEqual([409, expect.stringContaining('already')]);
    expect(await second('refused')).toEqual([422, expect.stringContaining('already')]);
  },
  addNewLeadAnswer: async () => {
    const it = await turned({ addNewLeadAnswer: 'lead' });
    const body = { lead: { email: 'new@b.test' }, list_uuid: it.list };
    const { status, json } = await it.call('POST', `${flows}/${it.flow}/add-new-lead`, body);
    expect([status, json]).toMatchObject([200, { lead: { work_email: 'new@b.test' }, message: expect.any(String) }]);
  },
  cancelAnswer: async () => {
    const it = await turned({ cancelAnswer: 'message' });
    for (const [path, body] of [
      ['cancel', { flow_uuids: [it.flow] }],
      ['cancel-all', undefined],
    ] as const) {
      const { status, json } = await it.call('PUT', `${flows}/leads/${it.contact}/${path}`, body);
      expect([status, json]).toEqual([200, { message: expect.any(String) }]);
    }
  },
  cancelDelayMs: async () => {
    const it = await turned({ cancelDelayMs: 0 });
    await it.call('POST', `${flows}/${it.flow}/leads/${it.contact}`);
    await it.call('PUT', `${flows}/leads/${it.contact}/cancel-all`);
    expect(it.standin.model.automations.activeFlows(it.contact)).toEqual([]);
  },
  profileCreateStatus: async () => {
    const it = await turned({ profileCreateStatus: 200 });
    expect((await it.call('POST', profiles, name)).status).toBe(200);
  },
  profilesMax: async () => {
    const it = await turned({ profilesMax: 2 });
    expect((await it.call('POST', profiles, name)).status).toBe(201);
    const { status, json } = await it.call('POST', profiles, name);
    expect([status, json]).toMatchObject([402, { error: { reason: 'payment_required' } }]);
  },
  profileLimitStatus: async () => {
    const status = async (profileLimitStatus: Switches['profileLimitStatus']) =>
      (await (await turned({ profileLimitStatus, profilesMax: 1 })).call('POST', profiles, name)).status;
    expect([await status(403), await status(422)]).toEqual([403, 422]);
  },
  subscriptionActive: async () => {
    const it = await turned({ subscriptionActive: false });
    const path = '/flows/client-api/sender-profiles/connect-external';
    const { status, json } = await it.call('POST', path, { ...name, external_browser_profile_id: 'b-1' });
    expect([status, json]).toMatchObject([402, { message: expect.stringContaining('subscription') }]);
    expect((await it.call('POST', profiles, name)).status).toBe(201);
  },
  externalProfileIdField: async () => {
    const it = await turned({ externalProfileIdField: 'browser_id' });
    const path = '/flows/client-api/sender-profiles/connect-external';
    expect((await it.call('POST', path, { ...name, browser_id: 'b-1' })).status).toBe(201);
    expect((await it.call('POST', path, { ...name, external_browser_profile_id: 'b-1' })).status).toBe(422);
  },
  messageDelayMs: async () => {
    const it = await turned({ messageDelayMs: 0 });
    const sent = await it.call('POST', messages, { sender_profile_uuid: it.profile, lead_uuid: it.contact, text: 'x' });
    expect(sent.json).toMatchObject({ status: 'new' });
    expect(rowsOf(await it.call('GET', messages))).toMatchObject([{ status: 'done' }]);
  },
  messageOutcome: async () => {
    const it = await turned({ messageOutcome: 'failed', messageDelayMs: 0 });
    await it.call('POST', messages, { sender_profile_uuid: it.profile, lead_uuid: it.contact, text: 'x' });
    expect(rowsOf(await it.call('GET', messages))).toMatchObject([
      { status: 'failed', fail_reason: expect.any(String), sent_at: null },
    ]);
  },
  messageSpelling: async () => {
    const it = await turned({ messageSpelling: 'variant' });
    it.standin.model.inbox.addMessage({
      sender_profile_uuid: it.profile,
      lead_uuid: it.contact,
      kind: 'connection_note',
    });
    expect(rowsOf(await it.call('GET', messages))).toMatchObject([
      { kind: 'Connection-Note', automation: { name: 'manual' } },
    ]);
  },
  emailDelayMs: async () => {
    const it = await turned({ emailDelayMs: 0 });
    await it.call('POST', `${emails}/send-email`, {
      sender_profile_uuid: it.profile,
      lead_uuid: it.contact,
      body: 'x',
    });
    expect(rowsOf(await it.call('GET', emails))).toMatchObject([{ status: 'sent' }]);
  },
  emailOutcome: async () => {
    const ended = async (emailOutcome: Switches['emailOutcome']) => {
      const it = await turned({ emailOutcome, emailDelayMs: 0 });
      await it.call('POST', `${emails}/send-email`, {
        sender_profile_uuid: it.profile,
        lead_uuid: it.contact,
        body: 'x',
      });
      return rowsOf(await it.call('GET', emails));
    };
    expect(await ended('error')).toMatchObject([{ status: 'error', sent_at: null }]);
    const [sent, bounce] = await ended('bounced');
    expect(sent).toMatchObject({ status: 'bounced', bounced_by_uuid: bounce?.['uuid'] });
    expect(bounce).toMatchObject({ type: 'inbox', replied_to_uuid: sent?.['uuid'] });
  },
  emailPaging: async () => {
    const it = await turned({ emailPaging: 'nested' });
    const answer = await it.call('GET', emails);
    expect(Object.keys(answer.json)).toEqual(['data', 'pagination']);
    expect(fieldOf(answer, 'pagination')).toEqual({ limit: 20, offset: 0, total: 0, has_more: false });
  },
  hasMore: async () => {
    const it = await turned({ hasMore: 'absent' });
    expect((await it.call('GET', lists)).json).not.toHaveProperty('has_more');
    it.standin.switches.hasMore = 'wrong';
    expect((await it.call('GET', lists)).json).toMatchObject({ total: 1, has_more: true });
  },
};

describe('set,', () => {
  test.each(Object.keys(effects) as (keyof Switches)[])('%s has its described effect', async (key) => {
    expect.hasAssertions();
    await effects[key]();
  });
});

test('with no switch set, all are at their defaults', async () => {
  expect((await trial()).standin.switches).toEqual(defaultSwitches());
});
