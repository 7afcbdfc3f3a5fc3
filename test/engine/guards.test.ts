// Checks before a run writes anything (G rules).
import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../src/engine/report.ts';
import { createSyncTrial, tabTitle } from '../support/app.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];

async function inSync(options: Parameters<typeof createSyncTrial>[0] = {}, count = 10) {
  const trial = createSyncTrial({ values: [header], ...options });
  for (let index = 0; index < count; index += 1)
    trial.addContact({ first_name: `P${index}`, company_name: 'Firm', email: `p${index}@firm.io` });
  await trial.run();
  return { ...trial, runHeld };

  /** The result of a run, and whether both sides, base and links are unchanged; that it was held is stored. */
  async function runHeld(isFull = true) {
    const before = trial.writes();
    const links = linksOf(trial.stateFiles());
    const { status, holds } = await trial.run({ isFull });
    const isUntouched =
      JSON.stringify(trial.writes()) === JSON.stringify(before) && linksOf(trial.stateFiles()) === links;
    return { status, rule: holds[0]?.rule, isUntouched };
  }
}

/**
 * Twenty contacts. Five rows are deleted, which is approved, and the run ends after two of the five deletions. `before`: what
 * happens before that, without limits.
 */
async function cutShort(
  how: 'stopped' | 'killed',
  before: (trial: Awaited<ReturnType<typeof inSync>>) => Promise<void> = async () => {},
) {
  const limits = { deletes: '10%', changes: '10%' };
  const trial = await inSync({ sync: { on_row_deleted: 'delete_contact', limits } }, 20);
  await before(trial);
  trial.person.deleteRows(tabTitle, 2, 5);
  const report = await trial.run({ isFull: true });
  await approve(trial, report);
  const stop = new AbortController();
  let deletions = 0;
  trial.atEachInstant((what) => {
    if (!(what instanceof Request) || what.method !== 'DELETE') return;
    deletions += 1;
    if (deletions !== 2) return;
    if (how === 'stopped') stop.abort(new Error('stopped'));
    else trial.kill();
  });
  await trial.attempt({ isFull: true, signal: stop.signal });
  expect(trial.contacts().length).toBeGreaterThan(15);
  expect(trial.contacts().length).toBeLessThan(20);
  return trial;
}

/** As a face does for a whole plan; `undoes`: of an undo of this run. */
async function approve(
  { start }: Pick<Awaited<ReturnType<typeof inSync>>, 'start'>,
  { run, planned }: RunReport,
  undoes?: string,
) {
  const { store } = await start();
  await store
    .sync('prospects')
    .addRequest({ kind: 'approve', run, counts: { ...planned }, ...(undoes !== undefined && { undoes }) });
}

const held = (rule: string) => ({ status: 'held', rule, isUntouched: true });

function linksOf(files: Readonly<Record<string, string>>): string | undefined {
  return files['base.json'];
}

