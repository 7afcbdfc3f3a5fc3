// Runs over a state that is lost, damaged, old or another sync's, and after a process that was killed (S, I9, L10).
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { describe, expect, it, vi } from 'vitest';
import { createSyncTrial, inOrder, tabTitle, type TrialOptions } from '../support/app.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const names = ['Ann', 'Bob', 'Cy', 'Dee', 'Eve', 'Fay'];

async function inSync(options: Parameters<typeof createSyncTrial>[0] = {}) {
  const trial = createSyncTrial({ values: [header], ...options });
  for (const name of names)
    trial.addContact({ first_name: name, company_name: 'Firm', email: `${name.toLowerCase()}@firm.io` });
  await trial.run();
  const state = join(trial.folder, 'state', 'prospects');
  const restart = async (change: () => void) => {
    change();
    await trial.start();
  };
  return { ...trial, state, restart };
}

interface ConfigFile {
  readonly syncs: { readonly prospects: { columns: Readonly<Record<string, unknown>> } };
}

type Trial = Awaited<ReturnType<typeof inSync>>;

function isSetOfCells({ url }: Request): boolean {
  return url.includes('values:batchUpdateByDataFilter');
}

/** A list that shifts while it is read: no page of a scan has a hidden contact, and the totals count it. */
function hiding(hidden: ReadonlySet<string>): NonNullable<TrialOptions['around']> {
  return async (request, next) => {
    const isScan = request.url.includes('search') && (await request.clone().text()).includes('list_uuid');
    const response = await next(request);
    if (!isScan || hidden.size === 0) return response;
    const page = (await response.json()) as { readonly data: readonly { readonly uuid: string }[]; total: number };
    const data = page.data.filter(({ uuid }) => !hidden.has(uuid));
    // A search that lags behind does not count them either.
    const shown = { ...page, data, total: page.total - hidden.size };
    return new Response(JSON.stringify(shown), response);
  };
}

/** Lookups by uuid get no answer; pages of scans do. */
function withoutAnswerFor(silent: ReadonlySet<string>): NonNullable<TrialOptions['around']> {
  return async (request, next) => {
    const asked = `${request.url} ${await request.clone().text()}`;
    return [...silent].some((uuid) => asked.includes(uuid)) ? new Response('', { status: 503 }) : next(request);
  };
}

/** No contact is deleted or doubled, and each row has the uuid of its contact. */
function expectEverybodyOnce(trial: Trial): void {
  expect(inOrder(trial.grid().map((row) => row['First name']))).toEqual(names);
  expect(inOrder(trial.contacts().map(({ first_name }) => first_name))).toEqual(names);
  for (const name of names) {
    const email = `${name.toLowerCase()}@firm.io`;
    expect(trial.rowOf(email)['Contact ID']).toBe(trial.contactOf(email).uuid);
  }
}

describe('S1, I9: the state is lost', () => {
  it('S1, I9: contacts and rows are linked by ID, nothing is deleted or doubled, and equal fields cost no write', async () => {
    const trial = await inSync();
    await trial.restart(() => rmSync(trial.state, { recursive: true }));
    const before = trial.writes();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 6, set: 0, updated: 0 } });
    expectEverybodyOnce(trial);
    expect(trial.writes().crm).toEqual(before.crm);
  });

  it('S1, I9, I5: without IDs, contacts and rows are linked by key', async () => {
    const trial = await inSync();
    await trial.restart(() => {
      rmSync(trial.state, { recursive: true });
      trial.person.deleteColumns(tabTitle, 'F');
    });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 0, appended: 0, linked: 6 } });
    expectEverybodyOnce(trial);
  });

  it('S1, I9: a row and a contact that were missing on the other side are added, not deleted', async () => {
    const trial = await inSync();
    await trial.restart(() => {
      rmSync(trial.state, { recursive: true });
      trial.person.deleteRows(tabTitle, trial.rowNumberOf('bob@firm.io'));
    });
    expect(await trial.run()).toMatchObject({ counts: { appended: 1, deleted: 0, removed: 0 } });
    expectEverybodyOnce(trial);
  });

  it('S1, M1: a difference is a conflict, and neither side is overwritten', async () => {
    const trial = await inSync();
    await trial.restart(() => {
      rmSync(trial.state, { recursive: true });
      trial.type('ann@firm.io', 'Company', 'By hand');
    });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { conflicts: 1 } });
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Firm');
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('By hand');
  });
});

