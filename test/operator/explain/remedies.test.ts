import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ProblemKind } from '../../../src/sync/change.ts';
import { createEnrolmentTrial, rowOf } from '../../engine/enrolment/support.ts';
import { createOutboxTrial } from '../../engine/outbox/support.ts';
import { createSyncTrial, tabTitle, type TrialOptions } from '../../support/app.ts';
import { createLinkedTrial } from '../support.ts';
import { copy, recordOf, remedies } from './support.ts';

/* Each thing that is open names its remedies, and each of them helps. */

const columns = { 'First name': 'first_name', Company: 'company_name', Email: 'email', Position: 'position' };
const [ann, bob] = ['ann@firm.io', 'bob@firm.io'];
type Trial = ReturnType<typeof createSyncTrial>;

async function inSync({ sync, ...options }: TrialOptions = {}) {
  const limits = { deletes: '100%', changes: '100%', blanks: '100%' };
  const trial = createSyncTrial({
    columns,
    values: [Object.keys(columns)],
    sync: { conflict: 'manual', limits, ...sync },
    ...options,
  });
  for (const name of ['Ann', 'Bob', 'Cy']) {
    const email = `${name.toLowerCase()}@firm.io`;
    trial.addContact({ first_name: name, company_name: 'Firm', email, position: 'Buyer' });
  }
  await trial.run();
  return trial;
}

interface Story {
  readonly options?: TrialOptions;
  readonly happens: (trial: Trial) => void | Promise<void>;
  /** Left out: Ann. */
  readonly reference?: (trial: Trial) => string;
  readonly kind: ProblemKind;
  readonly rule: string;
  /** A part of the remedy that is tried. */
  readonly remedy: string;
  /** For a remedy that is no command: what a person changes. */
  readonly change?: (trial: Trial) => void;
  /** Before the remedy: the cause outside goes away. */
  readonly meanwhile?: (trial: Trial) => void;
}

const stories: Readonly<Record<string, Story>> = {
  'a conflict, for the service': {
    happens: bothEdit,
    kind: 'conflict',
    rule: 'M1',
    remedy: '--use crm',
  },
  'a conflict, for the sheet': { happens: bothEdit, kind: 'conflict', rule: 'M1', remedy: '--use sheet' },
  'a parked field': {
    options: { switches: { updateIgnores: ['position'] } },
    happens: async (trial) => {
      trial.type(ann, 'Position', 'Seller');
      for (let run = 0; run < 3; run += 1) await trial.run();
    },
    kind: 'parked',
    rule: 'M6',
    remedy: '/position',
    meanwhile: (trial) => void (trial.service.switches.updateIgnores = []),
  },
  'a refused update': {
    happens: (trial) => {
      trial.type(ann, 'Company', 'Other');
      trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.update' });
    },
    kind: 'refused',
    rule: 'W5',
    remedy: 'leadsheet retry ',
  },
  'a refused new row': {
    happens: (trial) => {
      trial.person.paste(`'${tabTitle}'!A5`, [['Dee', 'Firm', 'dee@firm.io', 'Buyer']]);
      trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.upsert' });
    },
    reference: () => 'row:5',
    kind: 'refused',
    rule: 'W5',
    remedy: 'leadsheet retry row:5 --sync prospects',
  },
  'a deleted row': {
    happens: (trial) => trial.person.deleteRows(tabTitle, trial.rowNumberOf(ann)),
    kind: 'ignored',
    rule: 'D1',
    remedy: 'leadsheet retry ',
  },
  'an error in a cell': {
    happens: (trial) => trial.person.type(cellOfAnn(trial, 'D'), '=1/0'),
    kind: 'unreadable',
    rule: 'V4',
    remedy: 'correct the cell (cell D',
    change: (trial) => trial.person.type(cellOfAnn(trial, 'D'), 'Buyer'),
  },
  'a formula in the way': {
    happens: (trial) => {
      trial.person.type(cellOfAnn(trial, 'D'), '="Buy"&"er"');
      trial.change(ann, { position: 'Boss' });
    },
    kind: 'held',
    rule: 'V5',
    remedy: 'the formula (cell D',
    change: (trial) => trial.person.type(cellOfAnn(trial, 'D'), 'Buyer'),
  },
  'a key of another contact': {
    happens: (trial) => trial.type(ann, 'Email', bob),
    reference: (trial) => cellOfAnn(trial, 'C'),
    kind: 'held',
    rule: 'I7',
    remedy: 'correct what the reason names',
    change: (trial) => trial.person.type(cellOfAnn(trial, 'C'), ann),
  },
};