describe('G1: sides that are empty or another one', () => {
  it('G1, L7, G4: a tab without rows holds the run; once they are back, the next run goes on by itself', async () => {
    const trial = await inSync({ sync: { on_row_deleted: 'delete_contact' } });
    const rows = trial.person.read(`'${tabTitle}'!A2:F11`);
    trial.person.clear(`'${tabTitle}'!A2:F11`);
    expect(await trial.runHeld()).toEqual(held('G1'));
    expect(await trial.runHeld(false)).toEqual(held('G1'));
    trial.person.paste(`'${tabTitle}'!A2`, rows);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 10, deleted: 0 } });
  });

  it('G1: a tab emptied with its headers fails the run, and not even a header is written', async () => {
    const trial = await inSync();
    trial.person.clear(`'${tabTitle}'!A1:Z99`);
    trial.person.request({
      deleteDeveloperMetadata: { dataFilter: { developerMetadataLookup: { locationType: 'COLUMN' } } },
    });
    await trial.start();
    const before = trial.writes();
    expect((await trial.run()).status).toMatch(/held|failed/);
    expect(trial.writes()).toEqual(before);
    expect(trial.person.read(`'${tabTitle}'!A1:Z99`)).toEqual([]);
  });

  it('G1: a list that answers empty holds the run', async () => {
    const trial = await inSync({ sync: { on_contact_deleted: 'delete_row' } });
    for (const { uuid } of trial.contacts()) trial.service.model.contacts.remove(uuid);
    expect(await trial.runHeld()).toEqual(held('G1'));
  });

  it('G1: a filter by which nobody is left is named as the cause, and not an empty list', async () => {
    const trial = await inSync({ sync: { contacts: { list: 'Prospects', filter: { company_name: 'Firm' } } } }, 6);
    for (const { uuid } of trial.contacts())
      trial.service.model.contacts.change(uuid, { fields: { company_name: 'Firm Ltd' } });
    const { status, holds } = await trial.run({ isFull: true });
    expect({ status, reason: holds[0]?.reason }).toEqual({
      status: 'held',
      reason: 'the filter lets no contact of list Prospects through, and 6 contacts were there before',
    });
  });

  it('G1: fewer than a tenth of the known rows hold the run', async () => {
    const trial = await inSync({ sync: { on_row_deleted: 'delete_contact' } }, 11);
    trial.person.deleteRows(tabTitle, 2, 10);
    expect(await trial.runHeld()).toEqual(held('G1'));
  });

  it('G1: an approval lets exactly these counts through, once', async () => {
    const trial = await inSync({ sync: { on_row_deleted: 'delete_contact' } });
    trial.person.deleteRows(tabTitle, 2, 10);
    const report = await trial.run({ isFull: true });
    expect(report).toMatchObject({ status: 'held', approvable: report.run });
    const { store } = await trial.start();
    await store.sync('prospects').addRequest({ kind: 'approve', run: report.run, counts: { ...report.planned } });
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { deleted: 10 } });
    expect(trial.contacts()).toHaveLength(0);
  });
});

