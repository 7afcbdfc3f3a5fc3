// One suite over all kinds of job: what the daemon and the commands rely on.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { toStored } from '../../src/engine/decision.ts';
import { createDaemon } from '../../src/daemon/daemon.ts';
import type { EngineEvent } from '../../src/engine/events.ts';
import type { RunRequest } from '../../src/engine/job.ts';
import type { JobKind } from '../../src/engine/kind.ts';
import { kinds } from '../../src/engine/kinds.ts';
import type { RunReport } from '../../src/engine/report.ts';
import type { JsonObject } from '../../src/state/port.ts';
import { createSyncTrial, tabTitle, type TrialOptions } from '../support/app.ts';

interface Sample {
  readonly trial: ReturnType<typeof createSyncTrial>;
  readonly name: string;
  /** Makes work for the next run. */
  readonly makeWork: () => void;
  /** Makes work that needs an approval. */
  readonly makeHeld: () => void | Promise<void>;
  /** The work that the jobs of the kind have done, by what the sides show. */
  readonly done: () => unknown;
}

/** A job of each kind before its first run, over sides with content. */
const samples: Readonly<Record<JobKind, (options?: Pick<TrialOptions, 'around'>) => Sample>> = {
  sync(options = {}) {
    const trial = createSyncTrial({ ...options, sync: { on_row_deleted: 'delete_contact' } });
    for (let index = 0; index < 10; index += 1)
      trial.addContact({ first_name: `P${index}`, email: `p${index}@firm.io` });
    return {
      trial,
      name: 'prospects',
      makeWork: () => trial.type('p0@firm.io', 'Company', 'Acme'),
      makeHeld: () => trial.person.deleteRows(tabTitle, 2, 8),
      done: () => [trial.grid().length, trial.contacts().length, trial.contacts().map((each) => each.company_name)],
    };
  },
  feed(options = {}) {
    const columns = { ID: 'uuid', Name: 'name', Status: 'status' };
    const feeds = { flows: { resource: 'automations', columns } };
    const trial = createSyncTrial({ ...options, values: [[]], feeds });
    const { automations } = trial.service.model;
    for (const name of ['a', 'b', 'c']) automations.add({ name, status: 'off' });
    return {
      trial,
      name: 'flows',
      makeWork: () => void automations.add({ name: 'd', status: 'off' }),
      makeHeld: () => automations.table.replaceAll([]),
      done: () => trial.grid(),
    };
  },
  outbox(options = {}) {
    const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' };
    const outbox = { messages: { resource: 'network_messages', columns } };
    const trial = createSyncTrial({ ...options, values: [['To', 'From', 'Text', 'Send']], outbox });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    trial.service.model.senderProfiles.add({ first_name: 'Max', last_name: 'Muster', label: 'Sales' });
    const say = (text: string) => {
      const row = trial.person.read(`'${tabTitle}'`).length + 1;
      trial.person.paste(`'${tabTitle}'!A${row}`, [['ann@firm.io', 'Sales', text, 'yes']]);
    };
    return {
      trial,
      name: 'messages',
      makeWork: () => say('Hello'),
      async makeHeld() {
        say('Hello again');
        // P6: without its ledger an outbox does not know what was sent.
        for (const file of readdirSync(join(trial.folder, 'state', 'messages')).filter(
          (each) => each !== 'lock' && each !== 'runs',
        ))
          writeFileSync(join(trial.folder, 'state', 'messages', file), '');
        await trial.start();
      },
      done: () => trial.crmCalls('network-messages.send').length,
    };
  },
};

const everyKind = Object.values(kinds).map((kind) => ({ kind, name: kind.name, of: samples[kind.name] }));

function eventsOf<Type extends EngineEvent['type']>(events: readonly EngineEvent[], type: Type) {
  return events.filter((event) => event.type === type) as Extract<EngineEvent, { type: Type }>[];
}

async function jobOf({ trial, name }: Sample) {
  return (await trial.start()).jobs.get(name)!;
}

const asked = { isFull: false, isAsked: true, signal: new AbortController().signal };

