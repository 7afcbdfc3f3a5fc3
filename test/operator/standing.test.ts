import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { standingOf } from '../../src/engine/last-run.ts';
import { statusAnswer } from '../../src/operator/answers/status.ts';
import { readStatus } from '../../src/operator/standing.ts';
import { ann, createConflicts, createLinkedTrial, operatorError } from './support.ts';
import { pause } from '../../src/operator/pause.ts';
import { retry } from '../../src/operator/retry.ts';

/* How a job stands, by its state and by the heartbeat of a daemon. */

/** Writes the heartbeat of a daemon whose last run of the sync ended so many seconds from now. */
function tellHeartbeat(folder: string, run: string, endedInSecs: number, running?: object): void {
  const at = (secs: number) => new Date(Date.now() + secs * 1000).toISOString();
  const used = { used: 1, per_minute: 60 };
  const lastRun = { run, status: 'failed', started_at: at(endedInSecs), ended_at: at(endedInSecs), full_scan: false };
  const told = { counts: standingOf(), problems: {}, reason: 'the service is down', approvable: null };
  const sync = { name: 'prospects', phase: 'backing-off', last_run: { ...lastRun, ...told }, last_success_at: at(-90) };
  const next = { next_run_at: at(30), next_full_scan_at: null, failures_in_a_row: 1, told: null };
  const process = { version: 1, pid: 1, started_at: at(-600), written_at: at(-1), state: 'running' };
  const beat = {
    ...process,
    syncs: [{ ...sync, ...next, ...(running && { running }) }],
    budget: { crm: used, sheet_reads: used, sheet_writes: used },
  };
  writeFileSync(join(folder, 'state', '.daemon.json'), JSON.stringify(beat));
}

test('L12: each open problem is told with its rule in words, its id and what to do', async () => {
  const trial = await createConflicts(['Ann', 'Bob']);
  const { syncs } = statusAnswer.parse(await readStatus(trial.operator, []));
  const words = { rule: 'M1', rule_words: 'both sides changed the field', needs_somebody: true };
  expect(syncs[0]?.problems).toMatchObject(
    ['Ann', 'Bob'].map((name) => ({
      id: `${trial.uuidOf(name)}/company_name`,
      ...words,
      advice: expect.stringContaining(`leadsheet resolve ${trial.uuidOf(name)}/company_name --use crm`),
    })),
  );
  for (const command of ['status', 'sync', 'plan']) {
    expect((await trial.cli(command)).stdout).toContain(' (both sides changed the field, M1)\n');
  }
});

test('L12: problems of before a run that failed or was held are told as those of the run that told them', async () => {
  const trial = await createConflicts(['Ann']);
  const read = async () => (await readStatus(trial.operator, ['prospects'])).syncs[0]!;
  const told = await read();
  expect(told).toMatchObject({ problems: [{ rule: 'M1' }], problems_of: null });
  expect((await trial.cli('status')).stdout).not.toContain('before this');
  tellHeartbeat(trial.folder, 'r9', 1);
  expect(await read()).toMatchObject({ problems: told.problems, problems_of: told.last_run!.run });
  const line = `  as run ${told.last_run!.run} told them, before this; some may be over:\n  1 problem needs somebody:\n`;
  expect((await trial.cli('status')).stdout).toContain(line);
});

test('W9: of the last run of the state and the last one of the daemon, the later is told', async () => {
  const trial = await createLinkedTrial(['Ann']);
  const read = async () => (await readStatus(trial.operator, ['prospects'])).syncs[0]!;
  const alone = await read();
  expect(alone).toMatchObject({ kind: 'sync', phase: null, next_run: null, lag_secs: null });
  tellHeartbeat(trial.folder, 'r9', 1);
  expect(await read()).toMatchObject({
    phase: 'backing-off',
    last_run: { run: 'r9', status: 'failed', reason: 'the service is down' },
    lag_secs: 90,
  });
  tellHeartbeat(trial.folder, 'r8', -3_600);
  expect((await read()).last_run).toEqual(alone.last_run);
});