describe('G2: limits', () => {
  it('G2: an approval that does not suffice is spent: it lets nothing through later', async () => {
    const trial = await inSync({ sync: { on_row_deleted: 'delete_contact' } });
    trial.person.deleteRows(tabTitle, 2, 3);
    const report = await trial.run({ isFull: true });
    const state = (await trial.start()).store.sync('prospects');
    await state.addRequest({ kind: 'approve', run: report.run, counts: { ...report.planned } });
    trial.person.deleteRows(tabTitle, 2, 1);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'held' });
    expect((await state.load()).requests.size).toBe(0);
  });

  it('G2: an approval that was used is spent: as many changes again are held again', async () => {
    const trial = await inSync({ sync: { on_row_deleted: 'delete_contact' } }, 20);
    trial.person.deleteRows(tabTitle, 2, 6);
    const report = await trial.run({ isFull: true });
    const state = (await trial.start()).store.sync('prospects');
    await state.addRequest({ kind: 'approve', run: report.run, counts: { ...report.planned } });
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { deleted: 6 } });
    expect((await state.load()).requests.size).toBe(0);
    trial.person.deleteRows(tabTitle, 2, 6);
    expect(await trial.runHeld()).toEqual(held('G2'));
  });

  it.each(['stopped', 'killed'] as const)(
    'G2, W8, L10: what is left of an approval whose run was %s is for what that run was to do, and for nothing else',
    async (how) => {
      const [alone, joined] = [await cutShort(how), await cutShort(how)];
      expect(await alone.run({ isFull: true })).toMatchObject({ status: 'succeeded' });
      expect(alone.contacts()).toHaveLength(15);
      joined.person.deleteRows(tabTitle, 10, 2);
      const left = joined.contacts().length;
      expect(await joined.runHeld()).toEqual(held('G2'));
      expect(joined.contacts()).toHaveLength(left);
    },
  );

  it('G2, S8, L10: an undo that is approved in between leaves what is left of that approval as it is', async () => {
    let changed = '';
    const trial = await cutShort('killed', async (early) => {
      for (const { uuid } of early.contacts().slice(-3))
        early.service.model.contacts.change(uuid, { fields: { company_name: 'New' } });
      await approve(early, await early.run());
      ({ run: changed } = await early.run());
    });
    trial.atEachInstant(() => {});
    await trial.start();
    const [, stopped = ''] = /held, run (\S+),/.exec((await trial.cli('undo', changed, '--yes')).stdout) ?? [];
    expect((await trial.cli('approve', 'prospects', '--run', stopped)).code).toBe(0);
    expect((await trial.cli('undo', changed, '--yes')).code).toBe(0);
    const left = trial.contacts().length;
    trial.person.deleteRows(tabTitle, 10, 1);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'held', holds: [{ rule: 'G2' }] });
    expect(trial.contacts()).toHaveLength(left);
  });

  it('G2: more deletions than the limit hold the run; exactly at the limit it passes', async () => {
    const trial = await inSync({ sync: { on_row_deleted: 'delete_contact', limits: { deletes: '20%' } } });
    const rows = trial.person.read(`'${tabTitle}'!A2:F4`);
    trial.person.deleteRows(tabTitle, 2, 3);
    expect(await trial.runHeld()).toEqual(held('G2'));
    trial.person.paste(`'${tabTitle}'!A20`, rows.slice(0, 1));
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { deleted: 2 } });
  });

  it('G2: more emptied fields than the limit hold the run', async () => {
    const trial = await inSync({ sync: { limits: { blanks: '20%', changes: '100%' } } });
    trial.person.clear(`'${tabTitle}'!C2:C11`);
    expect(await trial.runHeld()).toEqual(held('G2'));
    expect(trial.contacts().every(({ company_name }) => company_name === 'Firm')).toBe(true);
  });

  describe('G2: fields that somebody empties in the CRM while a run writes others of these records', () => {
    /** Each row gets another first name. Before the first is written, the companies of the first `count` contacts are emptied. */
    async function emptiedMeanwhile(count: number, settings: Readonly<Record<string, unknown>> = {}) {
      const trial = await inSync({ sync: { limits: { blanks: '20%', changes: '100%' }, ...settings } });
      trial.person.paste(
        `'${tabTitle}'!A2`,
        Array.from({ length: 10 }, (_, index) => [`Q${index}`]),
      );
      let isEmptied = false;
      trial.atEachInstant((what) => {
        if (isEmptied || typeof what === 'string' || what.method !== 'PUT') return;
        isEmptied = true;
        for (let index = 0; index < count; index += 1) trial.change(`p${index}@firm.io`, { company_name: '' });
      });
      const report = await trial.run();
      expect(isEmptied).toBe(true);
      expect(report.counts.updated).toBe(10);
      return { ...trial, report, companies };

      function companies(): readonly unknown[] {
        return trial.person.read(`'${tabTitle}'!C2:C11`).flat();
      }
    }

    it.each([false, true])(
      'G2: more than the limit: no cell is emptied, and the next run is held (full: %s)',
      async (isFull) => {
        const trial = await emptiedMeanwhile(10);
        expect(trial.companies()).toEqual(Array.from({ length: 10 }, () => 'Firm'));
        expect(trial.report.problems.map(({ kind, rule, field }) => ({ kind, rule, field }))).toEqual(
          Array.from({ length: 10 }, () => ({ kind: 'waiting', rule: 'G2', field: 'company_name' })),
        );
        expect(await trial.runHeld(isFull)).toEqual(held('G2'));
        expect(trial.companies()).toEqual(Array.from({ length: 10 }, () => 'Firm'));
      },
    );

    it('G2, M3: within the limit the next run empties them, and the one after has nothing to do', async () => {
      const trial = await emptiedMeanwhile(2);
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 2, updated: 0 } });
      expect(trial.companies().filter((company) => company === 'Firm')).toHaveLength(8);
      expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { set: 0, updated: 0 } });
    });

    it('G2, M3: where a blank is no edit, the next run fills the contacts again', async () => {
      const trial = await emptiedMeanwhile(10, { blank: 'ignore' });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 0, updated: 10 } });
      expect(trial.contacts().every(({ company_name }) => company_name === 'Firm')).toBe(true);
    });

    it('G2, M1: a cell that is typed before the next run is a conflict or wins, as the setting has it', async () => {
      const trial = await emptiedMeanwhile(1, { conflict: 'sheet' });
      trial.type('p0@firm.io', 'Company', 'Atelier');
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 0, updated: 1 } });
      expect(trial.contactOf('p0@firm.io').company_name).toBe('Atelier');
    });
  });

  it.each([
    ['G1: every contact left the filter', { contacts: { list: 'Prospects', filter: { status: ['ok'] } } }, 'ignored'],
    ['G2: half of the contacts were deleted', { on_contact_deleted: 'delete_row' }, 'removed'],
  ] as const)(
    '%s, which a full scan alone shows: the runs after it are held too, until an approval carries the plan out or the cause is gone',
    async (title, sync, counted) => {
      const isGone = title.startsWith('G2');
      const trial = await inSync({ sync });
      const all = trial.contacts();
      const missing = all.slice(0, isGone ? 5 : 10);
      for (const { uuid } of missing) {
        if (isGone) trial.service.model.contacts.remove(uuid, Date.now());
        else trial.service.model.contacts.change(uuid, { fields: { status: 'duplicate' } });
      }
      const report = await trial.run({ isFull: true });
      expect(report).toMatchObject({ status: 'held', planned: { missing: missing.length } });
      for (const isAnew of [false, true]) {
        if (isAnew) await trial.start();
        expect(await trial.run()).toMatchObject({ status: 'held', approvable: report.approvable });
      }
      expect((await trial.cli('plan')).stdout).toContain('nothing of it would be written');
      expect(await trial.cli('approve', 'prospects', '--run', report.approvable!)).toMatchObject({ code: 0 });
      expect(await trial.run()).toMatchObject({ holds: [], counts: { [counted]: missing.length } });
      expect(await trial.run()).toMatchObject({ status: 'succeeded', isFull: false });
    },
  );

  it('G6: of what a full scan alone shows, one record is approved: the rest is held in the runs after it', async () => {
    const trial = await inSync({ sync: { on_contact_deleted: 'delete_row' } });
    const missing = trial.contacts().slice(0, 5);
    for (const { uuid } of missing) trial.service.model.contacts.remove(uuid, Date.now());
    const { approvable } = await trial.run({ isFull: true });
    const only = ['--run', approvable!, '--only', missing[0]!.uuid];
    expect(await trial.cli('approve', 'prospects', ...only)).toMatchObject({ code: 0, stderr: '' });
    expect(await trial.run()).toMatchObject({ status: 'held', counts: { removed: 1 } });
    expect(await trial.run()).toMatchObject({ status: 'held', planned: { deletes: 4 } });
    expect(await trial.cli('approve', 'prospects', '--yes')).toMatchObject({ code: 0, stderr: '' });
    expect(await trial.run()).toMatchObject({ holds: [], counts: { removed: 4 } });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', isFull: false });
  });

  it('G4: a full scan was held, and its cause is gone: the next run goes on by itself, and reads changes again after it', async () => {
    const trial = await inSync({ sync: { contacts: { list: 'Prospects', filter: { status: ['ok'] } } } });
    const setAll = (status: string) => {
      for (const { uuid } of trial.contacts()) trial.service.model.contacts.change(uuid, { fields: { status } });
    };
    setAll('duplicate');
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'held' });
    setAll('ok');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', isFull: true, holds: [] });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', isFull: false });
  });

  it('G2: more changed records than the limit hold the run', async () => {
    const trial = await inSync();
    trial.person.paste(
      `'${tabTitle}'!C2`,
      Array.from({ length: 6 }, () => ['Other']),
    );
    expect(await trial.runHeld()).toEqual(held('G2'));
  });

  it('G2: more new rows than the limit hold the run, the first one too, and not a header is written', async () => {
    const rows = Array.from({ length: 4 }, (_, index) => [`P${index}`, '', '', `p${index}@firm.io`, '']);
    const trial = createSyncTrial({ values: [header, ...rows], sync: { limits: { creates: 3 } } });
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G2' }] });
    expect(trial.writes()).toEqual({ crm: [], sheet: 0 });
  });
});