test('the daemon knows only when a job runs and how its runs end', async () => {
  const stop = new AbortController();
  const trial = samples.sync().trial;
  const report = await trial.run();
  const ran: RunRequest[] = [];
  const run = async (request: RunRequest) => {
    ran.push(request);
    return { ...report, sync: 'archive', run: `r${ran.length}` };
  };
  const schedule = { cron: '0 0 1 1 *', timeZone: 'UTC' };
  using daemon = createDaemon({
    jobs: new Map([['archive', { schedule, settleMs: 0, run }]]),
    remembered: new Map(),
    stop: stop.signal,
    tell: () => {},
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => 0.5,
  });
  daemon.start();
  await vi.waitFor(() => expect(daemon.status()).toMatchObject([{ name: 'archive', lastRun: { run: 'r1' } }]), {
    timeout: 100_000,
  });
  expect(ran).toEqual([{ isFull: false, isAsked: false, isTold: false, signal: stop.signal }]);
  expect(daemon.status()[0]).not.toHaveProperty('nextFullScanAt');
  expect(daemon.trigger('archive')).toBe('started');
  await vi.waitFor(() => expect(daemon.status()).toMatchObject([{ lastRun: { run: 'r2', status: 'succeeded' } }]), {
    timeout: 100_000,
  });
});

