// First runs under default limits that are cut short (G2, G4, L10): later runs finish them without an approval, because no
// person's record changes. REPEATS=all kills at each request. FIRST_RUN_ROWS=1000 FIRST_RUN_EVERY=37 kills a larger first run at every 37th request,
// FIRST_RUN_FROM=2000 from the 2000th instant on. FIRST_RUN_AT=all also kills it before and after each write of the state.
import { describe, expect, it } from 'vitest';
import { createSyncTrial, inOrder, tabTitle, type TrialOptions } from '../support/app.ts';
import { repeats } from '../support/repeats.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const size = Number(process.env['FIRST_RUN_ROWS'] ?? 10);
const every = Number(process.env['FIRST_RUN_EVERY'] ?? repeats(9, 1));
const firstAt = Number(process.env['FIRST_RUN_FROM'] ?? 1);
const isAtAll = process.env['FIRST_RUN_AT'] === 'all';
const oneHourMs = 3_600_000;

type Trial = ReturnType<typeof createSyncTrial>;

function rowsOf(count: number, wish?: string, from = 0): string[][] {
  return Array.from({ length: count }, (_, index) => {
    const number = from + index;
    const wished = wish === undefined ? [] : [number % 2 === 0 ? wish : ''];
    return [`P${number}`, 'Walker', `Firm ${number % 3}`, `p${number}@firm.io`, '', ...wished];
  });
}

function firstRun(count: number, options: TrialOptions = {}): Trial {
  return createSyncTrial({ values: [header, ...rowsOf(count)], ...options });
}

function firstRunWithWishes(count: number, limits: Readonly<Record<string, unknown>> = {}): Trial {
  const trial = createSyncTrial({
    values: [[...header, 'Automation'], ...rowsOf(count, 'Welcome')],
    sync: { automation: { column: 'Automation' }, limits },
  });
  trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  return trial;
}

const wentOn = { stopped: [], twice: [], missing: [], idleWrites: 0, areFilesSame: true };

/** The faults after three later runs without an approval, and the writes of two idle runs in a new process. */
async function goOn(trial: Trial, count: number): Promise<typeof wentOn> {
  const stopped: string[] = [];
  for (let run = 1; run <= 3; run += 1) {
    const { status, error = '', holds } = await trial.run();
    if (status === 'held' || status === 'failed')
      stopped.push([status, error, ...holds.map((each) => each.reason)].join(' '));
  }
  const emails = inOrder(trial.contacts().map(({ work_email }) => work_email));
  const idByEmail = new Map(trial.grid().map((row) => [row['Email'], row['Contact ID']]));
  const uuidByEmail = new Map(trial.contacts().map(({ work_email, uuid }) => [work_email, uuid]));
  const wanted = Array.from({ length: count }, (_, number) => `p${number}@firm.io`);
  await trial.start();
  const [files, before] = [trial.stateFiles(), writesOf(trial)];
  await trial.run();
  await trial.run({ isFull: true });
  return {
    stopped: stopped as never[],
    twice: emails.filter((email, index) => emails[index - 1] === email) as never[],
    missing: wanted.filter(
      (email) => !uuidByEmail.has(email) || idByEmail.get(email) !== uuidByEmail.get(email),
    ) as never[],
    idleWrites: writesOf(trial) - before,
    areFilesSame: JSON.stringify(trial.stateFiles()) === JSON.stringify(files),
  };
}

function writesOf(trial: Trial): number {
  const { crm, sheet } = trial.writes();
  return crm.filter((operation) => operation !== 'automations.list').length + sheet;
}

/**
 * Kills a run at that request. In turns, the request never arrives or its answer is lost: both sides are the same after a
 * kill behind a request and one in front of the next. False: the run ended before.
 */
async function isKilledAt(trial: Trial, killAt: number): Promise<boolean> {
  const isMoment = (what: Request | string) =>
    isAtAll || (killAt % 2 === 1 ? typeof what !== 'string' : what === 'answered');
  let instants = 0;
  return isKilled(trial, (what) => isMoment(what) && (instants += 1) === killAt);
}

async function isKilled(trial: Trial, isIt: (what: Request | string) => boolean): Promise<boolean> {
  trial.atEachInstant((what) => {
    if (isIt(what)) trial.kill();
  });
  const stop = new AbortController();
  const ended = await trial.attempt({ signal: stop.signal });
  // The dead process makes no more calls.
  stop.abort();
  trial.atEachInstant(() => {});
  if (ended === 'killed') await trial.start();
  return ended === 'killed';
}

