import { expect, test } from 'vitest';
import { decisionLine, type DecisionLine } from '../../src/operator/answers/history.ts';
import { statusAnswer } from '../../src/operator/answers/status.ts';
import { readLog } from '../../src/operator/history.ts';
import type { Operator } from '../../src/operator/operator.ts';
import { pause, readPaused, requestRun, resume } from '../../src/operator/pause.ts';
import { readStatus } from '../../src/operator/standing.ts';
import { DiskError } from '../../src/state/errors.ts';
import { createSyncTrial } from '../support/app.ts';
import { ann, createConflicts, createLinkedTrial, cy, header, operatorError, operatorOf } from './support.ts';

/* A job that a person paused, and a run that a person asks for. */

const name = 'prospects';
const signal = new AbortController().signal;

async function decisionsIn(operator: Operator): Promise<DecisionLine[]> {
  const lines = await Array.fromAsync(readLog(operator, {}, { follow: false, signal }));
  return lines.filter((line) => 'decision' in line).map((line) => decisionLine.parse(line));
}

test('W13: a pause is in effect and in the history at once, without a run, and in every process', async () => {
  const { operator, ...trial } = await createLinkedTrial(['Ann']);
  await pause(operator, cy, { name, reason: 'the list is being sorted' });
  const paused = {
    by: 'cy',
    at: expect.stringMatching(/^2026-11-21T/),
    through: 'console',
    until: null,
    reason: 'the list is being sorted',
  };
  expect(await readPaused(operatorOf(trial), name)).toEqual(paused);
  expect(statusAnswer.parse(await readStatus(operator, [])).syncs[0]).toMatchObject({
    paused,
    next_run: null,
    requests: 0,
  });
  expect(await decisionsIn(operator)).toMatchObject([
    {
      decision: 'pause',
      outcome: 'taken',
      run: '',
      by: 'cy',
      text: 'paused until it is resumed: the list is being sorted',
      seen: { status: 'succeeded' },
    },
  ]);
  await resume(operator, ann, name);
  expect(await readPaused(operator, name)).toBeNull();
  expect((await decisionsIn(operator)).map(({ decision, by }) => [decision, by])).toEqual([
    ['pause', 'cy'],
    ['resume', 'ann'],
  ]);
  await expect(resume(operator, ann, name)).rejects.toMatchObject(operatorError('nothing', 'prospects is not paused'));
});

test('W13: a pause ends by itself at its time, and nothing is written for that', async () => {
  const { operator, ...trial } = await createLinkedTrial(['Ann']);
  await pause(operator, ann, { name, lasts: '2h' });
  const before = trial.stateFiles();
  const at = operator.now();
  expect(await readPaused({ ...operator, now: () => at + 7_100_000 }, name)).not.toBeNull();
  expect(await readPaused({ ...operator, now: () => at + 7_201_000 }, name)).toBeNull();
  expect(trial.stateFiles()).toEqual(before);
  await pause(operator, ann, { name, until: '2026-12-01' });
  expect(await readPaused(operator, name)).toMatchObject({ until: '2026-12-01T00:00:00.000Z' });
});

test.each([
  [{ lasts: '2 hours' }, '2 hours is no duration: write 30m, 2h, 3d or 1w'],
  [{ lasts: '0h' }, '0h is no duration: write 30m, 2h, 3d or 1w'],
  [{ lasts: '999999w' }, 'a pause ends before the year 10000, or when somebody resumes the job: leave out its end'],
  [{ until: '' }, 'a blank is no time: write 2026-11-21, or 2026-11-21T09:00Z'],
  [{ until: 'tomorrow' }, 'tomorrow is no time: write 2026-11-21, or 2026-11-21T09:00Z'],
  [{ until: '2026-02-31' }, /is no time/],
  [{ until: '2020-01-01' }, '2020-01-01T00:00:00.000Z is over: a pause ends later than now'],
  [{ lasts: '2h', until: '2030-01-01' }, 'a pause takes --for or --until, not both'],
] as const)('pause: %j is refused, and nothing is recorded', async (wrong, message) => {
  const operator = operatorOf(createSyncTrial({ values: [header] }));
  await expect(pause(operator, ann, { name, ...wrong })).rejects.toMatchObject(operatorError('invalid', message));
  expect(await readPaused(operator, name)).toBeNull();
});

