import { describe, expect, test } from 'vitest';
import { readLog } from '../../src/operator/history.ts';
import { readRetries } from '../../src/operator/retry-seen.ts';
import { retry } from '../../src/operator/retry.ts';
import type { Operator } from '../../src/operator/operator.ts';
import { createEnrolmentTrial, rowOf } from '../engine/enrolment/support.ts';
import { createSyncTrial, tabTitle } from '../support/app.ts';
import { addSecondSync } from '../support/second-sync.ts';
import { ann, createConflicts, createLinkedTrial, operatorError, operatorOf } from './support.ts';

/* The record that a retry means. */

test('D1: a name that two contacts have is refused with both uuids, and one that a single contact has is taken', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cy']);
  const { operator } = trial;
  trial.type('bob@firm.io', 'First name', 'Ann');
  trial.type('bob@firm.io', 'Last name', 'A');
  await trial.run();
  const [first, second] = [trial.uuidOf('Ann'), trial.uuidOf('Bob')];
  await expect(retry(operator, ann, { ids: ['ann a'], isSure: false })).rejects.toMatchObject(
    operatorError(
      'ambiguous',
      new RegExp(`^ann a is 2 contacts of prospects: name one of .*${first} \\(Ann A <ann@firm.io>\\)`),
    ),
  );
  await expect(retry(operator, ann, { ids: ['ann a'], isSure: false })).rejects.toThrow(second);
  const cy = trial.uuidOf('Cy');
  trial.person.deleteRows('Prospects', 4);
  await trial.run();
  const { requests } = await retry(operator, ann, { ids: ['cy c'], isSure: false });
  expect(requests.map(({ id }) => id)).toEqual([cy]);
});

test('D1: one wrong id among right ones records nothing', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob']);
  const { operator } = trial;
  trial.person.deleteRows('Prospects', 2);
  await trial.run();
  await expect(retry(operator, ann, { ids: ['ann@firm.io', 'row:99'], isSure: false })).rejects.toMatchObject(
    operatorError(
      'unknown',
      'nothing was open about row:99 in the last run: leadsheet explain row:99 says how it stands, and its id',
    ),
  );
  await expect(retry(operator, ann, { ids: [], sync: 'others', isSure: false })).rejects.toMatchObject(
    operatorError('unknown', 'there is no sync or outbox others; there are prospects'),
  );
  expect((await operator.store.sync('prospects').load()).requests.size).toBe(0);
});

test('L12: the history of a contact is found by its name, and an unknown one is named', async () => {
  const { operator, uuidOf } = await createLinkedTrial(['Ann', 'Bob']);
  const read = (contact: string) =>
    Array.fromAsync(readLog(operator, { contact }, { follow: false, signal: new AbortController().signal }));
  const lines = await read('Bob B');
  expect(lines.length).toBeGreaterThan(0);
  expect(new Set(lines.map((line) => line.contact))).toEqual(new Set([uuidOf('Bob')]));
  await expect(read('Nobody')).rejects.toMatchObject(
    operatorError('nothing', 'no linked contact has the name Nobody; the history knows others by their uuid'),
  );
});

test('E1: of an enrolment that two syncs have, one yes has it done again once', async () => {
  const trial = createEnrolmentTrial({ rows: [rowOf('ann@firm.io', 'Welcome')] });
  await trial.run();
  addSecondSync(trial, { Mail: 'email' }, [
    ['Mail', 'Automation'],
    ['ann@firm.io', 'Welcome'],
  ]);
  await trial.cli('sync', 'second');
  await trial.cli('approve', 'second', '--yes');
  await trial.cli('sync', 'second');
  const [id, before] = [`${trial.contactOf('ann@firm.io').uuid}/Welcome`, trial.callsOf('automations.add-contact')];
  expect(await trial.cli('retry', id, '--yes')).toMatchObject({
    code: 64,
    stderr: `leadsheet: ${id} is known to prospects and second: say which with --sync\n`,
  });
  expect((await trial.cli('retry', id, '--yes', '--sync', 'second')).code).toBe(0);
  await trial.cli('sync');
  expect(trial.callsOf('automations.add-contact') - before).toBe(1);
});