function cellOfAnn(trial: Trial, column: string): string {
  const index = trial.grid().findIndex((row) => row['First name'] === 'Ann');
  return `'${tabTitle}'!${column}${index + 2}`;
}

function bothEdit(trial: Trial): void {
  trial.type(ann, 'Company', 'By hand');
  trial.change(ann, { company_name: 'By the CRM' });
}

describe('a remedy of a sync', () => {
  test.each(Object.entries(stories))('%s', async (_, story) => {
    const trial = await inSync(story.options);
    await story.happens(trial);
    await trial.cli('sync');
    const reference = story.reference?.(trial) ?? ann;
    const record = await recordOf(trial, reference);
    const [problem] = record.problems;
    expect(record.problems).toMatchObject([{ kind: story.kind, rule: story.rule }]);
    const meant = problem!.remedies.find(({ text, command }) => (command ?? text).includes(story.remedy));
    expect(problem!.remedies).toContain(meant);
    story.meanwhile?.(trial);
    story.change?.(trial);
    const copied = story.change ? { code: 0 } : await copy(trial, meant!.command!);
    expect(copied).toMatchObject({ code: 0 });
    expect(await trial.cli('sync')).toMatchObject({ code: 0 });
    expect((await recordOf(trial, reference)).problems).toEqual([]);
  });

  test('a decision that was made is shown until a run has carried it out', async () => {
    const trial = await inSync();
    bothEdit(trial);
    await trial.cli('sync');
    const [use] = remedies(await recordOf(trial, ann));
    await copy(trial, use!);
    const { decisions, next } = await recordOf(trial, ann);
    expect(decisions).toMatchObject([{ decision: 'resolve', text: 'company_name takes what the service holds' }]);
    expect(next!.changes).toMatchObject([
      { side: 'sheet', op: 'set', before: 'By hand', after: 'By the CRM', rule: 'M1' },
    ]);
    await trial.cli('sync');
    expect(await recordOf(trial, ann)).toMatchObject({ decisions: [], problems: [] });
  });

  test('a held plan names the run to approve, and the contact says what waits', async () => {
    const trial = await inSync({ sync: { limits: { changes: '1%' } } });
    for (const name of ['Dee', 'Eve', 'Fay']) trial.addContact({ first_name: name, email: `${name}@firm.io` });
    await trial.run();
    for (const name of ['ann', 'bob', 'cy']) trial.change(`${name}@firm.io`, { company_name: 'Other' });
    expect(await trial.cli('sync')).toMatchObject({ code: 3 });
    const record = await recordOf(trial, ann);
    expect(record.holds).toMatchObject([expect.stringMatching(/3 changed records are more than the limit/)]);
    expect(remedies(record)).toEqual([expect.stringMatching(/^leadsheet approve prospects --run \S+$/)]);
    expect(await copy(trial, remedies(record)[0]!)).toMatchObject({ code: 0 });
    expect(await trial.cli('sync')).toMatchObject({ code: 0 });
    expect(await recordOf(trial, ann)).toMatchObject({ holds: [], hold_remedies: [] });
  });
});