it('G4, G6: where the cause of a hold went away, an approval of some records keeps no other from being done', async () => {
  const trial = await inSync({ sync: { on_row_deleted: 'delete_contact', limits: { deletes: '20%' } } });
  const [row = []] = trial.person.read(`'${tabTitle}'!A${trial.rowNumberOf('p2@firm.io')}:F`);
  for (const name of ['p0', 'p1', 'p2']) trial.person.deleteRows(tabTitle, trial.rowNumberOf(`${name}@firm.io`));
  expect(await trial.run()).toMatchObject({ status: 'held', planned: { deletes: 3 } });
  expect(await trial.cli('approve', 'prospects', '--only', 'p0@firm.io')).toMatchObject({ code: 0 });
  trial.person.paste(`'${tabTitle}'!A20`, [row]);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { deleted: 2 } });
});

it('G6, M1: a decision about a record that nobody approved waits until that record is let through', async () => {
  const trial = await inSync({ sync: { limits: { changes: '20%' } } });
  trial.type('p9@firm.io', 'Company', 'Mine');
  trial.change('p9@firm.io', { company_name: 'Theirs' });
  await trial.run();
  for (const name of ['p0', 'p1', 'p2']) trial.type(`${name}@firm.io`, 'Company', 'Else');
  expect(await trial.run()).toMatchObject({ status: 'held', planned: { changes: 3 } });
  const conflict = `${trial.contactOf('p9@firm.io').uuid}/company_name`;
  expect(await trial.cli('resolve', conflict, '--use', 'crm')).toMatchObject({ code: 0 });
  expect(await trial.cli('approve', 'prospects', '--only', 'p0@firm.io')).toMatchObject({ code: 0 });
  const report = await trial.run();
  expect(report).toMatchObject({ status: 'held', counts: { updated: 1 }, planned: { changes: 3 } });
  expect(trial.rowOf('p9@firm.io')).toMatchObject({ Company: 'Mine' });
  await approve(trial, report);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { conflicts: 0 } });
  expect(trial.rowOf('p9@firm.io')).toMatchObject({ Company: 'Theirs' });
});