test('E1, E3: without a name nothing is tried again that may have been done, and the question says what is unknown', async () => {
  const trial = createEnrolmentTrial();
  await trial.linked('ann@firm.io');
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when: 'before' });
  await trial.run();
  expect(await trial.run()).toMatchObject({ status: 'partial', problems: [{ kind: 'quarantined', rule: 'E3' }] });
  expect((await retry(operatorOf(trial), ann, { ids: [], isSure: false })).requests).toEqual([]);
  await trial.run();
  expect(trial.enrolled()).toEqual([]);
  const { store } = await trial.start();
  {
    await using lease = await store.sync('prospects').acquireLease();
    const { ledger } = await lease.load();
    const begun = [...ledger].map(([key, entry]) => [key, { ...entry, state: 'intended' }] as const);
    await lease.commit({ ledger: { put: new Map(begun) } });
  }
  await expect(retry(operatorOf(trial), ann, { ids: ['ann@firm.io/Welcome'], isSure: false })).rejects.toMatchObject(
    operatorError('doubt', /it is unknown whether .* into Welcome was enrolled/),
  );
});

test('retry: of a contact in sync there is nothing to retry, and nothing is recorded', async () => {
  const trial = await createLinkedTrial(['Ann']);
  const { operator } = trial;
  await expect(retry(operator, ann, { ids: ['ann@firm.io'], isSure: false })).rejects.toMatchObject(
    operatorError('nothing', 'nothing to retry: nothing of ann@firm.io is open'),
  );
  await expect(retry(operator, ann, { ids: [trial.uuidOf('Ann')], isSure: true })).rejects.toMatchObject(
    operatorError('nothing', `nothing to retry: nothing of Ann A <ann@firm.io> (${trial.uuidOf('Ann')}) is open`),
  );
  expect((await operator.store.sync('prospects').load()).requests.size).toBe(0);
});

test('E1, E3: a contact whose enrolment is meant names the id of that; the automation is taken by its name', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob'], { sync: { automation: { column: 'Automation' } } });
  const { operator } = trial;
  const [annId, welcome] = [trial.uuidOf('Ann'), '3bae3540-25d1-4297-a243-70d9007a3773'];
  const { store } = await trial.start();
  {
    await using lease = await store.sync('prospects').acquireLease();
    await lease.load();
    const entry = { state: 'unknown', at: Date.UTC(2026, 10, 20), run: 'r1', name: 'Welcome to us' };
    await lease.commit({ ledger: { put: new Map([[`${annId} ${welcome}`, entry]]) } });
  }
  const meant = `leadsheet retry ${annId}/${welcome} (Welcome to us, unknown)`;
  for (const given of ['ann@firm.io', annId]) {
    await expect(retry(operator, ann, { ids: [given], isSure: true })).rejects.toMatchObject(
      operatorError(
        'nothing',
        new RegExp(`an enrolment is tried again by its own id: ${meant.replaceAll(/[()]/g, '.')}`),
      ),
    );
  }
  await expect(retry(operator, ann, { ids: ['ann@firm.io/welcome to us'], isSure: false })).rejects.toMatchObject(
    operatorError('doubt', /it is unknown whether Ann A <ann@firm.io> into Welcome to us was enrolled/),
  );
  const { requests } = await retry(operator, ann, { ids: [`${annId}/Welcome to us`], isSure: true });
  expect(requests.map(({ id }) => id)).toEqual([`${annId}/${welcome}`]);
  await expect(retry(operator, ann, { ids: ['bob@firm.io/Welcome to us'], isSure: true })).rejects.toMatchObject({
    code: 'unknown',
  });
});

/** The same operator; every load of a whole state is counted. */
function countLoads(operator: Operator) {
  const counted = { whole: 0 };
  const { store } = operator;
  const sync = (name: string) => {
    const state = store.sync(name);
    const load = async () => {
      counted.whole += 1;
      return state.load();
    };
    return { ...state, load };
  };
  return { counted, operator: { ...operator, store: { ...store, sync } } };
}