describe.each(everyKind)('a job: $name', ({ kind, of }) => {
  test('has its kind, and so have its reports', async () => {
    const sample = of();
    const job = await jobOf(sample);
    expect(job).toMatchObject({ kind, name: sample.name });
    expect(await job.run(asked)).toMatchObject({ kind: kind.name, sync: sample.name, status: 'succeeded' });
    expect((await job.plan(asked)).report).toMatchObject({ kind: kind.name, sync: sample.name });
  });

  test('reports the start and the end of a run once each, also of a failed one', async () => {
    let isDown = false;
    const sample = of({
      around: async (request, next) => (isDown ? new Response('', { status: 401 }) : next(request)),
    });
    const { trial } = sample;
    const job = await jobOf(sample);
    const reports: RunReport[] = [await job.run(asked)];
    isDown = true;
    sample.makeWork();
    reports.push(await job.run(asked));
    const began = eventsOf(trial.events, 'run-started');
    const ended = eventsOf(trial.events, 'run-ended');
    expect(began.map(({ sync, run }) => [sync, run])).toEqual(reports.map(({ run }) => [sample.name, run]));
    expect(ended.map(({ report }) => report)).toEqual(reports);
    expect(new Set(reports.map(({ run }) => run)).size).toBe(2);
  });

  test('W3: a plan writes nothing, and the run makes the planned changes', async () => {
    const sample = of();
    const { trial, name } = sample;
    const job = await jobOf(sample);
    await job.run(asked);
    sample.makeWork();
    const before = { files: trial.stateFiles(name), done: sample.done(), writes: trial.sheets.log.counters.writes };
    const { report } = await job.plan(asked);
    expect({ files: trial.stateFiles(name), done: sample.done(), writes: trial.sheets.log.counters.writes }).toEqual(
      before,
    );
    expect(report.changes.length).toBeGreaterThan(0);
    expect(report.estimate.crmCalls + report.estimate.sheetWrites).toBeGreaterThan(0);
    await job.run(asked);
    expect(sample.done()).not.toEqual(before.done);
    expect((await job.plan(asked)).report.changes).toEqual([]);
  });

  test('W3: apply carries out a saved plan, and a second time nothing of it', async () => {
    const sample = of();
    const job = await jobOf(sample);
    await job.run(asked);
    sample.makeWork();
    const { saved } = await job.plan(asked);
    expect(saved !== undefined).toBe(kind.isSaved);
    expect(job.apply !== undefined).toBe(kind.isSaved);
    if (!saved || !job.apply) return;
    const before = sample.done();
    const applied = await job.apply(saved, asked);
    expect(applied).toMatchObject({ status: 'succeeded', kind: kind.name });
    expect(applied).not.toHaveProperty('alreadyDone');
    const after = sample.done();
    expect(after).not.toEqual(before);
    const again = await job.apply(saved, asked);
    expect(again).toMatchObject({ status: 'succeeded', problems: [], alreadyDone: 1 });
    expect(sample.done()).toEqual(after);
    const moved = { ...saved, identities: { ...saved.identities, sheet: 'another 1' } };
    expect(await job.apply(moved, asked)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('plan again'),
    });
  });

  test('G2, E6, P6: a plan that waits for a person names one run however often it is made; approved, it goes through once', async () => {
    const sample = of();
    const { trial, name } = sample;
    await (await jobOf(sample)).run(asked);
    await sample.makeHeld();
    const job = await jobOf(sample);
    const before = sample.done();
    const first = await job.run(asked);
    expect(first.approvable).toBe(first.run);
    expect(Object.values(first.planned).some((count) => count > 0)).toBe(true);
    expect(sample.done()).toEqual(before);
    const second = await job.run(asked);
    expect(second).toMatchObject({ status: first.status, approvable: first.run, planned: first.planned });
    const files = trial.stateFiles(name);
    await job.run(asked);
    expect(trial.stateFiles(name)).toEqual(files);
    expect(sample.done()).toEqual(before);
    const { store } = await trial.start();
    const decision = { kind: 'approve', run: first.run, counts: first.planned };
    await store.sync(name).addRequest(decision as unknown as JsonObject);
    const through = await (await jobOf(sample)).run(asked);
    expect(through).not.toHaveProperty('approvable');
    expect(through.holds).toEqual([]);
    expect(sample.done()).not.toEqual(before);
    const { requests, facts } = await store.sync(name).load();
    expect([requests.size, facts.get('held') ?? null]).toEqual([0, null]);
  });

  test('W6: an expected failure ends the run and the plan with a sentence, and nothing is done', async () => {
    let status = 200;
    const sample = of({
      around: async (request, next) =>
        status !== 200 && request.url.includes(':4010') ? new Response('', { status }) : next(request),
    });
    const job = await jobOf(sample);
    await job.run(asked);
    sample.makeWork();
    const before = sample.done();
    status = 500;
    const failed = await job.run(asked);
    expect(failed).not.toHaveProperty('isFinal');
    status = 401;
    for (const report of [failed, await job.run(asked), (await job.plan(asked)).report]) {
      const isTold = report.status === 'failed' ? report.error !== undefined : report.problems.length > 0;
      expect(isTold).toBe(true);
    }
    expect(await job.run(asked)).toMatchObject({
      status: 'failed',
      isFinal: true,
      counts: { linked: 0 },
      problems: [],
    });
    expect(sample.done()).toEqual(before);
    status = 200;
    const next = await jobOf(sample);
    expect((await next.run(asked)).status).toBe('succeeded');
    expect(sample.done()).not.toEqual(before);
  });

  test('a fault of the program is thrown, and not told as the end of a run; the lease is free again', async () => {
    const sample = of();
    const { trial } = sample;
    const job = await jobOf(sample);
    await job.run(asked);
    sample.makeWork();
    trial.events.length = 0;
    let isFaulty = true;
    const push = trial.events.push.bind(trial.events);
    trial.events.push = (...events) => {
      if (isFaulty && events.some(({ type }) => type === 'progress')) throw new RangeError('a fault');
      return push(...events);
    };
    await expect(job.run(asked)).rejects.toThrow(RangeError);
    expect(eventsOf(trial.events, 'run-ended')).toEqual([]);
    isFaulty = false;
    expect((await job.run(asked)).status).toBe('succeeded');
    expect((await job.plan(asked)).report.changes).toEqual([]);
  });

  test('W8: a run that was stopped before it began does nothing, and reports the stop', async () => {
    const sample = of();
    const job = await jobOf(sample);
    await job.run(asked);
    sample.makeWork();
    const before = sample.done();
    const stop = new AbortController();
    stop.abort(new Error('stopped by SIGTERM'));
    const request = { ...asked, signal: stop.signal };
    expect(await job.run(request)).toMatchObject({ status: 'failed', error: 'stopped' });
    expect((await job.plan(request)).report).toMatchObject({ status: 'failed', error: 'stopped', changes: [] });
    expect(sample.done()).toEqual(before);
    expect(await job.run(asked)).toMatchObject({ status: 'succeeded' });
    expect(sample.done()).not.toEqual(before);
  });

  test('W9: a run with nothing to do writes nothing to either side nor to the state', async () => {
    const sample = of();
    const { trial, name } = sample;
    const job = await jobOf(sample);
    sample.makeWork();
    await job.run(asked);
    await job.run(asked);
    const before = { files: trial.stateFiles(name), writes: trial.sheets.log.counters.writes, done: sample.done() };
    const first = await job.run(asked);
    const second = await job.run(asked);
    expect({ files: trial.stateFiles(name), writes: trial.sheets.log.counters.writes, done: sample.done() }).toEqual(
      before,
    );
    expect(second).toMatchObject({ status: first.status, counts: first.counts, problems: first.problems });
  });

  test('W7: a run while another one has the lease fails, names its holder and changes nothing; a plan needs no lease', async () => {
    const sample = of();
    const { trial, name } = sample;
    const app = await trial.start();
    const job = app.jobs.get(name)!;
    await job.run(asked);
    sample.makeWork();
    const before = sample.done();
    const lease = await app.store.sync(name).acquireLease();
    expect(await job.run(asked)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('is being run by process'),
    });
    expect((await job.plan(asked)).report.changes.length).toBeGreaterThan(0);
    expect(sample.done()).toEqual(before);
    await lease[Symbol.asyncDispose]();
    expect(await job.run(asked)).toMatchObject({ status: 'succeeded' });
    expect(sample.done()).not.toEqual(before);
  });

  test('E8, P7, L12: a cancel of what does not wait is void, is told once with who decided, and the run does its work', async () => {
    const sample = of();
    const { trial, name } = sample;
    const { jobs, store } = await trial.start();
    const job = jobs.get(name)!;
    await job.run(asked);
    const id = '00000000-0000-4000-8000-000000000001/00000000-0000-4000-8000-000000000002';
    const origin = {
      by: 'ann',
      at: '2026-11-21T09:00:00.000Z',
      through: 'cli',
      text: 'x is cancelled',
      seen: { state: 'waiting' },
    } as const;
    for (const each of [id, id.slice(0, 36)])
      await store.sync(name).addRequest(toStored({ kind: 'cancel', id: each, origin }));
    sample.makeWork();
    const before = sample.done();
    expect((await job.plan(asked)).report.changes.length).toBeGreaterThan(0);
    expect(await job.run(asked)).toMatchObject({ status: 'succeeded' });
    expect(sample.done()).not.toEqual(before);
    await job.run(asked);
    const { lines } = await store.historyPage({ sync: name, limit: 100 });
    expect(lines.filter((line) => line['decision'] === 'cancel')).toMatchObject([
      { id, outcome: 'void', by: 'ann', text: 'x is cancelled' },
      { id: id.slice(0, 36), outcome: 'void' },
    ]);
    expect((await store.sync(name).load()).requests.size).toBe(0);
  });

  test('S3, L12: damage of the state is told once, with the name of the job', async () => {
    const sample = of();
    const { trial, name } = sample;
    sample.makeWork();
    await (await jobOf(sample)).run(asked);
    const folder = join(trial.folder, 'state', name);
    for (const file of readdirSync(folder).filter((each) => each.endsWith('.log')))
      writeFileSync(join(folder, file), `${readFileSync(join(folder, file), 'utf8')}{"torn`);
    const job = await jobOf(sample);
    trial.events.length = 0;
    await job.run(asked);
    const told = eventsOf(trial.events, 'notice').filter(({ message }) => message.includes('.log'));
    expect(told.length).toBeGreaterThan(0);
    expect(told.every(({ sync }) => sync === name)).toBe(true);
    trial.events.length = 0;
    await job.run(asked);
    expect(eventsOf(trial.events, 'notice').filter(({ message }) => message.includes('.log'))).toEqual([]);
  });
});