test('W13, I9: a job without a state is paused, too; its first run begins as if there had been none', async () => {
  const rows = [['Ann', 'A', 'Firm', 'ann@firm.io']];
  const trial = createSyncTrial({ values: [header, ...rows] });
  const operator = operatorOf(trial);
  await pause(operator, ann, { name });
  expect(await readPaused(operator, name)).not.toBeNull();
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
  expect(trial.events).toContainEqual(
    expect.objectContaining({ type: 'notice', message: expect.stringContaining('there is no state yet') }),
  );
  expect(await readPaused(operator, name)).not.toBeNull();
  expect(await decisionsIn(operator)).toMatchObject([{ decision: 'pause', outcome: 'taken' }]);
});

test('W13: a pause during a run counts at once; the next look writes it into the history', async () => {
  const { operator, ...trial } = await createLinkedTrial(['Ann']);
  let hasPaused = false;
  trial.atEachInstant(async (what) => {
    if (hasPaused || what === 'saving' || what === 'saved') return;
    hasPaused = true;
    await pause(operator, ann, { name });
    expect(await readPaused(operator, name)).not.toBeNull();
  });
  trial.change('ann@firm.io', { company_name: 'Other' });
  expect((await trial.run()).status).toBe('succeeded');
  expect(hasPaused).toBe(true);
  expect(await readPaused(operator, name)).not.toBeNull();
  await trial.run();
  expect(await decisionsIn(operator)).toMatchObject([{ decision: 'pause', outcome: 'taken' }]);
});

test('W13: sync of a paused job says who paused it, and runs it only with --even-if-paused', async () => {
  const { operator, ...trial } = await createLinkedTrial(['Ann']);
  await pause(operator, ann, { name, lasts: '2h', reason: 'moving house' });
  trial.change('ann@firm.io', { company_name: 'Other' });
  const said =
    /^leadsheet: prospects is paused by ann since 2026-11-21T\S+ \(moving house\), until 2026-11-21T\S+: leadsheet resume prospects; to run it once all the same: --even-if-paused\n$/;
  expect(await trial.cli('sync', name)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) });
  // Nobody named it: the others would run.
  expect(await trial.cli('sync')).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(said) });
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Firm');
  expect((await trial.cli('plan', name)).stdout).toContain('Other');
  expect(await trial.cli('sync', name, '--even-if-paused')).toMatchObject({ code: 0, stderr: '' });
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Other');
  expect(await readPaused(operator, name)).not.toBeNull();
});

test('pause, status, log and resume at the command line', async () => {
  const trial = await createLinkedTrial(['Ann']);
  expect(await trial.cli('pause', name, '--for', '2h', '--reason', 'a\u001b[2Jb')).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(
      /^prospects: paused until 2026-11-21T11:\S+: a\\u001b\[2Jb; to end it: leadsheet resume prospects\n$/,
    ),
  });
  expect((await trial.cli('status')).stdout).toMatch(
    /\n {2}paused by ann since 2026-11-21 09:\S+ \(a\\u001b\[2Jb\), until 2026-11-21 11:\S+: leadsheet resume prospects\n/,
  );
  expect((await trial.cli('log')).stdout).toMatch(
    /decision pause {2}paused until \S+ a\\u001b\[2Jb \(by ann, \S+ \S+, through the command line; saw the last run succeeded\)\n$/,
  );
  expect(await trial.cli('resume', name)).toMatchObject({
    code: 0,
    stdout: 'prospects: resumed; it runs by its schedule again\n',
  });
  expect((await trial.cli('status')).stdout).not.toContain('paused');
  expect(await trial.cli('pause', 'prospect')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('did you mean prospects'),
  });
});