test.each(['uuid', 'UUID', 'ann@firm.io', 'ANN@firm.io', 'Ann A', ' ann  a '])(
  'retry and log find a contact by %j without loading the whole state',
  async (reference) => {
    const trial = await createLinkedTrial(['Ann', 'Bob', 'Anna']);
    const uuid = trial.uuidOf('Ann');
    trial.person.deleteRows('Prospects', 2);
    await trial.run();
    const { counted, operator } = countLoads(trial.operator);
    const name = reference === 'uuid' ? uuid : reference === 'UUID' ? uuid.toUpperCase() : reference;
    const signal = new AbortController().signal;
    const lines = await Array.fromAsync(readLog(operator, { contact: name.trim() }, { follow: false, signal }));
    expect(new Set(lines.map(({ contact }) => contact))).toEqual(new Set([uuid]));
    expect((await retry(operator, ann, { ids: [name.trim()], isSure: false })).requests).toMatchObject([{ id: uuid }]);
    expect(counted.whole).toBe(0);
  },
);

test('retry: several names, a problem and everything that is open are found as one name is', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cy']);
  const [a, b] = [trial.uuidOf('Ann'), trial.uuidOf('Bob')];
  trial.person.deleteRows('Prospects', 2, 2);
  await trial.run();
  const retryOf = async (...ids: string[]) =>
    (await retry(trial.operator, ann, { ids, isSure: false })).requests.map(({ id }) => id);
  expect(await retryOf('ann@firm.io', 'Bob B')).toEqual([a, b]);
  expect(await retryOf(a, b)).toEqual([a, b]);
  await expect(retryOf('ann@firm.io', 'cy@firm.io')).rejects.toThrow('nothing of cy@firm.io is open');
  await expect(retryOf('Cy C')).rejects.toThrow('nothing of Cy C is open');
  await expect(retryOf('nobody@firm.io')).rejects.toThrow('nothing is known of nobody@firm.io');
  expect(await retryOf()).toEqual([]);
});

test('E1: an enrolment is found by address and automation, and by uuid and automation', async () => {
  const trial = createEnrolmentTrial();
  const [uuid] = await trial.linked('ann@firm.io');
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  await trial.run();
  const operator = operatorOf(trial);
  for (const id of ['ann@firm.io/Welcome', `${uuid}/welcome`, 'ann/Welcome'])
    await expect(retry(operator, ann, { ids: [id], isSure: false })).rejects.toMatchObject(
      operatorError('doubt', /into Welcome was done already/),
    );
});