describe('killed at requests of a first run', () => {
  it.each([
    { what: 'rows that become contacts', rules: 'L10, G2, G4', create: firstRun, each: every },
    {
      what: 'rows of which half are enrolled by the call that creates them',
      rules: 'L10, G2, E2, E6',
      create: firstRunWithWishes,
      each: process.env['FIRST_RUN_EVERY'] === undefined ? repeats(13, 3) : every,
    },
  ])('$rules: $what', { timeout: oneHourMs }, async ({ create, each }) => {
    let at = firstAt;
    for (let isOver = false; !isOver; at += each) {
      const trial = create(size);
      isOver = !(await isKilledAt(trial, at));
      expect({ at, ...(await goOn(trial, size)) }).toEqual({ at, ...wentOn });
    }
    // It was killed at many of them.
    expect(at).toBeGreaterThan(30);
  });

  it.each([60, 150].slice(0, repeats(1, 2)))(
    'L10, G2, G4: %i rows, at samples',
    { timeout: 600_000 },
    async (count) => {
      const moments: readonly (readonly [string, number])[] = [
        ['upsert', 30],
        ['upsert', count - 1],
        ['saved', 3],
        ['values:batchUpdateByDataFilter', 1],
      ];
      for (const [wanted, nth] of moments) {
        const trial = firstRun(count);
        let met = 0;
        const isIt = (what: Request | string) =>
          typeof what === 'string' ? what === wanted : what.url.includes(wanted);
        const at = `${wanted} ${nth}`;
        expect({ at, isKilled: await isKilled(trial, (what) => isIt(what) && (met += 1) === nth) }).toMatchObject({
          isKilled: true,
        });
        expect({ at, ...(await goOn(trial, count)) }).toEqual({ at, ...wentOn });
      }
    },
  );

  it('L10, E6: wishes beyond the cap are not held because the process died', async () => {
    for (const nth of [1, 3, 6]) {
      const trial = firstRunWithWishes(12, { enrolments_per_hour: 2 });
      let met = 0;
      await isKilled(trial, (what) => what instanceof Request && what.url.includes('upsert') && (met += 1) === nth);
      const report = await trial.run();
      expect({ nth, held: report.problems.filter(({ rule }) => rule === 'E6') }).toEqual({ nth, held: [] });
    }
  });
});

describe('the sheet fails in a first run', () => {
  const effects = [{ type: 'status', status: 503 }, { type: 'lost' }, { type: 'html' }, { type: 'empty' }] as const;
  // A lost request and a lost answer share the writes between them, and so do the effects: one begins with the first write, the
  // next with the second.
  const step = repeats(4, 1);
  it.each(
    effects.flatMap((effect, nth) =>
      (['before', 'after'] as const).map((when, later) => ({
        effect,
        when,
        first: repeats((nth + later) % 2, 0),
        count: effect.type === 'status' ? repeats(30, 60) : 10,
      })),
    ),
  )(
    'G2, G4: $count rows, one write, $effect.type $when',
    { timeout: 120_000 },
    async ({ effect, when, first, count }) => {
      for (let skip = first; skip < 4; skip += step) {
        const trial = firstRun(count);
        trial.sheets.faults.add({ effect, when, skip, times: 1, match: { kind: 'write' } });
        await trial.run();
        expect({ skip, ...(await goOn(trial, count)) }).toEqual({ skip, ...wentOn });
      }
    },
  );

  it.each([10, 100, 200])(
    'G2, G4: %i rows, and every write to the sheet after the columns were made',
    async (count) => {
      const trial = firstRun(count);
      trial.sheets.faults.add({
        effect: { type: 'status', status: 503 },
        skip: 1,
        times: 999,
        match: { kind: 'write' },
      });
      expect(await trial.run()).toMatchObject({ status: 'partial', counts: { created: count, set: 0 } });
      trial.sheets.faults.clear();
      expect(await goOn(trial, count)).toEqual(wentOn);
    },
  );

  it('G4, L12: columns that cannot be made fail the run, by name, before a contact is made', async () => {
    const trial = createSyncTrial({ values: [header.slice(0, 4), ...rowsOf(10).map((row) => row.slice(0, 4))] });
    trial.sheets.faults.add({ effect: { type: 'status', status: 503 }, times: 99, match: { kind: 'write' } });
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'failed', error: expect.stringMatching(/made.*"Contact ID", "Status"/) });
    expect(trial.contacts()).toHaveLength(0);
    trial.sheets.faults.clear();
    expect(await goOn(trial, 10)).toEqual(wentOn);
  });
});

