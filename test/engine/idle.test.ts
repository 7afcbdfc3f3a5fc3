// An idle run costs almost nothing, and misses no work (W9).
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle } from '../support/app.ts';
import { happenings, header, quiet } from './happenings.ts';

it.each([false, true])(
  'W9: an idle run makes 2 calls to the CRM and 1 to Sheets at most, and writes nothing (full: %s)',
  async (isFull) => {
    const trial = await quiet();
    const [files, before] = [trial.stateFiles(), trial.writes()];
    const calls = { crm: trial.crmCalls().length, reads: trial.sheets.log.counters.reads };
    const report = await trial.run({ isFull });
    expect(report).toMatchObject({ status: 'succeeded', counts: { linked: 6 }, isFull });
    expect(trial.crmCalls().length - calls.crm).toBeLessThanOrEqual(2);
    expect(trial.sheets.log.counters.reads - calls.reads).toBeLessThanOrEqual(1);
    expect(trial.writes()).toEqual(before);
    expect(trial.stateFiles()).toEqual(files);
  },
);

describe('the run after one that appended', () => {
  it.each(['in the same process', 'of a process that begins with it'])('W9: %s, writes nothing', async (where) => {
    const trial = await quiet();
    trial.addContact({ first_name: 'N', company_name: 'Firm', email: 'n@firm.io' });
    expect(await trial.run()).toMatchObject({ counts: { appended: 1 } });
    // W18: the first run that finds nothing to do notes that.
    await trial.run();
    if (where !== 'in the same process') await trial.start();
    const [files, before] = [trial.stateFiles(), trial.writes()];
    await trial.run();
    await trial.run({ isFull: true });
    expect(trial.writes()).toEqual(before);
    expect(trial.stateFiles()).toEqual(files);
  });

  it('W9, L10: when the process dies between the two, the next run removes the mark, and none after it writes', async () => {
    const trial = await quiet();
    trial.addContact({ first_name: 'N', company_name: 'Firm', email: 'n@firm.io' });
    let isAppended = false;
    trial.atEachInstant((what) => {
      if (typeof what !== 'string' && what.url.includes(':batchUpdate')) isAppended = true;
      else if (isAppended && what === 'answered') trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    const marks = () => [...trial.file.content.metadataById.values()].filter(({ key }) => key !== 'c').length;
    expect(marks()).toBe(1);
    await trial.start();
    await trial.run();
    expect(marks()).toBe(0);
    await trial.run();
    const [files, before] = [trial.stateFiles(), trial.writes()];
    await trial.run();
    await trial.run({ isFull: true });
    expect(trial.writes()).toEqual(before);
    expect(trial.stateFiles()).toEqual(files);
  });

  it('W9, L8: the mark of an append stays while an attempt without an answer may still arrive, and goes with the next run', async () => {
    const trial = await quiet();
    trial.addContact({ first_name: 'N', company_name: 'Firm', email: 'n@firm.io' });
    trial.sheets.faults.add({ effect: { type: 'lost' }, when: 'before', match: { kind: 'write' } });
    expect(await trial.run()).toMatchObject({ counts: { appended: 1 } });
    const marks = () => [...trial.file.content.metadataById.values()].filter(({ key }) => key !== 'c').length;
    expect(marks()).toBe(1);
    await trial.run();
    expect(marks()).toBe(0);
    const before = trial.writes();
    await trial.run();
    expect(trial.writes()).toEqual(before);
  });
});

describe('marks that could not be removed', () => {
  const isOurs = ({ key }: { readonly key: string }) => key === 'p' || key === 'a';
  const marksIn = (trial: ReturnType<typeof createSyncTrial>) =>
    [...trial.file.content.metadataById.values()].filter(isOurs).length;

  /** A run has appended, and neither it nor the run after it could remove the mark. */
  async function withMark(options: Parameters<typeof quiet>[0] = {}) {
    const trial = await quiet(options);
    trial.addContact({ first_name: 'N', company_name: 'Firm', email: 'n@firm.io' });
    const lost = { effect: { type: 'lost' }, when: 'before', times: 999, match: { kind: 'write' } } as const;
    trial.sheets.faults.add({ ...lost, skip: 1 });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(marksIn(trial)).toBe(1);
    trial.sheets.faults.clear();
    return trial;
  }

  it.each(['in the same process', 'in a process that begins with it'])(
    'W9, W18: go with the next run %s, although nothing else is to be done',
    async (where) => {
      const trial = await withMark();
      if (where !== 'in the same process') await trial.start();
      await trial.run();
      expect(marksIn(trial)).toBe(0);
      await trial.run();
      const [files, before, { reads }] = [trial.stateFiles(), trial.writes(), { ...trial.sheets.log.counters }];
      await trial.run();
      expect(trial.writes()).toEqual(before);
      expect(trial.stateFiles()).toEqual(files);
      expect(trial.sheets.log.counters.reads - reads).toBe(1);
    },
  );

  it('W9, W14: go with the next run although Drive says that nothing moved', async () => {
    const trial = await withMark({ google: { hints: 'changes' } });
    await trial.run({ isAsked: false });
    expect(marksIn(trial)).toBe(0);
  });

  it('W9: a mark that a later run finds is removed although that process had found nothing to do', async () => {
    const trial = await withMark();
    await trial.run({ isFull: true });
    expect(marksIn(trial)).toBe(0);
  });
});

it('W9: an idle run after a restart writes nothing either', async () => {
  const trial = await quiet();
  await trial.start();
  const [files, before] = [trial.stateFiles(), trial.writes()];
  await trial.run({ isFull: true });
  await trial.run();
  expect(trial.writes()).toEqual(before);
  expect(trial.stateFiles()).toEqual(files);
});

it('W9: a problem that no run can settle is reported each time and never written', async () => {
  const trial = await quiet();
  trial.type('p1@firm.io', 'Company', 'By hand');
  trial.change('p1@firm.io', { company_name: 'By the CRM' });
  trial.person.paste(`'${tabTitle}'!A20`, [['Nobody', 'Yet', '', '', '']]);
  await trial.run();
  const [files, before] = [trial.stateFiles(), trial.writes()];
  for (let run = 0; run < 3; run += 1)
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { conflicts: 1, waiting: 1 } });
  expect(trial.writes()).toEqual(before);
  expect(trial.stateFiles()).toEqual(files);
});