describe('G2: a record that the held plan changes', () => {
  test('is not said to agree, and names what waits; an approval that waits is carried out by the next run', async () => {
    const trial = await inSync({ sync: { limits: { changes: '1%' } } });
    for (const name of ['Dee', 'Eve', 'Fay']) trial.addContact({ first_name: name, email: `${name}@firm.io` });
    await trial.run();
    for (const name of ['ann', 'bob', 'cy']) trial.type(`${name}@firm.io`, 'Company', 'Other');
    expect(await trial.cli('sync')).toMatchObject({ code: 3 });
    const record = await recordOf(trial, ann);
    expect(record).toMatchObject({
      standing: 'linked; the held plan would change it',
      next: { changes: [], waits: ['held: service update company_name "Firm" -> "Other": changed in the sheet'] },
    });
    expect((await trial.cli('explain', ann)).stdout).not.toMatch(/both sides agree|nothing to do/);
    await copy(trial, remedies(record)[0]!);
    expect((await recordOf(trial, ann)).next).toMatchObject({
      changes: [{ side: 'crm', op: 'update', field: 'company_name', before: 'Firm', after: 'Other', rule: 'merge' }],
      waits: [],
    });
    expect(await trial.cli('sync')).toMatchObject({ code: 0 });
    expect(await recordOf(trial, ann)).toMatchObject({
      standing: 'linked, and both sides agree',
      next: { changes: [], waits: [] },
    });
  });

  test('names its deletion, and records beside it agree as before', async () => {
    const trial = await inSync({ sync: { on_row_deleted: 'delete_contact', limits: { deletes: '20%' } } });
    const gone = ['dee', 'eve', 'fay'].map((name) => `${name}@firm.io`);
    for (const email of gone) trial.addContact({ first_name: 'New', email });
    await trial.run();
    for (const email of gone) trial.person.deleteRows(tabTitle, trial.rowNumberOf(email));
    expect(await trial.cli('sync')).toMatchObject({ code: 3 });
    expect(await recordOf(trial, 'dee@firm.io')).toMatchObject({
      standing: 'linked; the held plan would change it',
      next: { changes: [], waits: ['held: service delete: its row was deleted'] },
    });
    expect(await recordOf(trial, 'bob@firm.io')).toMatchObject({
      standing: 'linked, and both sides agree',
      next: { changes: [], waits: [] },
    });
  });
});

describe('a remedy of an enrolment', () => {
  test('E3: an enrolment of unknown outcome is made again by the command, and once only', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked(ann);
    trial.type(ann, 'Automation', 'Welcome');
    trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when: 'before' });
    await trial.cli('sync');
    const record = await recordOf(trial, ann);
    expect(record.enrolments).toMatchObject([{ name: 'Welcome', state: 'unknown' }]);
    expect(remedies(record)).toHaveLength(1);
    expect(remedies(record)[0]).toMatch(/ --yes$/);
    expect(await copy(trial, remedies(record)[0]!)).toMatchObject({ code: 0 });
    await trial.cli('sync');
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
    const after = await recordOf(trial, ann);
    expect(after.enrolments).toMatchObject([{ state: 'enrolled', run: expect.stringMatching(/^2026/) }]);
    expect(remedies(after)).toEqual([]);
  });

  test('E4: a vetoed wish names the value, and is carried out once that is another one', async () => {
    const trial = createEnrolmentTrial({ automation: { unless: { Status: ['replied'] } } });
    const [uuid] = await trial.linked(ann);
    trial.service.model.contacts.change(uuid!, { fields: { status: 'replied' } });
    await trial.run({ isFull: true });
    trial.type(ann, 'Automation', 'Welcome');
    await trial.cli('sync');
    const record = await recordOf(trial, ann);
    expect(record).toMatchObject({ vetoes: ['Status is replied'], enrolments: [{ state: 'waiting' }] });
    expect(record.problems).toMatchObject([{ kind: 'ignored', rule: 'E4', remedies: [{ command: null }] }]);
    trial.service.model.contacts.change(uuid!, { fields: { status: 'ok' } });
    await trial.cli('sync', '--full');
    await trial.cli('sync');
    expect(await recordOf(trial, ann)).toMatchObject({ vetoes: [], enrolments: [{ state: 'enrolled' }] });
  });

  test('E6: a wish that a new state finds names the run to approve', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked(ann);
    await trial.loseState();
    trial.type(ann, 'Automation', 'Welcome');
    await trial.cli('sync');
    const record = await recordOf(trial, ann);
    expect(record.problems).toMatchObject([{ kind: 'held', rule: 'E6' }]);
    const approve = remedies(record).find((command) => command.startsWith('leadsheet approve prospects --run '));
    expect(await copy(trial, approve!)).toMatchObject({ code: 0 });
    await trial.cli('sync');
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });
});

