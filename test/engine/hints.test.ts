// With hints an idle run reads no tab, misses no edit for longer than a full look, and never writes without a look.
import { describe, expect, it } from 'vitest';
import { createSyncTrial, sheetsScope, spreadsheetId, tabTitle } from '../support/app.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const modes = ['version', 'changes'] as const;
type Options = Parameters<typeof createSyncTrial>[0];

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Both sides are equal, and runs of the schedule have found that. */
async function quiet(hints: 'off' | (typeof modes)[number], options: Options = {}) {
  const trial = createSyncTrial({ values: [header], google: { hints }, ...options });
  for (let index = 0; index < 6; index += 1)
    trial.addContact({ first_name: `P${index}`, company_name: 'Firm', email: `p${index}@firm.io` });
  const { drive } = trial.sheets.model;
  const tick = async (request: Parameters<typeof trial.run>[0] = {}) => {
    await pass(30_000);
    return trial.run({ isAsked: false, ...request });
  };
  const reads = () => trial.sheets.log.counters.reads;
  const driveCalls = () =>
    trial.sheets.log.entries.filter(({ operation }) => /^(?:files|changes)\./.test(operation)).length;
  const company = (email: string) => trial.contactOf(email).company_name;
  for (let runs = 0; runs < 4; runs += 1) await tick();
  return { ...trial, drive, tick, reads, driveCalls, company };
}

describe.each(modes)('with hints by %s', (mode) => {
  it('W14: an idle run asks once what may have changed, and reads no tab', async () => {
    const { tick, reads, driveCalls, crmCalls } = await quiet(mode);
    const before = [reads(), driveCalls(), crmCalls().length] as const;
    for (let runs = 0; runs < 3; runs += 1)
      expect(await tick()).toMatchObject({ status: 'succeeded', counts: { linked: 6 }, cost: { sheetReads: 0 } });
    expect([reads() - before[0], driveCalls() - before[1], crmCalls().length - before[2]]).toEqual([0, 3, 3]);
  });

  it('W14: an edit that Drive shows is sent as ever', async () => {
    const { tick, type, company } = await quiet(mode, { sync: { settle_secs: 0 } });
    type('p1@firm.io', 'Company', 'Other');
    expect(await tick()).toMatchObject({ counts: { updated: 1 } });
    expect(company('p1@firm.io')).toBe('Other');
  });

  it('W15: an edit that Drive never shows waits for the full look and no longer', async () => {
    const { tick, type, company, drive } = await quiet(mode, { sync: { settle_secs: 0 } });
    drive.isDeaf = true;
    type('p1@firm.io', 'Company', 'Other');
    const editedAt = Date.now();
    while (company('p1@firm.io') !== 'Other' && Date.now() - editedAt < 3_600_000) await tick();
    const waitedMs = Date.now() - editedAt;
    expect(waitedMs).toBeGreaterThan(30_000);
    expect(waitedMs).toBeLessThan(5 * 60_000 + 30_000);
  });

  it('W15: full_look of the configuration counts', async () => {
    const { tick, type, company, drive } = await quiet(mode, {
      sync: { settle_secs: 0, sheet: { spreadsheet: spreadsheetId, tab: tabTitle, full_look: '20s' } },
    });
    drive.isDeaf = true;
    type('p1@firm.io', 'Company', 'Other');
    await tick();
    expect(company('p1@firm.io')).toBe('Other');
  });

  it.each([
    { what: 'a person asks', request: { isAsked: true } },
    { what: 'a hook asks', request: { isTold: true } },
    { what: 'it is a full scan', request: { isFull: true } },
  ])('W14: $what: the run looks at once, whatever Drive says', async ({ request }) => {
    const { tick, type, company, drive } = await quiet(mode, { sync: { settle_secs: 0 } });
    drive.isDeaf = true;
    type('p1@firm.io', 'Company', 'Other');
    await tick(request);
    expect(company('p1@firm.io')).toBe('Other');
  });

  it('W14, L1: a change of the service is written over a row that the run has read: an edit there is kept', async () => {
    const { tick, type, change, drive, grid } = await quiet(mode, { sync: { settle_secs: 0 } });
    drive.isDeaf = true;
    type('p1@firm.io', 'Company', 'By a person');
    change('p1@firm.io', { company_name: 'By the service', last_name: 'Lee' });
    expect(await tick()).toMatchObject({ counts: { conflicts: 1, set: 1 } });
    expect(grid()).toContainEqual(expect.objectContaining({ 'Last name': 'Lee', Company: 'By a person' }));
  });

  it('W14, L8: a new contact is appended after a look: a row that names it is linked', async () => {
    const { tick, drive, person, addContact, grid } = await quiet(mode, { sync: { settle_secs: 0 } });
    drive.isDeaf = true;
    person.paste(`'${tabTitle}'!A9`, [['N', '', '', 'n@firm.io', '']]);
    addContact({ first_name: 'N', email: 'n@firm.io' });
    await tick();
    expect(grid().filter(({ Email }) => Email === 'n@firm.io')).toHaveLength(1);
  });

  it('W14: a version that moves without an edit costs a look, and no more', async () => {
    const { tick, drive, reads } = await quiet(mode);
    drive.touch(spreadsheetId);
    const before = reads();
    await tick();
    expect(reads() - before).toBe(1);
    await tick();
    expect(reads() - before).toBe(1);
  });

  it('W14: own writes are looked at', async () => {
    const { tick, change, reads } = await quiet(mode);
    change('p1@firm.io', { last_name: 'Lee' });
    await tick();
    const before = reads();
    await tick();
    expect(reads() - before).toBeGreaterThan(0);
  });

  it('W14: after a run of another process this one looks', async () => {
    const { tick, drive, reads, cli, type, company } = await quiet(mode, { sync: { settle_secs: 0 } });
    drive.isDeaf = true;
    expect((await cli('sync', 'prospects')).code).toBe(0);
    type('p1@firm.io', 'Company', 'Other');
    const before = reads();
    await tick();
    expect(reads() - before).toBeGreaterThan(0);
    expect(company('p1@firm.io')).toBe('Other');
  });

  it('W14: refused by Google, runs read the tab as before', async () => {
    const { tick, reads, type, company } = await quiet(mode, { scopes: [sheetsScope], sync: { settle_secs: 0 } });
    const before = reads();
    expect(await tick()).toMatchObject({ status: 'succeeded' });
    expect(reads() - before).toBe(1);
    type('p1@firm.io', 'Company', 'Other');
    await tick();
    expect(company('p1@firm.io')).toBe('Other');
  });

  it('W15: a clock that is set back has the run look', async () => {
    const { tick, reads } = await quiet(mode);
    const before = reads();
    const { now } = Date;
    const set = now() - 3_600_000;
    Date.now = () => set;
    try {
      await tick();
    } finally {
      Date.now = now;
    }
    expect(reads() - before).toBe(1);
  });
});