describe('S1: the state is damaged', () => {
  it('S1: a damaged document is set aside and named, and the run converges without it', async () => {
    const trial = await inSync();
    trial.type('ann@firm.io', 'Company', 'Second');
    await trial.run();
    await trial.restart(() => {
      for (const name of readdirSync(trial.state).filter((each) => each.startsWith('base')))
        writeFileSync(join(trial.state, name), readFileSync(join(trial.state, name), 'utf8').slice(0, 100));
    });
    expect(await trial.run()).toMatchObject({ counts: { created: 0, appended: 0, deleted: 0, removed: 0 } });
    expectEverybodyOnce(trial);
    expect(trial.events).toContainEqual(
      expect.objectContaining({ type: 'notice', message: expect.stringMatching(/base/) }),
    );
  });

  it('S1: damage that is there when a person pauses and resumes the sync is named by the run that comes after', async () => {
    const trial = await inSync();
    trial.type('ann@firm.io', 'Company', 'Second');
    await trial.run();
    const document = join(trial.state, 'base.json');
    await trial.restart(() => writeFileSync(document, readFileSync(document, 'utf8').slice(0, 100)));
    expect(await trial.cli('pause', 'prospects', '--reason', 'a look')).toMatchObject({ code: 0 });
    expect((await trial.cli('status')).stdout).toContain('a look');
    expect(await trial.cli('resume', 'prospects')).toMatchObject({ code: 0 });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 6 } });
    expect(trial.events).toContainEqual(
      expect.objectContaining({ type: 'notice', message: expect.stringMatching(/^base\.json is damaged/) }),
    );
  });

  it('S3: an older state that was put back brings conflicts at most, never a regression', async () => {
    const trial = await inSync();
    const backup = join(trial.folder, 'backup');
    cpSync(trial.state, backup, { recursive: true });
    trial.type('ann@firm.io', 'Company', 'Newer');
    trial.change('bob@firm.io', { company_name: 'Newer' });
    await trial.run();
    await trial.restart(() => {
      rmSync(trial.state, { recursive: true });
      cpSync(backup, trial.state, { recursive: true });
    });
    trial.change('cy@firm.io', { company_name: 'Newest' });
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { set: 1, updated: 0 } });
    for (const email of ['ann@firm.io', 'bob@firm.io']) {
      expect(trial.rowOf(email)['Company']).toBe('Newer');
      expect(trial.contactOf(email).company_name).toBe('Newer');
    }
  });
});

describe('S2, G1: another sync’s state', () => {
  it('S2: state of another sync is refused', async () => {
    const trial = await inSync();
    const config = parse(readFileSync(trial.configFile, 'utf8')) as { syncs: Record<string, unknown> };
    await trial.restart(() => {
      const other = join(trial.folder, 'state', 'others');
      cpSync(trial.state, other, { recursive: true });
      writeFileSync(trial.configFile, stringify({ ...config, syncs: { others: config.syncs['prospects'] } }));
    });
    const before = trial.writes();
    expect(await trial.run({ sync: 'others' })).toMatchObject({ status: 'failed' });
    expect(trial.writes()).toEqual(before);
  });

  it.each([
    ['list', 'contacts'],
    ['tab', 'sheet'],
  ] as const)('G1: another %s than the state knows is refused, without a write', async (what, section) => {
    const trial = await inSync();
    const config = parse(readFileSync(trial.configFile, 'utf8')) as {
      syncs: { prospects: Record<string, Record<string, unknown>> };
    };
    trial.service.model.lists.add({ name: 'Other' });
    trial.person.request({ addSheet: { properties: { title: 'Other' } } });
    config.syncs.prospects[section]![what] = 'Other';
    await trial.restart(() => writeFileSync(trial.configFile, stringify(config)));
    const [before, files] = [trial.writes(), trial.stateFiles()];
    expect(await trial.run({ isFull: true })).toMatchObject({
      status: 'failed',
      holds: expect.arrayContaining([
        expect.objectContaining({ rule: 'G1', reason: expect.stringMatching(/another/) }),
      ]),
    });
    expect(trial.writes()).toEqual(before);
    expect(trial.stateFiles()['base.json']).toEqual(files['base.json']);
  });
});