describe('a remedy of a message', () => {
  test('P3: a message of unknown outcome is sent by the command, once', async () => {
    const trial = createOutboxTrial();
    await trial.ready([ann, 'Sales', 'Hi', 'yes']);
    trial.service.faults.inject({ kind: 'lost', operation: 'network-messages.send', when: 'before' });
    await trial.cli('sync');
    const id = trial.rowWith('Hi')['Outbox ID']!;
    for (const reference of [id, 'row:2', 'Prospects!C2']) {
      const record = await recordOf(trial, reference);
      expect(record).toMatchObject({ kind: 'outbox', id, row: 2, problems: [{ kind: 'quarantined', rule: 'P3' }] });
      expect(record.messages).toMatchObject([{ state: 'unknown', to: 'ann <ann@firm.io>' }]);
    }
    const [command] = remedies(await recordOf(trial, id));
    expect(await copy(trial, command!)).toMatchObject({ code: 0 });
    await trial.cli('sync');
    expect(trial.sent()).toEqual(['ann: Hi']);
    expect(await recordOf(trial, id)).toMatchObject({ standing: expect.stringMatching(/^sent/), problems: [] });
  });
});

test('E1, E4: of a name that two automations have, the remedy is the uuid, and it helps', async () => {
  const trial = createEnrolmentTrial({ rows: [rowOf('ann@firm.io', '')] });
  const [, second] = [1, 2].map(() => trial.service.model.automations.add({ name: 'Twin', status: 'on' }));
  await trial.run();
  trial.type('ann@firm.io', 'Automation', 'Twin');
  await trial.run();
  const { stdout } = await trial.cli('explain', 'ann@firm.io');
  expect(stdout).toContain('several automations have this name');
  expect(stdout).toContain('- write the uuid of the automation into the cell of the row, in the place of its name');
  trial.type('ann@firm.io', 'Automation', second!.uuid);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { enrolled: 1 } });
});

test('E4: a wish that cannot be carried out is explained in the run that makes the contact of its row, too', async () => {
  const trial = createEnrolmentTrial({ rows: [rowOf('ann@firm.io', 'Welcom')] });
  await trial.run();
  for (const name of ['ann@firm.io', 'row:2']) {
    expect([name, await recordOf(trial, name)]).toMatchObject([
      name,
      {
        row: 2,
        problems: [{ kind: 'refused', rule: 'E4', reason: expect.stringContaining('did you mean "Welcome"?') }],
      },
    ]);
  }
});

test('W3: what a saved plan left out needs nothing, or a new plan, also in explain', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob']);
  trial.change('ann@firm.io', { company_name: 'Other' });
  const file = join(trial.folder, 'plan.json');
  await trial.cli('plan', '--out', file);
  trial.type('ann@firm.io', 'Last name', 'Edited');
  expect((await trial.cli('apply', file)).code).toBe(3);
  const { problems } = await recordOf(trial, 'ann@firm.io');
  expect(problems.find(({ rule }) => rule === 'W3')?.remedies).toEqual([
    { text: 'nothing: the next run decides it anew', command: null },
    { text: 'make a new plan of it', command: 'leadsheet plan prospects --out plan.json' },
  ]);
});

