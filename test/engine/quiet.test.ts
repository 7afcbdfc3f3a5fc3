// A process that begins recognises that nothing changed, and misses no work by it (W18).
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Store } from '../../src/state/port.ts';
import { tabTitle } from '../support/app.ts';
import { happenings, quiet, type Trial } from './happenings.ts';

/** Of the next run. */
async function costOf(trial: Trial) {
  const before = { crm: trial.crmCalls().length, reads: trial.sheets.log.counters.reads };
  const report = await trial.run();
  return {
    report,
    crm: trial.crmCalls().length - before.crm,
    reads: trial.sheets.log.counters.reads - before.reads,
  };
}

/** Deletes the note, as an earlier version of the program left none. */
async function forget(trial: Trial): Promise<void> {
  const { store } = await trial.start();
  await using lease = await store.sync('prospects').acquireLease();
  await lease.load();
  await lease.commit({ facts: { delete: ['quiet'] } });
}

async function note(trial: Trial): Promise<unknown> {
  const { store } = await trial.start();
  return (await store.sync('prospects').load()).facts.get('quiet');
}

it('W18: the first run of a process costs one read and two calls at most, and writes nothing', async () => {
  const trial = await quiet();
  const warm = await trial.run();
  const [files, before] = [trial.stateFiles(), trial.writes()];
  await trial.start();
  const cold = await costOf(trial);
  expect(cold.report).toMatchObject({ status: 'succeeded', counts: warm.counts, problems: [], isFull: false });
  expect([cold.reads, cold.crm <= 2]).toEqual([1, true]);
  const next = await costOf(trial);
  expect([next.reads, next.report.counts]).toEqual([1, warm.counts]);
  expect(trial.writes()).toEqual(before);
  expect(trial.stateFiles()).toEqual(files);
});

it('W18, W9: only the first run that finds nothing to do notes it', async () => {
  const trial = await quiet();
  trial.change('p1@firm.io', { company_name: 'Other' });
  await trial.run();
  expect(await note(trial)).toBeUndefined();
  await trial.run();
  const noted = await note(trial);
  expect(noted).toMatchObject({ linked: 6 });
  const files = trial.stateFiles();
  await trial.run();
  await trial.run({ isFull: true });
  expect([await note(trial), trial.stateFiles()]).toEqual([noted, files]);
});

it('W18, L1: a note that an earlier version left in place says nothing after a run of that version', async () => {
  const trial = await quiet();
  await trial.run();
  const noted = z.json().parse(await note(trial));
  const [header = [], , row = []] = trial.person.read(tabTitle);
  const [email, company] = ['Email', 'Company'].map((name) => row[header.indexOf(name)] as string);
  trial.type(email!, 'Company', 'Other');
  await trial.run();
  expect(trial.contactOf(email!)['company_name']).toBe('Other');
  {
    const { store } = await trial.start();
    await using lease = await store.sync('prospects').acquireLease();
    await lease.load();
    await lease.commit({ facts: { put: new Map([['quiet', noted]]) } });
  }
  // The tab is as it was when the note was made.
  trial.type(email!, 'Company', company!);
  await trial.start();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
  expect(trial.contactOf(email!)['company_name']).toBe(company);
});

it('W18: runs that find nothing to do load no record, in one process or in several', async () => {
  const trial = await quiet();
  const { store } = await trial.start();
  let loads = 0;
  const counting: Store = {
    ...store,
    sync(name) {
      const state = store.sync(name);
      return {
        ...state,
        async acquireLease(options) {
          const lease = await state.acquireLease(options);
          const load = () => {
            loads += 1;
            return lease.load();
          };
          return { ...lease, load };
        },
      };
    },
  };
  const loadsOf = async (): Promise<unknown> => {
    loads = 0;
    const { status, counts } = await trial.run();
    return [loads, status, counts.updated];
  };
  await trial.start(counting);
  for (let run = 0; run < 3; run += 1) expect(await loadsOf()).toEqual([0, 'succeeded', 0]);
  trial.type('p1@firm.io', 'Company', 'Other');
  expect(await loadsOf()).toEqual([1, 'succeeded', 1]);
  expect(await loadsOf()).toEqual([1, 'succeeded', 0]);
  for (let run = 0; run < 2; run += 1) expect(await loadsOf()).toEqual([0, 'succeeded', 0]);
  trial.change('p2@firm.io', { company_name: 'Other' });
  expect(await loadsOf()).toEqual([1, 'succeeded', 0]);
  expect(trial.person.read(tabTitle).filter((row) => row.includes('Other'))).toHaveLength(2);
});