describe('L10: killed anywhere', () => {
  it('L10, L12, L1: after a kill between a write and its line, the history has the overwritten value', async () => {
    const trial = await inSync({ sync: { conflict: 'crm' } });
    trial.type('ann@firm.io', 'Company', 'By hand');
    trial.change('ann@firm.io', { company_name: 'By the CRM' });
    let writes = 0;
    trial.atEachInstant((what) => {
      if (typeof what !== 'string' && isSetOfCells(what)) writes += 1;
      else if (what === 'answered' && writes > 0) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('By the CRM');
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    const lines = (await trial.history()).filter(({ before }) => before === 'By hand');
    expect(lines).toMatchObject([{ side: 'sheet', field: 'company_name', after: 'By the CRM', outcome: 'unknown' }]);
  });

  it.each([
    { what: '', reorder: false },
    { what: ', and with the columns in another order', reorder: true },
  ])('L3, L1, W4, M9: what a killed run had sent is unknown until it was read$what', async ({ reorder }) => {
    const hidden = new Set<string>();
    const trial = await inSync({ sync: { conflict: 'crm' }, around: hiding(hidden) });
    const { uuid } = trial.contactOf('ann@firm.io');
    trial.change('ann@firm.io', { company_name: 'Once' });
    trial.type('ann@firm.io', 'Company', 'By hand');
    // The edit waits to settle, and the value of the contact is stored meanwhile.
    await trial.run({ isAsked: false });
    trial.change('ann@firm.io', { company_name: 'Firm' });
    let updates = 0;
    trial.atEachInstant((what) => {
      if (typeof what !== 'string' && what.method === 'PUT' && what.url.includes(uuid)) updates += 1;
      else if (what === 'answered' && updates > 0) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    expect(trial.contactOf('ann@firm.io').company_name).toBe('By hand');
    // The next scan does not show the contact, so that it is asked for by uuid.
    hidden.add(uuid);
    await trial.restart(() => {
      const config = parse(readFileSync(trial.configFile, 'utf8')) as ConfigFile;
      const { prospects } = config.syncs;
      const [first, ...others] = Object.entries(prospects.columns);
      if (reorder) prospects.columns = Object.fromEntries([...others, first!]);
      writeFileSync(trial.configFile, stringify(config));
    });
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { set: 0, updated: 0 } });
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('By hand');
    expect(trial.contactOf('ann@firm.io').company_name).toBe('By hand');
    const lines = (await trial.history()).filter(({ after, outcome }) => after === 'By hand' && outcome === 'unknown');
    expect(lines).toMatchObject([{ side: 'crm', op: 'update', contact: uuid, field: 'company_name' }]);
    hidden.clear();
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { set: 0, updated: 0 } });
    expectEverybodyOnce(trial);
  });

  it.each([
    { loser: 'crm', arrives: false, expected: 'By the CRM' },
    { loser: 'crm', arrives: true, expected: 'Firm' },
    { loser: 'sheet', arrives: false, expected: 'By hand' },
    { loser: 'sheet', arrives: true, expected: 'Firm' },
  ] as const)(
    'W4, L1: a conflict that the $loser loses, a run killed as it writes there (it arrives: $arrives), and the other side put back: $expected',
    async ({ loser, arrives, expected }) => {
      const trial = await inSync({ sync: { conflict: loser === 'crm' ? 'sheet' : 'crm' } });
      const { uuid } = trial.contactOf('ann@firm.io');
      trial.change('ann@firm.io', { company_name: 'By the CRM' });
      trial.type('ann@firm.io', 'Company', 'By hand');
      let writes = 0;
      trial.atEachInstant((what) => {
        const isCall = typeof what !== 'string';
        if (isCall && (loser === 'crm' ? what.method === 'PUT' && what.url.includes(uuid) : isSetOfCells(what)))
          writes += 1;
        if (writes > 0 && (arrives ? what === 'answered' : isCall)) trial.kill();
      });
      expect(await trial.attempt()).toBe('killed');
      trial.atEachInstant(() => {});
      if (loser === 'crm') trial.type('ann@firm.io', 'Company', 'Firm');
      else trial.change('ann@firm.io', { company_name: 'Firm' });
      await trial.start();
      expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded' });
      expect([trial.contactOf('ann@firm.io').company_name, trial.rowOf('ann@firm.io')['Company']]).toEqual([
        expected,
        expected,
      ]);
    },
  );

  /** After `first`, a run carries "New" over to Ann's row, and ends so while it deletes Bob. Then the process is started anew. */
  async function endedInALaterStep(
    end: 'is killed' | 'is refused its token',
    first: (trial: Trial) => void = () => {},
  ) {
    const trial = await inSync({ sync: { on_row_deleted: 'delete_contact', limits: { deletes: '50%' } } });
    first(trial);
    trial.change('ann@firm.io', { company_name: 'New' });
    trial.person.deleteRows(tabTitle, trial.rowNumberOf('bob@firm.io'));
    if (end === 'is refused its token')
      trial.service.faults.inject({ kind: 'status', status: 401, operation: 'contacts.delete', times: 9 });
    trial.atEachInstant((what) => {
      if (end === 'is killed' && what instanceof Request && what.method === 'DELETE') trial.kill();
    });
    const ended = await trial.attempt();
    expect(ended === 'killed' ? ended : ended.status).toBe(end === 'is killed' ? 'killed' : 'failed');
    trial.atEachInstant(() => {});
    trial.service.faults.clear();
    await trial.start();
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('New');
    return trial;
  }

  it.each(['is killed', 'is refused its token'] as const)(
    'L1, L10, L12: cells that a run wrote are nobody’s edit, also where it %s in a later step',
    async (end) => {
      const trial = await endedInALaterStep(end);
      const { uuid } = trial.contactOf('ann@firm.io');
      // Somebody takes back in the service what the run carried over.
      await vi.advanceTimersByTimeAsync(60_000);
      trial.change('ann@firm.io', { company_name: 'Firm' });
      expect((await trial.run()).problems).toEqual([]);
      expect([trial.rowOf('ann@firm.io')['Company'], trial.contactOf('ann@firm.io').company_name]).toEqual([
        'Firm',
        'Firm',
      ]);
      const told = (await trial.history()).filter(({ op, contact }) => op === 'set' && contact === uuid);
      // What the killed run wrote, and what the next one did.
      expect(told.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    },
  );

  it.each(['is killed', 'is refused its token'] as const)(
    'L1, L3, L10: a cell that a run wrote and that is typed back is a person’s edit, also where it %s in a later step',
    async (end) => {
      const trial = await endedInALaterStep(end);
      trial.type('ann@firm.io', 'Company', 'Firm');
      await vi.advanceTimersByTimeAsync(60_000);
      await trial.run();
      expect([trial.rowOf('ann@firm.io')['Company'], trial.contactOf('ann@firm.io').company_name]).toEqual([
        'Firm',
        'Firm',
      ]);
    },
  );

  it.each(['is killed', 'is refused its token'] as const)(
    'L1, D1, L10: who edits or deletes a row that a run appended is heard, also where it %s in a later step',
    async (end) => {
      const newcomers = ['Gil', 'Hal', 'Ida'];
      const trial = await endedInALaterStep(end, (one) => {
        for (const name of newcomers)
          one.addContact({ first_name: name, company_name: 'Firm', email: `${name.toLowerCase()}@firm.io` });
      });
      trial.type('gil@firm.io', 'Company', 'By hand');
      trial.type('hal@firm.io', 'Company', '');
      trial.person.deleteRows(tabTitle, trial.rowNumberOf('ida@firm.io'));
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], holds: [] });
      expect(
        trial.contacts().flatMap(({ first_name: name, company_name: company }) => {
          return newcomers.includes(String(name)) ? [[name, company ?? '']] : [];
        }),
      ).toEqual([
        ['Gil', 'By hand'],
        ['Hal', ''],
      ]);
      expect(trial.grid().map((row) => row['First name'])).not.toContain('Ida');
      expect([trial.rowOf('gil@firm.io')['Company'], trial.rowOf('hal@firm.io')['Company'] ?? '']).toEqual([
        'By hand',
        '',
      ]);
    },
  );

  it('L3, W4: a service that does not answer for such a contact leaves both sides as they are, and the row is told', async () => {
    const silent = new Set<string>();
    const trial = await inSync({ sync: { conflict: 'crm' }, around: withoutAnswerFor(silent) });
    const { uuid } = trial.contactOf('ann@firm.io');
    // From here on incremental scans begin after all of Ann's changes.
    await vi.advanceTimersByTimeAsync(3_600_000);
    trial.type('bob@firm.io', 'Company', 'Other');
    await trial.run();
    trial.type('ann@firm.io', 'Company', 'By hand');
    trial.atEachInstant((what) => {
      if (typeof what !== 'string' && what.method === 'PUT' && what.url.includes(uuid)) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Firm');
    await trial.start();
    silent.add(uuid);
    const report = await trial.run();
    expect(report).toMatchObject({ status: 'partial', counts: { set: 0, updated: 0 } });
    expect(report.problems).toMatchObject([{ kind: 'unknown', uuid, rule: 'W4' }]);
    expect([trial.rowOf('ann@firm.io')['Company'], trial.contactOf('ann@firm.io').company_name]).toEqual([
      'By hand',
      'Firm',
    ]);
    silent.clear();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', isFull: false, counts: { updated: 1 } });
    expect(trial.contactOf('ann@firm.io').company_name).toBe('By hand');
  });

  it(
    'L10, W7: at every single instant of a run that does a bit of everything, the next run heals',
    { timeout: 180_000 },
    async () => {
      for (let killAt = 1; ; killAt += 3) {
        const trial = await inSync({ sync: { conflict: 'crm', on_row_deleted: 'restore' } });
        trial.type('ann@firm.io', 'Company', 'By hand');
        trial.change('bob@firm.io', { company_name: 'By the CRM' });
        trial.person.deleteRows(tabTitle, trial.rowNumberOf('cy@firm.io'));
        trial.person.paste(`'${tabTitle}'!A20`, [['Gil', '', 'Firm', 'gil@firm.io', '']]);
        trial.addContact({ first_name: 'Hal', email: 'hal@firm.io' });
        let instants = 0;
        trial.atEachInstant(() => {
          instants += 1;
          if (instants === killAt) trial.kill();
        });
        const isOver = (await trial.attempt()) !== 'killed';
        trial.atEachInstant(() => {});
        if (!isOver) await trial.start();
        await trial.run();
        const all = inOrder([...names, 'Gil', 'Hal']);
        expect(inOrder(trial.grid().map((row) => row['First name'])), `killed at ${killAt}`).toEqual(all);
        expect(inOrder(trial.contacts().map(({ first_name }) => first_name)), `killed at ${killAt}`).toEqual(all);
        expect(trial.contactOf('ann@firm.io').company_name).toBe('By hand');
        expect(trial.rowOf('bob@firm.io')['Company']).toBe('By the CRM');
        if (isOver) return;
      }
    },
  );

  it('W7: while another run of the sync goes on, a second one waits and then names the holder', async () => {
    const trial = await inSync();
    const lock = join(trial.state, 'lock');
    let second: Promise<unknown> | undefined;
    trial.atEachInstant(async (what) => {
      if (second || typeof what === 'string') return;
      expect(existsSync(lock)).toBe(true);
      second = trial.run();
      await second;
    });
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(await second).toMatchObject({ status: 'failed', error: expect.stringMatching(/process/) });
  });
});

it('W10, L10: a row whose create was cut short does not wait to settle again, also where our clock is ahead of the service', async () => {
  const behind: NonNullable<TrialOptions['around']> = async (request, next) => {
    const response = await next(request);
    const headers = new Headers(response.headers);
    const date = headers.get('date');
    if (date) headers.set('date', new Date(Date.parse(date) - 3_600_000).toUTCString());
    return new Response(response.body, { status: response.status, headers });
  };
  const rows = [header, ['Ann', 'Row', 'Firm', 'ann@firm.io']];
  const trial = createSyncTrial({ values: rows, sync: { settle_secs: 10 }, around: behind });
  trial.atEachInstant((what) => {
    if (what instanceof Request && what.url.endsWith('/leads/upsert')) trial.kill();
  });
  expect(await trial.attempt()).toBe('killed');
  trial.atEachInstant(() => {});
  await trial.start();
  expect(await trial.run({ isAsked: false })).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
});
