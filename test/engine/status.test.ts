// The status of a run (W12) for every open kind of problem, and the exit code of its command.
import { expect, test } from 'vitest';
import type { ProblemKind } from '../../src/sync/change.ts';
import { createSyncTrial, tabTitle, type TrialOptions } from '../support/app.ts';

const columns = {
  'First name': 'first_name',
  Company: 'company_name',
  Email: 'email',
  Position: 'position',
};
const header = Object.keys(columns);
const [ann, bob] = ['ann@firm.io', 'bob@firm.io'];
type Trial = ReturnType<typeof createSyncTrial>;

/** Three linked contacts without differences. */
async function inSync({ sync, ...options }: TrialOptions = {}) {
  // The limits are high: no guard holds the run.
  const limits = { deletes: '100%', changes: '100%', blanks: '100%' };
  const trial = createSyncTrial({
    columns,
    values: [header],
    sync: { conflict: 'manual', limits, ...sync },
    ...options,
  });
  for (const name of ['Ann', 'Bob', 'Cy'])
    trial.addContact({
      first_name: name,
      company_name: 'Firm',
      email: `${name.toLowerCase()}@firm.io`,
      position: 'Buyer',
    });
  await trial.run();
  return trial;
}

interface Scenario {
  readonly options?: TrialOptions;
  readonly happens: (trial: Trial) => void | Promise<void>;
  readonly status: 'succeeded' | 'partial';
}

/** Every kind of problem: a missing one does not compile. */
const scenarios: Readonly<Record<ProblemKind, Scenario>> = {
  waiting: {
    happens: (trial) => trial.person.paste(`'${tabTitle}'!A9`, [['Dee']]),
    status: 'succeeded',
  },
  ignored: {
    happens: (trial) => trial.person.deleteRows(tabTitle, trial.rowNumberOf(ann)),
    status: 'succeeded',
  },
  conflict: {
    happens: (trial) => {
      trial.type(ann, 'Company', 'By hand');
      trial.change(ann, { company_name: 'By the CRM' });
    },
    status: 'partial',
  },
  quarantined: {
    happens: (trial) => trial.person.paste(`'${tabTitle}'!A9`, [['Ann', 'Firm', ann, 'Buyer']]),
    status: 'partial',
  },
  held: {
    happens: (trial) => trial.type(ann, 'Email', bob),
    status: 'partial',
  },
  parked: {
    options: { switches: { updateIgnores: ['position'] } },
    happens: async (trial) => {
      trial.type(ann, 'Position', 'Seller');
      for (let run = 0; run < 3; run += 1) await trial.run();
    },
    status: 'partial',
  },
  failed: {
    options: { switches: { updateIgnores: ['position'] } },
    happens: (trial) => trial.type(ann, 'Position', 'Seller'),
    status: 'partial',
  },
  unreadable: {
    happens: (trial) => trial.person.type(`'${tabTitle}'!D${trial.rowNumberOf(ann)}`, '=1/0'),
    status: 'partial',
  },
  refused: {
    happens: (trial) => {
      trial.type(ann, 'Company', 'Other');
      trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.update' });
    },
    status: 'partial',
  },
  incomplete: {
    options: { switches: { pageRowsMax: 2 } },
    happens: (trial) => {
      let pages = 0;
      trial.service.faults.inject({
        kind: 'status',
        status: 503,
        times: 99,
        operation: 'contacts.search',
        matches: () => (pages += 1) > 1,
      });
    },
    status: 'partial',
  },
  unknown: {
    happens: (trial) => {
      trial.person.paste(`'${tabTitle}'!A9`, [['Dee', 'Firm', 'dee@firm.io', 'Buyer']]);
      trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'contacts.upsert' });
    },
    status: 'partial',
  },
};

test.each(Object.entries(scenarios))('W12: something %s', async (kind, { options, happens, status }) => {
  const trial = await inSync(options);
  await happens(trial);
  const { code, stdout } = await trial.cli('sync', '--json');
  const [report] = (JSON.parse(stdout) as { syncs: { status: string; problems: { kind: string }[] }[] }).syncs;
  expect([report!.status, report!.problems.map((problem) => problem.kind)]).toEqual([status, [kind]]);
  expect(code).toBe(status === 'succeeded' ? 0 : 3);
});

test.each<{ what: string; rule: string; happens: (trial: Trial) => void }>([
  {
    what: 'a contact that was deleted, and marked',
    rule: 'D3',
    happens: (trial) => trial.service.model.contacts.remove(trial.contactOf(ann).uuid),
  },
  {
    what: 'a contact that left the scope',
    rule: 'D4',
    happens: (trial) => trial.change(ann, { list_uuid: trial.service.model.lists.add({ name: 'Other' }).uuid }),
  },
])('W12: $what, is no failure of the run that finds it', async ({ rule, happens }) => {
  const trial = await inSync();
  happens(trial);
  expect(await trial.run({ isFull: true })).toMatchObject({
    status: 'succeeded',
    problems: [{ kind: 'ignored', rule }],
  });
});

test('W12: one conflict among records that were written makes the run partial, and everything else was done', async () => {
  const trial = await inSync();
  trial.type(ann, 'Company', 'By hand');
  trial.change(ann, { company_name: 'By the CRM' });
  trial.type(bob, 'Company', 'Other');
  expect(await trial.run()).toMatchObject({
    status: 'partial',
    counts: { linked: 3, conflicts: 1, updated: 1 },
  });
  expect(trial.contactOf(bob).company_name).toBe('Other');
});

test('W12: a guard makes a run held, and the command exits 3; a run that cannot start is failed, and exits 1', async () => {
  const trial = await inSync({ sync: { limits: { creates: 1 } } });
  for (const [row, name] of [
    [9, 'Dee'],
    [10, 'Eve'],
  ] as const)
    trial.person.paste(`'${tabTitle}'!A${row}`, [[name, 'Firm', `${name}@firm.io`, 'Buyer']]);
  const outcome = async (...args: string[]) => {
    const { code, stdout } = await trial.cli('sync', '--json', ...args);
    return [(JSON.parse(stdout) as { syncs: { status: string }[] }).syncs[0]!.status, code];
  };
  expect(await outcome()).toEqual(['held', 3]);
  trial.service.faults.inject({ kind: 'status', status: 401, times: 99 });
  expect(await outcome()).toEqual(['failed', 1]);
});