describe('a later run is cut short', () => {
  async function inSync(options: TrialOptions = {}, count = 10): Promise<Trial> {
    const trial = firstRun(count, options);
    await trial.run();
    await trial.run();
    return trial;
  }

  function failWrites(trial: Trial): void {
    trial.sheets.faults.add({ effect: { type: 'status', status: 503 }, times: 999, match: { kind: 'write' } });
  }

  it('G2, G4: ten links, twenty new rows whose cells could not be written, and one edit more', async () => {
    const trial = await inSync();
    trial.person.paste(`'${tabTitle}'!A12`, rowsOf(20, undefined, 10));
    failWrites(trial);
    expect(await trial.run()).toMatchObject({ counts: { created: 20 } });
    trial.sheets.faults.clear();
    trial.type('p3@firm.io', 'Company', 'By hand');
    expect(await goOn(trial, 30)).toEqual(wentOn);
    expect(trial.contactOf('p3@firm.io').company_name).toBe('By hand');
  });

  it('G2, G4: edits that an earlier run was let through to write count once', async () => {
    const trial = await inSync();
    for (let index = 0; index < 5; index += 1) trial.change(`p${index}@firm.io`, { company_name: 'By the CRM' });
    failWrites(trial);
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { set: 0 } });
    trial.sheets.faults.clear();
    trial.change('p7@firm.io', { company_name: 'By the CRM' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 6 } });
  });

  it('G2, G4: contacts that an earlier run was let through to make count once', async () => {
    const trial = await inSync({ sync: { limits: { creates: 10 } } });
    trial.person.paste(`'${tabTitle}'!A12`, rowsOf(10, undefined, 10));
    trial.service.faults.inject({
      kind: 'status',
      status: 503,
      times: 99,
      operation: 'contacts.upsert',
      when: 'before',
    });
    await trial.run();
    trial.service.faults.clear();
    trial.person.paste(`'${tabTitle}'!A22`, rowsOf(1, undefined, 20));
    expect(await goOn(trial, 21)).toEqual(wentOn);
  });

  it('G2, I2: rows whose contacts are there already are no changed records', async () => {
    const trial = await inSync();
    for (const [name, last, firm, email] of rowsOf(20, undefined, 10))
      trial.addContact({ first_name: name!, last_name: last!, company_name: firm!, email: email! });
    trial.person.paste(`'${tabTitle}'!A12`, rowsOf(20, undefined, 10));
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { set: 20, appended: 0 } });
  });

  it.each([
    { what: 'edited', value: 'By hand', reason: /changed records/ },
    { what: 'emptied', value: '', reason: /emptied fields/ },
  ])('G2: what people $what meanwhile counts, though the same run finishes another', async ({ value, reason }) => {
    const trial = firstRun(20, { sync: { limits: { blanks: '20%' } } });
    trial.sheets.faults.add({ effect: { type: 'status', status: 503 }, skip: 1, times: 999, match: { kind: 'write' } });
    await trial.run();
    trial.sheets.faults.clear();
    for (let index = 0; index < 11; index += 1) trial.type(`p${index}@firm.io`, 'Company', value);
    const before = writesOf(trial);
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'held' });
    expect(report.holds.map((hold) => hold.reason).join()).toMatch(reason);
    expect(writesOf(trial)).toBe(before);
  });

  it('G2: a cell that a person typed over since is another change, and counts', async () => {
    const trial = await inSync({ sync: { conflict: 'crm' } });
    for (let index = 0; index < 5; index += 1) trial.change(`p${index}@firm.io`, { company_name: 'By the CRM' });
    failWrites(trial);
    await trial.run();
    trial.sheets.faults.clear();
    for (let index = 0; index < 5; index += 1) trial.type(`p${index}@firm.io`, 'Company', 'By hand');
    trial.change('p7@firm.io', { company_name: 'By the CRM' });
    expect(await trial.run()).toMatchObject({ status: 'held', planned: { changes: 6 } });
  });
});