test('a run under way is told with its step, its rate and the time left, as far as they are known', async () => {
  const trial = await createLinkedTrial(['Ann']);
  const tell = async (progress: object | null) => {
    tellHeartbeat(trial.folder, 'r9', -60, {
      run: 'r10',
      started_at: '2026-11-21T09:00:00.000Z',
      full_scan: true,
      progress,
    });
    const [sync] = statusAnswer.parse(await readStatus(trial.operator, [])).syncs;
    return { told: sync!.running, text: (await trial.cli('status')).stdout.split('\n')[1] };
  };
  const begun = { run: 'r10', started_at: '2026-11-21T09:00:00.000Z', is_full: true };
  expect(await tell({ step: 'crm', done: 1_200, total: 4_000, per_second: 210.04 })).toEqual({
    told: { ...begun, step: 'crm', done: 1_200, total: 4_000, per_second: 210, left_secs: 14 },
    text: '  running: 1200 of 4000 changes sent to the service, 210 a second, 14 s left; run r10, a full scan, since 2026-11-21 09:00:00Z',
  });
  expect(await tell({ step: 'contacts', done: 100, total: null, per_second: null })).toEqual({
    told: { ...begun, step: 'contacts', done: 100, total: null, per_second: null, left_secs: null },
    text: '  running: 100 contacts read; run r10, a full scan, since 2026-11-21 09:00:00Z',
  });
  expect(await tell(null)).toMatchObject({
    told: { ...begun, step: null, done: null },
    text: '  running: begins; run r10, a full scan, since 2026-11-21 09:00:00Z',
  });
});

test('waiting decisions are listed with the person who made them, and an unknown name is refused', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cyd']);
  trial.person.deleteRows('Prospects', 2, 2);
  await trial.run();
  await retry(trial.operator, ann, { ids: ['bob@firm.io', 'ann@firm.io'], isSure: false });
  const [sync] = (await readStatus(trial.operator, [])).syncs;
  expect(new Map(sync?.decisions.map(({ id, by }) => [id, by]))).toEqual(
    new Map([
      [trial.uuidOf('Bob'), 'ann'],
      [trial.uuidOf('Ann'), 'ann'],
    ]),
  );
  expect((await trial.cli('status')).stdout).toContain(
    `    retry ${trial.uuidOf('Bob')} is tried again (by ann, 2026-11-21 `,
  );
  await expect(readStatus(trial.operator, ['prospect'])).rejects.toMatchObject(
    operatorError('unknown', 'there is no sync, feed or outbox prospect, did you mean prospects?'),
  );
});

test('status --exit-code: 0 all well, 3 somebody is needed, 1 a run failed; without it, 0', async () => {
  const trial = await createLinkedTrial(['Ann']);
  const codes = async () => [(await trial.cli('status', '--exit-code')).code, (await trial.cli('status')).code];
  expect(await codes()).toEqual([0, 0]);
  trial.change('ann@firm.io', { company_name: 'Crm' });
  trial.type('ann@firm.io', 'Company', 'Sheet');
  await trial.run();
  expect(await codes()).toEqual([3, 0]);
  expect(statusAnswer.parse(await readStatus(trial.operator, []))).toMatchObject({
    health: 'needs_somebody',
    syncs: [{ health: 'needs_somebody' }],
  });
  tellHeartbeat(trial.folder, 'r9', 1);
  expect(await codes()).toEqual([1, 0]);
  // W13: a person paused it, and knows.
  await pause(trial.operator, ann, { name: 'prospects' });
  expect(await codes()).toEqual([0, 0]);
});

test('status --exit-code: a daemon that is gone and did not end when asked to is a failure; one that ended is not', async () => {
  const trial = await createLinkedTrial(['Ann']);
  const code = async () => (await trial.cli('status', '--exit-code')).code;
  expect(await code()).toBe(0);
  tellHeartbeat(trial.folder, 'r9', -3_600);
  const file = join(trial.folder, 'state', '.daemon.json');
  const beat = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const old = { ...beat, written_at: new Date(Date.now() - 3_600_000).toISOString() };
  writeFileSync(file, JSON.stringify(old));
  expect(await code()).toBe(1);
  expect((await trial.cli('status')).stdout).toMatch(
    /no daemon runs \(the last one, process 1, was killed; .*\): leadsheet run starts one\n/,
  );
  writeFileSync(file, JSON.stringify({ ...old, state: 'ended' }));
  expect(await code()).toBe(0);
});
