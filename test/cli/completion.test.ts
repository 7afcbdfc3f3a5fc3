import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runsAnswer } from '../../src/operator/answers/runs.ts';
import { createSyncTrial } from '../support/app.ts';
import { run } from '../support/cli.ts';

/* The words that the shells are given while a person types. test/e2e/completion.test.ts has the shells themselves. */

type Trial = ReturnType<typeof createSyncTrial>;

/** The words for a command line up to the cursor; the last one is blank after a space. */
async function wordsFor(trial: Pick<Trial, 'cli'>, line: string): Promise<readonly string[]> {
  const { code, stdout, stderr } = await trial.cli('complete-line', '--', ...line.split(' '));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((text) => text.split('\t')[0]!);
}

const trialOf = () =>
  createSyncTrial({
    columns: { Email: 'email', Company: { field: 'company_name' }, Segment: { custom_field: 'segment' } },
  });

test.each([
  ['the beginning of a command', 'sta', ['status', 'state', 'standin']],
  ['a command below a command', 'runs sh', ['show']],
  ['a job', 'sync ', ['prospects']],
  ['a second job', 'sync prospects p', ['prospects']],
  ['the beginning of a job that is none', 'sync x', []],
  ['a sync as the value of an option', 'log --sync ', ['prospects']],
  ['the same in one word, as zsh and fish give it', 'log --sync=p', ['--sync=prospects']],
  ['the same in three words, as bash gives it', 'log --sync = p', ['prospects']],
  ['nothing after the = yet, as bash gives it', 'log --sync =', ['prospects']],
  ['a field', 'log --field c', ['company_name', 'custom_fields.segment']],
  ['a choice', 'log --outcome re', ['refused']],
  ['a side', 'resolve x --use ', ['crm', 'sheet']],
  ['an option', 'log --enr', ['--enrolments']],
  ['an option that was given already', 'log --enrolments --enr', []],
  ['an option of every command', 'log --col', ['--color']],
  ['its value', '--color ', ['auto', 'always', 'never']],
  ['a command after an option with a value', '--color never runs sh', ['show']],
  ['an operation of the service', 'api contacts.lookup-', ['contacts.lookup-one']],
  ['a parameter of an operation', 'api contacts.get --u', ['--uuid']],
  ['a file', 'apply ', [':files']],
  ['a file as the value of an option', 'plan --show ', [':files']],
  ['a shell', 'completion ', ['bash', 'zsh', 'fish']],
  ['after -- nothing is an option', 'sync -- --fu', []],
  ['words that make no sense', '= =', []],
])('%s: %s', async (_, line, words) => {
  expect(await wordsFor(trialOf(), line)).toEqual(words);
});

test('every command is offered with its summary, and no hidden one', async () => {
  const { stdout } = await trialOf().cli('complete-line', '--', '');
  expect(stdout).toContain('\nstatus\thow each sync stands\n');
  expect(stdout).not.toContain('complete-line');
});

test('runs are offered, the latest first', async () => {
  const trial = createSyncTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await trial.run();
  trial.change('ann@firm.io', { company_name: 'Firm' });
  await trial.run();
  const { runs } = runsAnswer.parse(JSON.parse((await trial.cli('runs', '--json')).stdout));
  expect(runs).toHaveLength(2);
  const ids = runs.map((each) => each.run);
  expect(await wordsFor(trial, 'log --run ')).toEqual(ids);
  expect(await wordsFor(trial, 'runs show ')).toEqual(ids);
});

test('a configuration without its secrets, with faults, or not there: names as far as they can be read, and never an error', async () => {
  const trial = createSyncTrial();
  const words = async (text: string, line: string) => {
    const file = join(trial.folder, 'other.yaml');
    writeFileSync(file, text);
    return wordsFor(trial, `--config ${file} ${line}`);
  };
  expect(await words('crm: { token: "${UNSET}" }\nsyncs: { one: {}, two: 5 }\nfeeds: { three: }', 'sync ')).toEqual([]);
  expect(
    await words('crm: { token: "${UNSET}" }\nsyncs: { one: {}, two: { columns: { A: [1], B: email } } }', 'sync '),
  ).toEqual(['one', 'two']);
  expect(await words('syncs: { two: { columns: { A: [1], B: email } } }', 'log --field ')).toEqual(['email']);
  expect(await words('crm: { token: "${UNSET}" }', 'log --run ')).toEqual([]);
  expect(await words('syncs: [', 'sync ')).toEqual([]);
  rmSync(trial.configFile);
  expect(await wordsFor(trial, 'sync ')).toEqual([]);
});

test('a script for a shell that there is none for is refused with the list', async () => {
  const { code, stderr } = await run(['completion', 'powershell']);
  expect(code).toBe(64);
  expect(stderr).toContain('bash, zsh, fish');
});