it('W9: a row that waits for a key is no news where it was only moved, and nothing is written', async () => {
  const trial = await quiet();
  trial.person.paste(`'${tabTitle}'!A20`, [['Nobody', 'Yet', '', '', '']]);
  await trial.run();
  await trial.run();
  const [files, before] = [trial.stateFiles(), trial.writes()];
  trial.person.deleteRows(tabTitle, 19);
  expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [{ kind: 'waiting', row: 19 }] });
  expect(trial.writes()).toEqual(before);
  expect(trial.stateFiles()).toEqual(files);
});

it('W9: while a conflict is open an idle run asks for what changed since the run before, and not since the conflict', async () => {
  const trial = await quiet({ switches: { pageRowsMax: 2 } });
  trial.type('p1@firm.io', 'Company', 'By hand');
  trial.change('p1@firm.io', { company_name: 'By the CRM' });
  await trial.run();
  // Each later than the time by which scans overlap.
  const callsOfNext = async () => {
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
    const before = trial.crmCalls().length;
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { conflicts: 1, set: 0, updated: 0 } });
    return trial.crmCalls().length - before;
  };
  await callsOfNext();
  await callsOfNext();
  // Nothing that the sync maps.
  for (const { uuid, work_email } of trial.contacts())
    if (work_email !== 'p1@firm.io') trial.service.model.contacts.change(uuid, { fields: { headline: 'New' } });
  expect(await callsOfNext()).toBeGreaterThan(2);
  expect(await callsOfNext()).toBeLessThanOrEqual(2);
});

describe('the idle path misses no work', () => {
  it.each(happenings)(
    'W9, L5: $what: a run that may be idle does what one does that may not',
    async ({ happen, isFull }) => {
      const results = [];
      for (const isFresh of [false, true]) {
        const trial = await quiet();
        const other = trial.service.model.lists.add({ name: 'Other' });
        trial.change('p5@firm.io', { list_uuid: other.uuid });
        await trial.run({ isFull: true });
        await trial.run();
        await trial.run();
        happen(trial);
        if (isFresh) await trial.start();
        const { counts, status } = await trial.run({ isFull: isFull ?? false });
        const rows = trial.grid();
        const people = trial.contacts().map(({ work_email, company_name }) => [work_email, company_name]);
        results.push({ counts, status, rows, people });
      }
      expect(results[0]).toEqual(results[1]);
    },
  );

  it('W9, I2: a contact that got no row is found again by each run, not only by the next', async () => {
    const trial = await quiet();
    trial.person.paste(`'${tabTitle}'!A9`, [
      ['N', '', '', 'n@firm.io', ''],
      ['M', '', '', 'n@firm.io', ''],
    ]);
    trial.addContact({ first_name: 'N', email: 'n@firm.io' });
    await trial.run();
    await trial.run();
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
    await trial.run();
    trial.person.deleteRows(tabTitle, 9, 2);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
  });
});

it('W9, I2: contacts that wait for a decision do not make every run a full scan', async () => {
  const trial = createSyncTrial({ values: [header] });
  for (let index = 0; index < 6; index += 1)
    trial.addContact({ first_name: `P${index}`, company_name: 'Firm', email: `p${index}@firm.io` });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  trial.person.paste(`'${tabTitle}'!A2`, [
    ['Ann', '', '', 'ann@firm.io'],
    ['Ann', '', '', 'ann@firm.io'],
  ]);
  expect(await trial.run()).toMatchObject({ isFull: true, counts: { linked: 6, quarantined: 2 } });
  expect(await trial.run()).toMatchObject({ isFull: false, counts: { linked: 6, quarantined: 2 } });
  await trial.start();
  expect(await trial.run()).toMatchObject({ isFull: false, counts: { linked: 6, quarantined: 2 } });
  trial.person.deleteRows(tabTitle, 3);
  expect(await trial.run()).toMatchObject({ isFull: false, status: 'succeeded', counts: { linked: 7 } });
});