describe('E1, L12, L14: a retry of an enrolment', () => {
  /** The enrolment of ann is of unknown outcome, and a person asks for it again. */
  async function retried() {
    const trial = createEnrolmentTrial();
    const [uuid = ''] = await trial.linked('ann@firm.io', 'bob@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'automations.add-contact', times: 1 });
    await trial.run();
    await retry(operatorOf(trial), ann, { ids: [`${uuid}/${trial.welcome.uuid}`], isSure: true });
    const outcomes = async () =>
      (await trial.history()).flatMap(({ decision, outcome }) => (decision ? [outcome] : []));
    return { ...trial, outcomes };
  }

  test.each([
    [
      'the automations cannot be read',
      ({ service }: Awaited<ReturnType<typeof retried>>) => {
        service.faults.inject({ kind: 'status', status: 503, operation: 'automations.list', times: 50 });
        return () => service.faults.clear();
      },
    ],
    [
      'the column is missing',
      ({ person }: Awaited<ReturnType<typeof retried>>) => {
        person.deleteColumns('Prospects', 'F');
        return () => person.paste("'Prospects'!J1", [['Automation'], ['Welcome']]);
      },
    ],
    [
      'the row cannot be told from a copy',
      ({ person, type }: Awaited<ReturnType<typeof retried>>) => {
        person.copyPaste("'Prospects'!2:2", "'Prospects'!4:4");
        person.paste("'Prospects'!D2", [['one@firm.io']]);
        person.paste("'Prospects'!D4", [['two@firm.io']]);
        return () => {
          person.deleteRows('Prospects', 4);
          type('one@firm.io', 'Email', 'ann@firm.io');
        };
      },
    ],
  ])('waits while %s', async (_why, breakIt) => {
    const trial = await retried();
    const mend = breakIt(trial);
    await trial.run({ isFull: true });
    expect([trial.enrolled(), await trial.outcomes()]).toEqual([[], []]);
    mend();
    await trial.run({ isFull: true });
    await trial.run({ isFull: true });
    expect([trial.enrolled(), await trial.outcomes()]).toEqual([['ann@firm.io Welcome active'], ['taken']]);
  });

  test('is void once its row is deleted', async () => {
    const trial = await retried();
    trial.person.deleteRows('Prospects', trial.rowNumberOf('ann@firm.io'));
    await trial.run({ isFull: true });
    expect([trial.enrolled(), await trial.outcomes()]).toEqual([[], ['void']]);
  });
});

describe('L8, L9: a row that is named by its number', () => {
  /** The contact of row 2 was created and enrolled, and a person deleted it at once; row 3 waits for an e-mail address. */
  async function acceptedAbove() {
    let isDeleted = false;
    const trial = createEnrolmentTrial({
      rows: [rowOf('new@firm.io', 'Welcome'), rowOf('', 'Welcome', { 'First name': 'Nobody' })],
      around: async (request, next) => {
        const answer = await next(request);
        if (isDeleted || !request.url.endsWith('/add-new-lead')) return answer;
        isDeleted = true;
        trial.service.model.contacts.remove(trial.contactOf('new@firm.io').uuid);
        return answer;
      },
    });
    await trial.run();
    await trial.run();
    const { requests } = await retry(operatorOf(trial), ann, { ids: ['row:3'], isSure: false });
    expect(requests).toMatchObject([{ id: 'row:3' }]);
    const outcomes = async () =>
      (await trial.history()).flatMap(({ decision, outcome }) => (decision ? [outcome] : []));
    return { ...trial, outcomes };
  }

  test('is that row also where another one has its number by then', async () => {
    const trial = await acceptedAbove();
    trial.person.insertRows('Prospects', 2, 1);
    await trial.run();
    await trial.run();
    expect([trial.callsOf('automations.add-new-lead'), await trial.outcomes()]).toEqual([1, ['taken']]);
  });

  test.each([
    [
      'says something else by then',
      (trial: { person: Person }) => trial.person.paste("'Prospects'!A3", [['Somebody']]),
    ],
    [
      'is gone, and another one has its number',
      (trial: { person: Person }) => {
        trial.person.deleteRows('Prospects', 3);
        trial.person.insertRows('Prospects', 2, 1);
      },
    ],
    [
      'stands elsewhere, and another one looks alike',
      (trial: { person: Person }) => {
        trial.person.copyPaste("'Prospects'!3:3", "'Prospects'!4:4");
        trial.person.insertRows('Prospects', 2, 2);
      },
    ],
  ])('and that %s is not tried again, and the decision is void', async (_what, change) => {
    const trial = await acceptedAbove();
    change(trial);
    await trial.run();
    await trial.run();
    expect([trial.callsOf('automations.add-new-lead'), await trial.outcomes()]).toEqual([1, ['void']]);
  });

  test('is its contact, where the row has one', async () => {
    const trial = await createConflicts(['Ann']);
    const { requests } = await retry(operatorOf(trial), ann, { ids: ['row:2'], isSure: false });
    expect(requests).toMatchObject([{ id: trial.uuidOf('Ann') }]);
  });
});

type Person = Awaited<ReturnType<typeof createLinkedTrial>>['person'];

test('D3: of a row whose contact is gone, retry records nothing and says what ends it; the console has no button', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob'], { sync: { on_contact_deleted: 'mark' } });
  const uuid = trial.uuidOf('Ann');
  trial.service.model.contacts.remove(uuid);
  await trial.cli('sync', '--full');
  const ended =
    'deleted in the CRM; the row is left alone; what ends it: delete the row, or clear its ID to make a new contact of it';
  const said = `leadsheet: nothing to retry: a retry does not end what is open of Ann A <ann@firm.io> (${uuid}): ${ended}\n`;
  expect(await trial.cli('retry', uuid)).toMatchObject({ code: 1, stdout: '', stderr: said });
  expect(await readRetries(trial.operator, [{ job: 'prospects', id: uuid }])).toMatchObject([{ canRetry: false }]);
});