it('without hints Drive is asked for nothing, and every run reads the tab', async () => {
  const { tick, reads, driveCalls } = await quiet('off');
  const before = reads();
  await tick();
  await tick();
  expect([reads() - before, driveCalls()]).toEqual([2, 0]);
});

it.each(modes)('W14: an idle run of a feed reads no tab either, with hints by %s', async (hints) => {
  const trial = createSyncTrial({
    google: { hints },
    feeds: { lists: { resource: 'lists', schedule: '* * * * *', columns: { Id: 'uuid', Name: 'name' } } },
    values: [['Id', 'Name']],
  });
  const tick = async () => {
    await pass(30_000);
    return trial.run({ sync: 'lists', isAsked: false });
  };
  for (let runs = 0; runs < 3; runs += 1) await tick();
  const before = trial.sheets.log.counters.reads;
  await tick();
  expect(trial.sheets.log.counters.reads).toBe(before);
  trial.sheets.model.drive.isDeaf = true;
  trial.service.model.lists.add({ name: 'New' });
  await tick();
  expect(trial.person.read(`'${tabTitle}'!A1:Z9`).flat()).toContain('New');
});

describe('check', () => {
  const lineOf = async (options: Options) => {
    const trial = createSyncTrial({ values: [header], google: { hints: 'changes' }, ...options });
    const { stdout } = await trial.cli('check');
    return stdout.split('\n').filter((line) => line.includes('hints'));
  };

  it('W14: says in one line that hints work', async () => {
    expect(await lineOf({})).toEqual([expect.stringContaining('Drive tells about 1 spreadsheet, by changes')]);
  });

  it('W14: says in one line that Google refuses the scope, and what runs do then', async () => {
    expect(await lineOf({ scopes: [sheetsScope] })).toEqual([
      expect.stringMatching(/lack the scope .*drive\.metadata\.readonly: authorise again.*reads its tab as without/),
    ]);
  });

  it('asks Drive for nothing where hints are off', async () => {
    expect(await lineOf({ google: {} })).toEqual([]);
  });
});