it('W18: what the configuration leaves alone is told in the same words', async () => {
  const trial = await quiet();
  const other = trial.service.model.lists.add({ name: 'Other' });
  trial.change('p5@firm.io', { list_uuid: other.uuid });
  trial.person.deleteRows(tabTitle, 3);
  await trial.run({ isFull: true });
  // Later searches for changes do not show the contact any more.
  await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  for (let run = 0; run < 3; run += 1) await trial.run();
  await forget(trial);
  const usual = await trial.run();
  await trial.start();
  const cold = await costOf(trial);
  expect(cold.reads).toBe(1);
  const { status, counts, problems } = usual;
  expect(counts.ignored).toBeGreaterThan(0);
  expect(cold.report).toMatchObject({ status, counts, problems });
});

const more: typeof happenings = [
  ...happenings.filter(({ what }) => !what.includes('comes back')),
  { what: 'a cell is edited and put back', happen: (trial) => editTwice(trial, 'Company', 'Firm') },
  { what: 'the status of a row is overwritten', happen: (trial) => trial.type('p1@firm.io', 'Status', 'not ours') },
  { what: 'a column is put in front', happen: (trial) => trial.person.insertColumns(tabTitle, 'A') },
  { what: 'a contact is edited and put back', happen: (trial) => changeTwice(trial, 'Firm') },
  {
    what: 'a contact leaves the list',
    happen: (trial) => trial.change('p1@firm.io', { list_uuid: trial.service.model.lists.add({ name: 'Other' }).uuid }),
  },
  { what: 'the mapping loses a column', happen: (trial) => configure(trial, /^.*Company: company_name.*\n/m, '') },
  { what: 'the mapping names another header', happen: (trial) => configure(trial, /Company: /, 'Employer: ') },
  {
    what: 'the sync gets a status column',
    happen: (trial) => configure(trial, /^( +)tab: /m, '$1status_column: State\n$&'),
  },
];

function editTwice(trial: Trial, header: string, value: string): void {
  trial.type('p1@firm.io', header, 'Other');
  trial.type('p1@firm.io', header, value);
}

function changeTwice(trial: Trial, value: string): void {
  trial.change('p1@firm.io', { company_name: 'Other' });
  trial.change('p1@firm.io', { company_name: value });
}

function configure(trial: Trial, found: RegExp, text: string): void {
  const before = readFileSync(trial.configFile, 'utf8');
  expect(before).toMatch(found);
  writeFileSync(trial.configFile, before.replace(found, text));
}

describe('a note misses no work', () => {
  it.each(more)('W18, L5: $what: with the note a process does what it does without it', async ({ happen, isFull }) => {
    const results = [];
    for (const hasNote of [true, false]) {
      const trial = await quiet();
      if (!hasNote) await forget(trial);
      expect((await note(trial)) !== undefined).toBe(hasNote);
      happen(trial);
      await trial.start();
      const { counts, status, problems } = await trial.run({ isFull: isFull ?? false });
      const rows = trial.grid();
      const people = trial.contacts().map(({ work_email, company_name }) => [work_email, company_name]);
      results.push({ counts, status, problems: problems.map(({ kind, reason }) => [kind, reason]), rows, people });
    }
    expect(results[0]).toEqual(results[1]);
  });
});