test('I4: of a copied row, retry records nothing and says what ends it; the advice and the console name no retry', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob']);
  trial.person.paste(`'${tabTitle}'!A4`, [trial.person.read(`'${tabTitle}'`)[1] as string[]]);
  expect((await trial.cli('sync')).stdout).toContain('-> quarantined: correct what it names\n');
  expect(await trial.cli('retry', 'row:4')).toMatchObject({
    code: 1,
    stderr:
      'leadsheet: nothing to retry: a retry does not end what is open of row:4: copy of row 2: clear its ID to make it a new contact\n',
  });
  expect((await trial.cli('retry')).stdout).not.toContain('row:4');
  expect(await readRetries(trial.operator, [{ job: 'prospects', id: 'row:4' }])).toMatchObject([{ canRetry: false }]);
});

test('P6: of a message that a new state holds, retry records nothing and names the approval, which sends it', async () => {
  const trial = createSyncTrial({
    values: [['To', 'From', 'Text', 'Send']],
    outbox: {
      messages: {
        resource: 'network_messages',
        columns: { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' },
      },
    },
  });
  trial.service.model.senderProfiles.add({ first_name: 'Sam', last_name: 'S', label: 'Sales' });
  trial.addContact({ first_name: 'Ann', last_name: 'A', email: 'ann@firm.io', network: 'ann' });
  trial.person.paste(`'${tabTitle}'!A2`, [['ann@firm.io', 'Sales', 'Hi', 'yes']]);
  await trial.cli('sync');
  expect(await trial.cli('retry', 'row:2')).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'leadsheet: nothing to retry: a retry does not end what is open of row:2: the state is new: approve once what it would send; what ends it: leadsheet plan messages shows what would be done; then leadsheet approve messages\n',
  });
  await trial.cli('approve', 'messages', '--yes');
  expect((await trial.cli('sync')).stdout).toContain('messages: 1 sent now');
});

test('E6: of a wish that a new state holds, retry records nothing and names the approval, which enrols', async () => {
  const trial = createEnrolmentTrial({ rows: [rowOf('ann@firm.io', 'Welcome')] });
  trial.addContact({ first_name: 'ann', last_name: 'Wisher', email: 'ann@firm.io' });
  await trial.cli('sync');
  const id = `${trial.contactOf('ann@firm.io').uuid}/Welcome`;
  expect(await trial.cli('retry', id)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `leadsheet: nothing to retry: a retry does not end what is open of ${id}: enrolment: the state or the column is new, approve it once; what ends it: leadsheet plan prospects shows what would be done; then leadsheet approve prospects\n`,
  });
  await trial.cli('approve', 'prospects', '--yes');
  await trial.cli('sync');
  expect(trial.callsOf('automations.add-contact')).toBe(1);
});

test('E1, E5: a retry of an enrolment that its cell does not name says what it needs, and what it says helps', async () => {
  const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' } });
  await trial.linked('ann@firm.io');
  for (const wish of ['Welcome', 'Nurture']) {
    trial.type('ann@firm.io', 'Automation', wish);
    await trial.run();
  }
  expect(trial.enrolled()).toContain('ann@firm.io Welcome cancelled');
  const id = `${trial.contactOf('ann@firm.io').uuid}/${trial.welcome.uuid}`;
  const { stdout } = await trial.cli('explain', 'ann@firm.io');
  expect(stdout).toContain(`- name it in its cell again, and enrol it again: leadsheet retry ${id} --yes`);
  expect(await trial.cli('retry', id, '--yes')).toEqual({
    code: 0,
    stdout: `prospects: ${id} is tried again if its cell names Welcome by then; the next run carries it out\n`,
    stderr: '',
  });
  trial.type('ann@firm.io', 'Automation', 'Nurture, Welcome');
  expect(await trial.run()).toMatchObject({ counts: { enrolled: 1 } });
  expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active', 'ann@firm.io Welcome active']);
});
