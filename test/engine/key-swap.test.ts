// Rows that swap their keys (I7): both keys end swapped, or neither, whatever fails or stops.
import { describe, expect, it, test } from 'vitest';
import { createSyncTrial, tabTitle, type TrialOptions } from '../support/app.ts';
import { repeats } from '../support/repeats.ts';

const header = ['First name', 'Company', 'Email', 'Status'];
const columns = { 'First name': 'first_name', Company: 'company_name', Email: 'email', Status: 'status' };
const [annMail, bobMail] = ['ann@firm.io', 'bob@firm.io'];

/** After a sync, the rows of Ann and Bob get each other's address, and Bob another company. */
async function swapped(options: TrialOptions = {}, others = 0) {
  const trial = createSyncTrial({ values: [header], columns, ...options });
  trial.addContact({ first_name: 'Ann', company_name: 'Firm', email: annMail });
  trial.addContact({ first_name: 'Bob', company_name: 'Firm', email: bobMail });
  for (let number = 0; number < others; number += 1) {
    trial.addContact({ first_name: `P${number}`, company_name: 'Firm', email: `p${number}@firm.io` });
  }
  await trial.run();
  const uuids = { ann: trial.contactOf(annMail).uuid, bob: trial.contactOf(bobMail).uuid };
  const mailOf = (uuid: string) => trial.contacts().find((each) => each.uuid === uuid)!.work_email ?? null;
  const mails = () => ({ ann: mailOf(uuids.ann), bob: mailOf(uuids.bob) });
  trial.type(annMail, 'Email', 'between@firm.io');
  trial.type(bobMail, 'Email', annMail);
  trial.type('between@firm.io', 'Email', bobMail);
  trial.service.received.clear();
  return { ...trial, uuids, mails };
}

const pass = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

const before = { ann: annMail, bob: bobMail };
const after = { ann: bobMail, bob: annMail };

/** Whether the request is this update: of this contact, with this address. */
async function isUpdate(request: Request, [uuid, email]: readonly [string, string]): Promise<boolean> {
  if (request.method !== 'PUT' || !request.url.endsWith(uuid)) return false;
  return ((await request.clone().json()) as { email?: string }).email === email;
}

const refusal = () => new Response(JSON.stringify({ message: 'not today' }), { status: 422, headers: json });
const json = { 'content-type': 'application/json' };

/** The service refuses one of the three calls of a swap, while `isOn`. */
async function refusing(which: 'letting go' | 'taking' | 'taking in turn') {
  const state = { isOn: true };
  const around: TrialOptions['around'] = async (request, next) => {
    if (!isBegun || !state.isOn) return next(request);
    const { ann, bob } = trial.uuids;
    // The contact whose row comes first releases its key: Bob.
    const call = { 'letting go': [bob, ''], taking: [ann, bobMail], 'taking in turn': [bob, annMail] } as const;
    return (await isUpdate(request, call[which])) ? refusal() : next(request);
  };
  let isBegun = false;
  const trial = await swapped({ around });
  isBegun = true;
  return { ...trial, state };
}

