// What `status` and the status column show after runs: the same as the run reported, and again the same after a run that
// found nothing new.
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle, type TrialOptions } from '../support/app.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const names = ['ann', 'bob', 'cy', 'dee', 'eve', 'fay'];
type Trial = Awaited<ReturnType<typeof inSync>>;

async function inSync({ sync, ...options }: TrialOptions = {}) {
  const limits = { deletes: '100%', changes: '100%' };
  const trial = createSyncTrial({
    values: [header],
    sync: { conflict: 'manual', limits, sheet: sheetWithStatus, ...sync },
    ...options,
  });
  for (const name of names) trial.addContact({ first_name: name, company_name: 'Firm', email: `${name}@firm.io` });
  await trial.run();
  return trial;
}

const sheetWithStatus = {
  spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests',
  tab: tabTitle,
  status_column: 'Sync',
};

interface StatusAnswer {
  readonly syncs: readonly {
    readonly last_run: { readonly status: string; readonly run: string };
    readonly counts: Readonly<Record<string, number>>;
  }[];
}

async function statusOf(trial: Trial) {
  const { stdout } = await trial.cli('status', '--json');
  return (JSON.parse(stdout) as StatusAnswer).syncs[0]!;
}

describe('L12: status agrees with the report of the run', () => {
  it('L12, D1, D3: a link that has lost its row or its contact does not count as linked', async () => {
    const trial = await inSync();
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('ann@firm.io'));
    trial.service.model.contacts.remove(trial.contactOf('bob@firm.io').uuid);
    const report = await trial.run({ isFull: true });
    expect(report.counts.linked).toBe(names.length - 2);
    expect((await statusOf(trial)).counts).toMatchObject({ linked: report.counts.linked, ignored: 2 });
  });

  it('L12, W12, I4: status shows a run that found a copied row and wrote nothing, and shows when the copy is gone', async () => {
    const trial = await inSync({ sync: { sheet: { ...sheetWithStatus, status_column: null } } });
    const cells = trial.person.read(`'${tabTitle}'!A2:F2`)[0]!;
    trial.person.paste(`'${tabTitle}'!A20`, [cells.map(String)]);
    const report = await trial.run();
    expect(report.status).toBe('partial');
    expect(await statusOf(trial)).toMatchObject({
      last_run: { status: 'partial', run: report.run },
      counts: { quarantined: 1 },
    });
    const state = trial.stateFiles();
    await trial.run();
    await trial.start();
    await trial.run();
    expect(trial.stateFiles()).toEqual(state);
    trial.person.deleteRows(tabTitle, 20);
    await trial.run();
    expect(await statusOf(trial)).toMatchObject({ last_run: { status: 'succeeded' }, counts: { quarantined: 0 } });
  });

  it('L12, I3: a create that the service answered with another contact does not count as created', async () => {
    const trial = await inSync({
      around: async (request, next) => {
        const answer = await next(request);
        if (!request.url.endsWith('/upsert')) return answer;
        const contact = (await answer.json()) as Record<string, unknown>;
        return Response.json({ ...contact, work_email: 'other@firm.io' }, { status: answer.status });
      },
    });
    trial.person.paste(`'${tabTitle}'!A20`, [['Flo', 'Row', 'Firm', 'flo@firm.io']]);
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { created: 0, quarantined: 1 } });
  });
});

describe('W9: a status cell is written once and keeps its text', () => {
  it.each<{ readonly what: string; readonly options?: TrialOptions; readonly happens: (trial: Trial) => void }>([
    {
      what: 'deleted in the CRM, and edited here since',
      options: { sync: { on_contact_deleted: 'delete_row' } },
      happens: (trial) => {
        trial.type('ann@firm.io', 'Company', 'By hand');
        trial.service.model.contacts.remove(trial.contactOf('ann@firm.io').uuid);
      },
    },
    {
      what: 'in another list now',
      happens: (trial) => trial.change('ann@firm.io', { list_uuid: trial.service.model.lists.add({ name: 'X' }).uuid }),
    },
    {
      what: 'refused by the service',
      happens: (trial) => {
        trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.update', times: 9 });
        trial.type('ann@firm.io', 'Company', 'By hand');
      },
    },
    {
      what: 'new, and refused by the service',
      happens: (trial) => {
        trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.upsert', times: 9 });
        trial.person.paste(`'${tabTitle}'!A20`, [['Flo', 'Row', 'Firm', 'flo@firm.io']]);
      },
    },
  ])('W9: $what', async ({ options, happens }) => {
    const trial = await inSync(options);
    happens(trial);
    await trial.run({ isFull: true });
    const said = trial.grid().map((row) => row['Sync']);
    expect(said.some((text) => text !== 'in sync')).toBe(true);
    const { sheet } = trial.writes();
    await trial.run();
    await trial.start();
    await trial.run();
    expect({ said: trial.grid().map((row) => row['Sync']), sheet: trial.writes().sheet }).toEqual({ said, sheet });
  });
});