test('a run that a person asks for is recorded, triggered, and in the history of the run that follows', async () => {
  const { operator, ...trial } = await createLinkedTrial(['Ann']);
  const asked: string[] = [];
  const trigger = async (job: string) => {
    asked.push(job);
    return 'started' as const;
  };
  expect(await requestRun(operator, cy, { name, trigger })).toEqual({ name, answer: 'started' });
  expect(asked).toEqual([name]);
  const { run } = await trial.run();
  expect(await decisionsIn(operator)).toMatchObject([
    { decision: 'run', run, by: 'cy', outcome: 'taken', text: 'a run now' },
  ]);
  expect((await operator.store.sync(name).load()).requests.size).toBe(0);
  await pause(operator, ann, { name });
  await expect(requestRun(operator, cy, { name, trigger })).rejects.toMatchObject(
    operatorError('paused', /^prospects is paused by ann since \S+: leadsheet resume prospects$/),
  );
  await expect(requestRun(operator, cy, { name: 'nobody', trigger })).rejects.toMatchObject({ code: 'unknown' });
  expect(asked).toEqual([name]);
});

test('W13, L12: a decision that is recorded is not told as failed where it cannot be taken up at once', async () => {
  const { operator, ...trial } = await createLinkedTrial(['Ann']);
  const { store } = operator;
  const asked: string[] = [];
  const warnings: string[] = [];
  const full: Operator = {
    ...operator,
    warn: (message) => warnings.push(message),
    store: {
      ...store,
      sync: (job) => ({
        ...store.sync(job),
        acquireLease: () => Promise.reject(new DiskError('/state', 'no space is left', 'Make room')),
      }),
    },
  };
  expect(await pause(full, ann, { name })).toMatchObject({ requests: [{ decision: 'pause', by: 'ann' }] });
  expect(await readPaused(operator, name)).not.toBeNull();
  expect(await resume(full, ann, name)).toMatchObject({ requests: [{ decision: 'resume' }] });
  const trigger = async (job: string) => {
    asked.push(job);
    return 'started' as const;
  };
  expect(await requestRun(full, cy, { name, trigger })).toEqual({ name, answer: 'started' });
  expect(asked).toEqual([name]);
  expect(warnings).toEqual(
    Array(3).fill(
      'prospects: the decision is recorded and stays; taking it up at once failed, so the next run does it: /state: no space is left. Make room',
    ),
  );
  await trial.run();
  expect((await decisionsIn(operator)).map(({ decision, outcome }) => [decision, outcome])).toEqual([
    ['pause', 'taken'],
    ['resume', 'taken'],
    ['run', 'taken'],
  ]);
});

test('W13: who decides something while the job is paused is told that no run carries it out before it is resumed', async () => {
  const trial = await createConflicts(['Ann', 'Bob']);
  const resolveAnn = ['resolve', `${trial.uuidOf('Ann')}/company_name`, '--use', 'crm'];
  expect((await trial.cli(...resolveAnn)).stderr).toBe('');
  await trial.cli('pause', 'prospects', '--for', '2h');
  const told = /^leadsheet: prospects is paused by ann since \S+, until \S+: leadsheet resume prospects\n$/;
  const { code, stdout, stderr } = await trial.cli('resolve', '--field', 'company_name', '--use', 'sheet', '--yes');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'prospects: company_name takes what the sheet holds; the next run carries it out\n'.repeat(2),
  });
  expect(stderr).toMatch(told);
  trial.person.deleteRows('Prospects', 2);
  await trial.cli('sync', '--even-if-paused');
  expect((await trial.cli('retry', 'ann@firm.io')).stderr).toMatch(told);
});

test('L12: a pause and its end name the last run that was seen, also where it was held', async () => {
  const rows = ['ann', 'bob', 'cy'].map((each) => [each, '', 'Firm', `${each}@firm.io`]);
  const trial = createSyncTrial({ values: [header, ...rows], sync: { limits: { creates: 2 } } });
  const operator = operatorOf(trial);
  expect((await trial.run()).status).toBe('held');
  await pause(operator, ann, { name });
  await resume(operator, ann, name);
  expect((await decisionsIn(operator)).map(({ seen }) => seen?.status)).toEqual(['held', 'held']);
});