describe('I7: both halves, or neither', () => {
  it('I7, L6: a column that shows when the contact was changed, or its whole name, does not make our own call an edit', async () => {
    const trial = createSyncTrial({
      values: [[...header, 'Changed', 'Name']],
      columns: { ...columns, Changed: 'updated_at', Name: 'name' },
    });
    for (const name of ['Ann', 'Bob']) {
      const { uuid } = trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io` });
      trial.service.model.contacts.change(uuid, { fields: { updated_at: '2026-01-01T00:00:00.000Z' } });
    }
    await trial.run();
    const [first] = trial.grid();
    const [ann, bob] = [trial.contactOf(annMail).uuid, trial.contactOf(bobMail).uuid];
    const isAnnFirst = first?.['First name'] === 'Ann';
    trial.person.paste(`'${tabTitle}'!A2`, isAnnFirst ? [['Anne'], ['Bob']] : [['Bob'], ['Anne']]);
    trial.person.paste(`'${tabTitle}'!C2`, isAnnFirst ? [[bobMail], [annMail]] : [[annMail], [bobMail]]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    const mailOf = (uuid: string) => trial.contacts().find((each) => each.uuid === uuid)!.work_email;
    expect([mailOf(ann), mailOf(bob)]).toEqual([bobMail, annMail]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
  });

  it('I7, L4: if the reading before it fails, nothing is sent, and the next run does it', async () => {
    const trial = await swapped();
    let searches = 0;
    trial.service.faults.inject({
      kind: 'status',
      status: 503,
      times: 20,
      operation: 'contacts.search',
      matches: () => (searches += 1) > 1,
    });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { updated: 0 } });
    expect([trial.mails(), trial.crmCalls('contacts.update').length]).toEqual([before, 0]);
    trial.service.faults.clear();
    await trial.run();
    expect(trial.mails()).toEqual(after);
  });

  it.each(['before', 'after'] as const)(
    'I7, L1: an address that somebody types while the call that takes a key is lost (%s) is not put back over',
    async (when) => {
      let isTyped = false;
      const around: TrialOptions['around'] = async (request, next) => {
        if (!isBegun || isTyped || !(await isUpdate(request, [trial.uuids.ann, bobMail]))) return next(request);
        const { ann } = trial.uuids;
        const { contacts } = trial.service.model;
        if (when === 'after') await next(request);
        contacts.change(ann, { fields: { work_email: 'new@firm.io' } });
        isTyped = true;
        trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.update', times: 5 });
        return next(request);
      };
      let isBegun = false;
      const trial = await swapped({ around });
      isBegun = true;
      await trial.run();
      expect(isTyped).toBe(true);
      expect(trial.mails().ann).toBe('new@firm.io');
      await trial.run({ isFull: true });
      expect(trial.mails().ann).toBe('new@firm.io');
    },
  );

  it('I7: both end swapped, and no two contacts have one address on the way', async () => {
    const trial = await swapped();
    trial.atEachInstant(() => {
      const all = trial.contacts().flatMap(({ work_email }) => work_email ?? []);
      expect(new Set(all).size).toBe(all.length);
    });
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.mails()).toEqual(after);
  });

  it.each(['letting go', 'taking', 'taking in turn'] as const)(
    'I7, W5: where %s is refused, both keep theirs, in this run and the next, and swap once it is not',
    async (which) => {
      const trial = await refusing(which);
      for (let run = 0; run < 3; run += 1) {
        expect(await trial.run({ isFull: run === 2 })).toMatchObject({ status: 'partial' });
        expect(trial.mails()).toEqual(before);
      }
      expect([trial.rowOf(annMail)['First name'], trial.rowOf(bobMail)['First name']]).toEqual(['Bob', 'Ann']);
      trial.state.isOn = false;
      await new Promise((resolve) => setTimeout(resolve, 3_600_000));
      await trial.run();
      expect(await trial.run()).toMatchObject({ status: 'succeeded' });
      expect(trial.mails()).toEqual(after);
    },
  );

  it('I7, L12: a restored key is in the history, and the waiting rows are told', async () => {
    const trial = await refusing('taking');
    const report = await trial.run();
    const lines = (await trial.history()).filter(({ op, rule }) => op === 'update' && rule === 'I7');
    expect(lines).toMatchObject([
      { contact: trial.uuids.bob, before: bobMail, after: null, outcome: 'done' },
      { contact: trial.uuids.bob, before: null, after: bobMail, outcome: 'done' },
    ]);
    expect(report.problems.map(({ uuid, kind, rule }) => [uuid, kind, rule])).toEqual(
      expect.arrayContaining([
        [trial.uuids.bob, 'waiting', 'W3'],
        [trial.uuids.ann, 'refused', 'W5'],
      ]),
    );
  });

  it('I7, W3: if one of them was edited since it was read, neither key is released', async () => {
    const trial = await swapped();
    let searches = 0;
    trial.atEachInstant((what) => {
      if (typeof what === 'string' || !what.url.endsWith('/leads/search')) return;
      searches += 1;
      if (searches === 2) trial.service.model.contacts.change(trial.uuids.bob, { fields: { company_name: 'Theirs' } });
    });
    const { problems } = await trial.run();
    expect(trial.crmCalls('contacts.update')).toEqual([]);
    const whyOf = (wanted: string) => problems.flatMap(({ uuid, reason }) => (uuid === wanted ? [reason] : []));
    expect(whyOf(trial.uuids.bob)).toEqual(['changed while it was being written: planned again']);
    expect(whyOf(trial.uuids.ann)).toEqual(['waits for the contact that is to give up the key: planned again']);
    await trial.run();
    expect(trial.mails()).toEqual(after);
  });

  it('I7, W3: if one was edited right before its key is released, the key is put back, and each row is told what it waits for', async () => {
    const trial = await swapped();
    trial.atEachInstant((what) => {
      if (typeof what === 'string' || what.method !== 'PUT' || !what.url.endsWith(trial.uuids.bob)) return;
      trial.atEachInstant(() => {});
      trial.service.model.contacts.change(trial.uuids.bob, { fields: { company_name: 'Theirs' } });
    });
    const { problems } = await trial.run();
    expect(trial.mails()).toEqual(before);
    const whyOf = (wanted: string) => problems.flatMap(({ uuid, reason }) => (uuid === wanted ? [reason] : []));
    expect(whyOf(trial.uuids.bob)).toEqual(['changed while it was being written: planned again']);
    expect(whyOf(trial.uuids.ann)).toEqual(['waits for the contact that is to give up the key: planned again']);
    await trial.run();
    expect(trial.mails()).toEqual(after);
    expect(trial.contactOf(annMail).company_name).toBe('Theirs');
  });

  it('I7, M6: if the service keeps an emptied key, no contact takes it, and it is not tried at every run', async () => {
    const trial = await swapped({ switches: { blankValue: 'ignored' } });
    for (let run = 0; run < 4; run += 1) expect(await trial.run()).toMatchObject({ status: 'partial' });
    expect(trial.mails()).toEqual(before);
    expect(trial.crmCalls('contacts.update')).toHaveLength(1);
  });

  it.each(['manual', 'sheet', 'crm'] as const)(
    'I7, I8, L1: an edit that only the answer to the call shows counts for the next run, whose search still lags (conflict: %s)',
    async (conflict) => {
      const trial = await swapped({ switches: { blankValue: 'ignored' }, sync: { conflict } });
      await pass(600_000);
      trial.service.switches.searchLagMs = 60_000;
      trial.service.model.contacts.change(trial.uuids.bob, { fields: { work_email: 'typed@firm.io' } });
      const { problems } = await trial.run();
      expect(problems).toContainEqual(expect.objectContaining({ kind: 'refused', uuid: trial.uuids.bob }));
      expect(trial.mails()).toEqual({ ann: annMail, bob: 'typed@firm.io' });
      const row = trial.grid().findIndex((each) => each['First name'] === 'Bob') + 2;
      if (conflict !== 'crm') trial.person.paste(`'${tabTitle}'!C${row}`, [['row@firm.io']]);
      await trial.run();
      // While a search lags nothing is written to the contact.
      expect(trial.mails().bob).toBe('typed@firm.io');
      await pass(120_000);
      for (let run = 0; run < 2; run += 1) await trial.run({ isFull: true });
      const [contact, cell] = {
        manual: ['typed@firm.io', 'row@firm.io'],
        sheet: ['row@firm.io', 'row@firm.io'],
        crm: ['typed@firm.io', 'typed@firm.io'],
      }[conflict];
      expect([trial.mails(), trial.grid()[row - 2]?.['Email']]).toEqual([{ ann: bobMail, bob: contact }, cell]);
      const overwritten = (await trial.history()).filter(
        ({ before: held, outcome }) => held === 'typed@firm.io' && outcome === 'done',
      );
      expect(overwritten).toHaveLength(conflict === 'sheet' ? 1 : 0);
    },
  );

  it('I7, L12: who took a key and had to give it back is told so', async () => {
    const trial = await refusing('taking in turn');
    const { problems } = await trial.run();
    expect(problems.map(({ uuid, kind, rule }) => [uuid, kind, rule])).toEqual([
      [trial.uuids.bob, 'refused', 'W5'],
      [trial.uuids.ann, 'waiting', 'I7'],
    ]);
    expect(trial.mails()).toEqual(before);
  });

  it.each(['a', 'b', 'c'])(
    'I7, M6, L6: if the service does not store the new key of %s, one of three, all keep theirs after three tries',
    async (name) => {
      const next = { a: 'b', b: 'c', c: 'a' };
      const wanted = `${next[name as 'a']}@firm.io`;
      let uuid = '';
      const around: TrialOptions['around'] = async (request, answer) => {
        const isIgnored = uuid !== '' && (await isUpdate(request, [uuid, wanted]));
        return answer(isIgnored ? new Request(request.url, { headers: request.headers }) : request);
      };
      const trial = createSyncTrial({ values: [header], columns, around });
      for (const each of Object.keys(next)) trial.addContact({ first_name: each, email: `${each}@firm.io` });
      await trial.run();
      ({ uuid } = trial.contactOf(`${name}@firm.io`));
      const rows = trial.grid().map((row) => [`${next[row['First name'] as 'a']}@firm.io`]);
      trial.person.paste(`'${tabTitle}'!C2`, rows);
      const { problems } = await trial.run();
      expect(new Set(problems.map((each) => each.uuid)).size).toBe(3);
      for (let runs = 0; runs < 4; runs += 1) await trial.run();
      const calls = trial.crmCalls('contacts.update').length;
      const { counts } = await trial.run({ isFull: true });
      expect(counts).toMatchObject({ parked: 1, held: 2 });
      expect(trial.crmCalls('contacts.update')).toHaveLength(calls);
      for (const each of Object.keys(next)) expect(trial.contactOf(`${each}@firm.io`).first_name).toBe(each);
    },
  );

  /** Ann and Bob get each other's address, and these profiles. */
  async function withProfiles(profiles: { readonly ann: string; readonly bob: string }) {
    // The service keeps the address that a contact has, whatever it is sent.
    const trial = createSyncTrial({
      values: [[...header, 'Profile']],
      columns: { ...columns, Profile: 'network_id' },
      sync: { match: ['network_id', 'email'] },
      switches: { emailStoredAs: 'personal_email' },
    });
    trial.addContact({ first_name: 'Ann', email: annMail, network: 'ann-h' });
    trial.addContact({ first_name: 'Bob', email: bobMail, network: 'bob-h' });
    await trial.run();
    const areAnns = trial.grid().map((row) => row['First name'] === 'Ann');
    trial.person.paste(
      `'${tabTitle}'!C2`,
      areAnns.map((isAnn) => [isAnn ? bobMail : annMail]),
    );
    trial.person.paste(
      `'${tabTitle}'!E2`,
      areAnns.map((isAnn) => [isAnn ? profiles.ann : profiles.bob]),
    );
    trial.service.received.clear();
    return trial;
  }
  const held = (trial: Awaited<ReturnType<typeof withProfiles>>) =>
    trial
      .contacts()
      .map(({ first_name, work_email, network }) => [first_name, work_email, network])
      .toSorted(([a], [b]) => String(a).localeCompare(String(b)));
  const unchanged = [
    ['Ann', annMail, 'ann-h'],
    ['Bob', bobMail, 'bob-h'],
  ];

  it('I7, L1: a key that nobody waits for is not let go with the one that somebody does', async () => {
    const trial = await withProfiles({ ann: 'ann-new', bob: 'bob-new' });
    trial.atEachInstant(() => expect(trial.contacts().map(({ network }) => network)).not.toContain(null));
    await trial.run();
    expect(held(trial)).toEqual(unchanged);
    expect(trial.crmCalls('contacts.update')).toHaveLength(1);
  });

  it('I7, L1, L12: where the service lets only one of two keys go, that one is put back, and the history has both', async () => {
    const trial = await withProfiles({ ann: 'bob-h', bob: 'ann-h' });
    for (let runs = 0; runs < 5; runs += 1) {
      const { problems } = await trial.run({ isFull: runs === 3 });
      expect(problems.some(({ kind }) => kind === 'refused')).toBe(true);
      expect(held(trial)).toEqual(unchanged);
    }
    const lines = (await trial.history()).filter(({ field, rule }) => field === 'network_id' && rule === 'I7');
    expect(lines.slice(0, 2)).toMatchObject([
      { after: null, outcome: 'done' },
      { before: null, outcome: 'done' },
    ]);
  });

  it('I7: a key is not taken from a contact that was to give it up and was not written', async () => {
    let uuid = '';
    const around: TrialOptions['around'] = async (request, next) =>
      request.method === 'PUT' && request.url.endsWith(uuid) ? refusal() : next(request);
    const trial = createSyncTrial({ values: [header], columns, around });
    trial.addContact({ first_name: 'Ann', email: annMail });
    trial.addContact({ first_name: 'Bob', email: bobMail });
    await trial.run();
    ({ uuid } = trial.contactOf(annMail));
    trial.type(annMail, 'Email', 'new@firm.io');
    trial.type(bobMail, 'Email', annMail);
    expect(await trial.run()).toMatchObject({ status: 'partial' });
    await trial.run();
    expect(trial.contactOf(annMail).first_name).toBe('Ann');
    expect(trial.contactOf(bobMail).first_name).toBe('Bob');
  });

  it('I7, L1: who gave a key up for a new one keeps the new one where the other contact is refused the key', async () => {
    let uuid = '';
    const around: TrialOptions['around'] = async (request, next) =>
      request.method === 'PUT' && request.url.endsWith(uuid) ? refusal() : next(request);
    const trial = createSyncTrial({ values: [header], columns, around });
    const ann = trial.addContact({ first_name: 'Ann', email: annMail });
    const bob = trial.addContact({ first_name: 'Bob', email: bobMail });
    await trial.run();
    ({ uuid } = bob);
    trial.type(annMail, 'Email', 'new@firm.io');
    trial.type(bobMail, 'Email', annMail);
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ uuid: bob.uuid, kind: 'refused', rule: 'W5' }]);
    expect([trial.contactOf('new@firm.io').uuid, trial.contactOf(bobMail).uuid]).toEqual([ann.uuid, bob.uuid]);
    const ofAnn = (await trial.history()).filter(({ op, contact }) => op === 'update' && contact === ann.uuid);
    expect(ofAnn).toMatchObject([{ before: annMail, after: 'new@firm.io', outcome: 'done' }]);
  });

  it('I7: a swap that begins where a batch of a hundred ends is not cut in two: both end swapped by the same run', async () => {
    const trial = await swapped({ sync: { limits: { changes: '100%' } } }, 99);
    for (let number = 0; number < 99; number += 1) trial.type(`p${number}@firm.io`, 'Company', 'Other');
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.mails()).toEqual(after);
  });
});

describe('I7, L10: a swap that ends in between is finished by the next run', () => {
  // The policies share the instants between them, with an odd step: in turns before and after a call.
  const policies = [
    { conflict: 'manual', first: 1 },
    { conflict: 'crm', first: repeats(3, 1) },
  ] as const;
  const step = repeats(9, 1);

  /** Counts the instants from the first call of the swap to the next write of the sheet. */
  function fromFirstCall(trial: Awaited<ReturnType<typeof swapped>>, each: (count: number) => void): void {
    let count = 0;
    trial.atEachInstant((what) => {
      if (count > 0 || (typeof what !== 'string' && what.method === 'PUT')) each((count += 1));
    });
  }

  test.each(policies)('I7, L10 $conflict: killed at any instant', async ({ conflict, first }) => {
    let survived = 0;
    for (let at = first; survived === 0; at += step) {
      const trial = await swapped({ sync: { conflict } });
      fromFirstCall(trial, (count) => count === at && trial.kill());
      if ((await trial.attempt()) !== 'killed') survived = at;
      trial.atEachInstant(() => {});
      await trial.start();
      await trial.run();
      expect([at, trial.mails()]).toEqual([at, after]);
      expect([at, trial.rowOf(annMail)['First name']]).toEqual([at, 'Bob']);
    }
    // Three calls with their answers, and the commits around them.
    expect(survived).toBeGreaterThan(12);
  });

  test.each(policies)(
    'I7, W8 $conflict: asked to end at any instant',
    { timeout: 120_000 },
    async ({ conflict, first }) => {
      for (let at = first; ; at += step) {
        const trial = await swapped({ sync: { conflict } });
        const stop = new AbortController();
        fromFirstCall(trial, (count) => count === at && stop.abort(new Error('SIGTERM')));
        await trial.run({ signal: stop.signal });
        trial.atEachInstant(() => {});
        if (!stop.signal.aborted) break;
        await trial.start();
        await trial.run();
        expect([at, trial.mails()]).toEqual([at, after]);
      }
    },
  );

  it('I7, L3: an edit of a key that was to be let go, and was not, is an edit still when people put their cells back', async () => {
    const trial = await swapped({ sync: { conflict: 'sheet' } });
    // Ann is to get the address that Bob has only in the service yet, and Bob hers: his is to be let go of.
    trial.change(bobMail, { work_email: 'new@firm.io' });
    trial.type(bobMail, 'Email', 'new@firm.io');
    fromFirstCall(trial, (count) => count === 1 && trial.kill());
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    expect(trial.mails()).toEqual({ ann: annMail, bob: 'new@firm.io' });
    const [ofAnn, ofBob] = [trial.rowNumberOf('new@firm.io'), trial.rowNumberOf(annMail)];
    trial.person.paste(`'${tabTitle}'!C${ofAnn}`, [[annMail]]);
    trial.person.paste(`'${tabTitle}'!C${ofBob}`, [[bobMail]]);
    await trial.start();
    for (let run = 0; run < 2; run += 1) await trial.run();
    expect(trial.mails()).toEqual({ ann: annMail, bob: 'new@firm.io' });
    expect(trial.rowOf('new@firm.io')['First name']).toBe('Bob');
  });

  it.each([
    ['', 0],
    [', while searches lag', 60_000],
  ])(
    'I7, L12: a key that was let go of without an answer, and given anew by a person since, may have been written%s',
    async (_lag, searchLagMs) => {
      const trial = await swapped({ sync: { conflict: 'manual' } });
      await pass(600_000);
      trial.service.switches.searchLagMs = searchLagMs;
      let calls = 0;
      trial.service.faults.inject({
        kind: 'blank',
        when: 'after',
        operation: 'contacts.update',
        times: 20,
        matches: ({ method }) => method === 'PUT' && (calls += 1) > 0,
      });
      let isTyped = false;
      trial.atEachInstant((what) => {
        if (calls === 0 || isTyped || what !== 'answered') return;
        isTyped = true;
        trial.service.model.contacts.change(trial.uuids.bob, { fields: { work_email: 'new@firm.io' } });
        trial.service.faults.clear();
      });
      const { run, problems } = await trial.run();
      trial.atEachInstant(() => {});
      expect(isTyped).toBe(true);
      const reason = 'it may have been written: the answer was lost, and somebody has given it another key since';
      expect(problems).toContainEqual(
        expect.objectContaining({ kind: 'unknown', rule: 'W4', uuid: trial.uuids.bob, reason }),
      );
      const told = (await trial.history()).find((line) => line.run === run && line.contact === trial.uuids.bob);
      expect(told).toMatchObject({ field: 'email', before: bobMail, after: null, outcome: 'unknown' });
      // What the person gave is an edit like any other: no call has taken it back.
      expect(trial.mails()).toEqual({ ann: annMail, bob: 'new@firm.io' });
      for (let later = 0; later < 3; later += 1) {
        await trial.run();
        expect(trial.mails().bob).toBe('new@firm.io');
        await pass(60_000);
      }
      expect(trial.mails()).toEqual({ ann: bobMail, bob: 'new@firm.io' });
    },
  );

  test.each([1, 2, 3])('I7, W4: the answer to call %i is lost for good: swapped by the next runs', async (lost) => {
    for (const when of ['before', 'after'] as const) {
      const trial = await swapped({ sync: { conflict: 'crm' } });
      let calls = 0;
      const isLost = ({ method }: Request) => method === 'PUT' && (calls += 1) >= lost;
      trial.service.faults.inject({ kind: 'lost', when, operation: 'contacts.update', times: 20, matches: isLost });
      trial.service.faults.inject({ kind: 'lost', when, operation: 'contacts.get', times: 20 });
      await trial.run();
      trial.service.faults.clear();
      for (let run = 0; run < 3; run += 1) await trial.run({ isFull: run > 0 });
      expect([when, trial.mails()]).toEqual([when, after]);
    }
  });
});

it('I7: three rows that pass their addresses on, and one that only waits for one of them', async () => {
  const trial = createSyncTrial({ values: [header], columns });
  const names = ['d', 'a', 'b', 'c'];
  for (const name of names) trial.addContact({ first_name: name, email: `${name}@firm.io` });
  await trial.run();
  const rows = trial.grid().map((row) => String(row['First name']));
  // a -> b -> c -> a. d takes an unused address, which frees no key of the others.
  const next = new Map([
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
    ['d', 'e'],
  ]);
  trial.person.paste(
    `'${tabTitle}'!C2`,
    rows.map((name) => [`${next.get(name) ?? name}@firm.io`]),
  );
  trial.service.received.clear();
  expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  for (const name of names) expect(trial.contactOf(`${next.get(name)}@firm.io`).first_name).toBe(name);
  expect(trial.crmCalls('contacts.update')).toHaveLength(5);
});