describe('a remedy of one of several automations of a cell', () => {
  async function refusedBesideAnother() {
    const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' } });
    await trial.linked(ann);
    trial.type(ann, 'Automation', 'Welcome');
    await trial.cli('sync');
    trial.type(ann, 'Automation', 'Welcome, Nurture');
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'automations.add-contact' });
    return { trial, synced: await trial.cli('sync') };
  }

  test('E4, E5: of a refused one, the other stays in the cell, and in the service', async () => {
    const { trial, synced } = await refusedBesideAnother();
    const texts = [synced.stdout, (await trial.cli('explain', ann)).stdout];
    for (const text of texts)
      expect(text).toMatch(/take the automation out of its cell, and name it again after a run/);
    for (const text of texts) expect(text).not.toMatch(/empty its cell/);
    trial.type(ann, 'Automation', 'Welcome');
    await trial.cli('sync');
    trial.type(ann, 'Automation', 'Welcome, Nurture');
    await trial.cli('sync');
    expect(trial.enrolled()).toEqual([`${ann} Nurture active`, `${ann} Welcome active`]);
  });

  test('E4: of a refused one, a corrected row alone is not promised to be a new try', async () => {
    const { trial } = await refusedBesideAnother();
    expect((await trial.cli('explain', ann)).stdout).not.toContain('other contents are a new try');
    trial.type(ann, 'Company', 'Other');
    await trial.cli('sync');
    expect(trial.enrolled()).toEqual([`${ann} Welcome active`]);
    const command = remedies(await recordOf(trial, ann)).find((each) => each.startsWith('leadsheet retry '));
    expect(await copy(trial, command!)).toMatchObject({ code: 0 });
    await trial.cli('sync');
    expect(trial.enrolled()).toEqual([`${ann} Nurture active`, `${ann} Welcome active`]);
  });

  test('E8, E5: of a cancelled one, and of one that it is too late to cancel, the other stays', async () => {
    const trial = createEnrolmentTrial({
      automation: { on_clear: 'cancel' },
      sync: { limits: { enrolments_per_hour: 1 } },
    });
    await trial.linked(ann);
    trial.type(ann, 'Automation', 'Welcome, Nurture');
    await trial.cli('sync');
    await trial.cli('cancel', `${ann}/Nurture`);
    const texts = [(await trial.cli('sync')).stdout, (await trial.cli('explain', ann)).stdout];
    texts.push((await trial.cli('cancel', `${ann}/Welcome`)).stderr);
    for (const text of texts) expect(text).toContain('take the automation out of its cell');
    for (const text of texts) expect(text).not.toMatch(/empty its cell/);
  });
});

test('E3: of an enrolment whose call had no answer, the run of the call and those after it say to look, and the command', async () => {
  const trial = createEnrolmentTrial();
  const [uuid] = await trial.linked(ann);
  trial.type(ann, 'Automation', 'Welcome');
  trial.service.faults.inject({ kind: 'lost', operation: 'automations.add-contact', when: 'before' });
  const command = `leadsheet retry ${uuid}/${trial.welcome.uuid} --yes`;
  for (const kind of ['unknown', 'quarantined']) {
    const { stdout } = await trial.cli('sync');
    expect(stdout).toContain(
      `-> ${kind}: look in the service; if it is not in the automation, ${command}, else nothing\n`,
    );
    const { problems } = await recordOf(trial, ann);
    expect(problems).toMatchObject([
      {
        kind,
        rule: 'E3',
        remedies: [{ text: 'look in the service first; if it did not happen, do it again', command }],
      },
    ]);
  }
  expect(await copy(trial, command)).toMatchObject({ code: 0 });
  await trial.cli('sync');
  expect(trial.enrolled()).toEqual([`${ann} Welcome active`]);
});

test('E8: of a wish whose cancel waits for the next run, explain offers no cancel, and enrolments says that it is cancelled', async () => {
  const trial = createEnrolmentTrial({ sync: { limits: { enrolments_per_hour: 1 } } });
  await trial.linked('ann@firm.io', 'bob@firm.io');
  for (const email of ['ann@firm.io', 'bob@firm.io']) trial.type(email, 'Automation', 'Welcome');
  await trial.run();
  const seen = async () => {
    const { stdout: listed } = await trial.cli('enrolments', '--contact', 'bob@firm.io');
    return { listed, explained: (await trial.cli('explain', 'bob@firm.io')).stdout };
  };
  expect((await seen()).explained).toContain('take it back before it is enrolled: leadsheet cancel');
  await trial.cli('cancel', 'bob@firm.io/Welcome');
  const { listed, explained } = await seen();
  expect(explained).not.toContain('leadsheet cancel');
  expect(listed).toContain('    it is cancelled: the next run tells its row\n');
  expect(listed).not.toContain('cap 1/h');
});