it('G3: a narrowed filter is no deletion', async () => {
  const trial = await inSync({
    sync: { on_contact_deleted: 'delete_row', contacts: { list: 'Prospects', filter: { status: 'ok' } } },
  });
  trial.change('p1@firm.io', { status: 'failed_validation' });
  expect(await trial.run({ isFull: true })).toMatchObject({ counts: { removed: 0 } });
  expect(trial.rowOf('p1@firm.io')['Company']).toBe('Firm');
});

describe('G5: incomplete readings', () => {
  it.each([
    { kind: 'status', status: 503 },
    { kind: 'blank' },
    { kind: 'html' },
    { kind: 'lost' },
    { kind: 'truncated' },
    { kind: 'error_in_200' },
  ] as const)('G5, L7: pages that fail ($kind) conclude nothing about those who were on them', async (fault) => {
    const trial = await inSync({ sync: { on_contact_deleted: 'delete_row' }, switches: { pageRowsMax: 3 } });
    let pages = 0;
    trial.service.faults.inject({ ...fault, times: 99, operation: 'contacts.search', matches: () => (pages += 1) > 2 });
    const report = await trial.run({ isFull: true });
    expect(report.counts).toMatchObject({ removed: 0, created: 0, appended: 0 });
    expect(trial.grid()).toHaveLength(10);
    trial.service.faults.clear();
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { linked: 10 } });
  });

  it('G5, D3: totals that drift do not prove a contact absent', async () => {
    const trial = await inSync({ sync: { on_contact_deleted: 'delete_row' }, switches: { pageRowsMax: 3 } });
    trial.service.switches.totalDriftMax = 2;
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { removed: 0 } });
    expect(trial.grid()).toHaveLength(10);
  });
});
