import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { runsAnswer } from '../../src/operator/answers/runs.ts';
import { createEnrolmentTrial } from '../engine/enrolment/support.ts';
import { createLinkedTrial, header } from '../operator/support.ts';
import { createSyncTrial, isOfNote, type TrialOptions } from '../support/app.ts';
import type { CliRun } from '../support/cli.ts';
import { repeats } from '../support/repeats.ts';

/* S4, S7, S8: what `undo` says of runs that cannot be taken back, or not whole. */

interface Trial {
  readonly cli: (...args: string[]) => Promise<CliRun>;
  readonly folder: string;
  readonly configFile: string;
}

async function sync({ cli }: Pick<Trial, 'cli'>, name = 'prospects'): Promise<string> {
  const { stdout } = await cli('sync', name, '--json');
  return (JSON.parse(stdout) as { syncs: [{ run: string }] }).syncs[0].run;
}

/** Ann, Bob and four more, of whom Ann's company was changed in the service by the last run. */
async function createChanged(options: TrialOptions = {}) {
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay'], options);
  trial.change('ann@firm.io', { company_name: 'Other' });
  const run = await sync(trial);
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Other');
  return { ...trial, changed: run };
}

interface ConfigFile {
  syncs: Record<string, { columns: Record<string, unknown> }>;
}

/** The configuration is edited between two commands. */
function editConfig({ configFile }: Pick<Trial, 'configFile'>, edit: (file: ConfigFile) => void): void {
  const file = parse(readFileSync(configFile, 'utf8')) as ConfigFile;
  edit(file);
  writeFileSync(configFile, stringify(file));
}

const reportsIn = ({ folder }: Pick<Trial, 'folder'>) => join(folder, 'state', 'prospects', 'runs');
const historyIn = ({ folder }: Pick<Trial, 'folder'>) => join(folder, 'state', 'prospects', 'history');

function loseReport(trial: Pick<Trial, 'folder'>, run: string): void {
  const name = readdirSync(reportsIn(trial)).find((each) => each.includes(run))!;
  rmSync(join(reportsIn(trial), name));
}

/** A refusal: one line, nothing written, an exit code that is not 0. */
async function refusal(trial: ReturnType<typeof createSyncTrial>, ...args: string[]): Promise<string> {
  const before = JSON.stringify(trial.writes());
  const { code, stdout, stderr } = await trial.cli('undo', ...args, '--yes');
  expect(code).not.toBe(0);
  expect(stdout).toBe('');
  expect(JSON.stringify(trial.writes())).toBe(before);
  expect(stderr.match(/\n/g)).toHaveLength(1);
  return stderr.replace(/^leadsheet: /, '').trimEnd();
}

test('S8: a held run wrote nothing, and undo says how to say no to its plan', async () => {
  const rows = ['ann', 'bob'].map((name) => [name, '', 'Firm', `${name}@firm.io`]);
  const trial = createSyncTrial({ values: [header, ...rows], sync: { limits: { creates: 1 } } });
  const run = await sync(trial);
  expect(await refusal(trial, run)).toBe(
    `run ${run} was held and wrote nothing: there is nothing to undo; to say no to its plan: leadsheet refuse prospects --run ${run}`,
  );
});

test('S8, G7: of an undo that was held, and of a run whose hold is over, undo names no refusal, which nothing would take', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay'], {
    sync: { limits: { changes: '40%' } },
  });
  for (const name of ['ann', 'bob', 'cyd']) trial.change(`${name}@firm.io`, { company_name: 'Other' });
  const held = await sync(trial);
  await trial.cli('approve', 'prospects', '--run', held);
  const run = await sync(trial);
  const undoing = JSON.parse((await trial.cli('undo', run, '--yes', '--json')).stdout) as { run: { run: string } };
  for (const each of [held, undoing.run.run]) {
    expect(await refusal(trial, each)).toBe(`run ${each} was held and wrote nothing: there is nothing to undo`);
  }
});

test('G6, S8: of a held run, the records that were let through are taken back', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay'], {
    sync: { limits: { changes: '40%' } },
  });
  for (const name of ['ann', 'bob', 'cyd']) trial.change(`${name}@firm.io`, { company_name: 'Other' });
  await sync(trial);
  await trial.cli('approve', 'prospects', '--only', 'ann@firm.io');
  const run = await sync(trial);
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Other');
  expect(await trial.cli('undo', run, '--yes')).toMatchObject({ stderr: '' });
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Firm');
  expect(trial.rowOf('bob@firm.io')['Company']).toBe('Firm');
});

test('S8: of a run that changed nothing there is nothing to undo', async () => {
  const trial = await createChanged();
  // A row that cannot be linked is no change, and makes a report.
  trial.person.paste('Prospects!A8', [['Zoe', '', 'Firm', 'ann@firm.io']]);
  const run = await sync(trial);
  expect(await refusal(trial, run)).toBe(`run ${run} changed nothing: there is nothing to undo`);
});

test('S8: a run of a job that is not configured any more names the job and the file; put back, the run is undone', async () => {
  const trial = await createChanged();
  editConfig(trial, (file) => {
    file.syncs = { others: file.syncs['prospects']! };
  });
  expect(await refusal(trial, trial.changed)).toBe(
    `run ${trial.changed} is of prospects, which ${trial.configFile} does not have any more: put it back, then undo`,
  );
  editConfig(trial, (file) => {
    file.syncs = { prospects: file.syncs['others']! };
  });
  expect(await trial.cli('undo', trial.changed, '--yes')).toMatchObject({ code: 0 });
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Firm');
});

test('S8: a run without a report is undone from the history, and a note says why', async () => {
  const trial = await createChanged();
  loseReport(trial, trial.changed);
  const { code, stdout } = await trial.cli('undo', trial.changed);
  expect(code).toBe(2);
  expect(stdout).toContain(
    `no report of run ${trial.changed} is kept: it never ended, or it is older than the reports; only what the history has of it is taken back`,
  );
  expect(await trial.cli('undo', trial.changed, '--yes')).toMatchObject({ code: 0 });
  expect(trial.rowOf('ann@firm.io')['Company']).toBe('Firm');
});

test('S8: a run whose part of the history is gone is refused with the instant at which the history begins', async () => {
  const trial = await createChanged();
  const [today] = readdirSync(historyIn(trial));
  vi.advanceTimersByTime(86_400_000);
  trial.change('bob@firm.io', { company_name: 'Later' });
  await sync(trial);
  rmSync(join(historyIn(trial), today!));
  expect(await refusal(trial, trial.changed)).toMatch(
    new RegExp(
      `^the history does not have what run ${trial.changed} changed: it begins at 2026-11-22T\\S+Z: it cannot be undone$`,
    ),
  );
  for (const name of readdirSync(historyIn(trial))) rmSync(join(historyIn(trial), name));
  expect(await refusal(trial, trial.changed)).toBe(
    `the history does not have what run ${trial.changed} changed: it is empty: it cannot be undone`,
  );
});

test('S8: a run that is older than the history and the reports is refused as such, and not as a typing error', async () => {
  const trial = await createChanged();
  const { runs } = runsAnswer.parse(JSON.parse((await trial.cli('runs', '--json')).stdout));
  const first = runs.at(-1)!.run;
  expect(await refusal(trial, first.replace(/^\d{8}/, '20260101'))).toMatch(
    /^run 20260101-\S+ is older than the history, which begins at 2026-11-21T\S+Z: it cannot be undone$/,
  );
});

test('S4: of a run whose mapping changed, what is still synced goes back, and the rest is named with its field', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay']);
  trial.change('ann@firm.io', { company_name: 'Other', last_name: 'Renamed' });
  const run = await sync(trial);
  editConfig(trial, (file) => {
    delete file.syncs['prospects']!.columns['Company'];
  });
  const planned = await trial.cli('undo', run);
  expect(planned.stdout).toContain('company_name: not taken back: it is not synced any more');
  expect(await trial.cli('undo', run, '--yes')).toMatchObject({ code: 3 });
  expect(trial.contactOf('ann@firm.io')).toMatchObject({ last_name: 'A', company_name: 'Other' });
});

test('S4: a column that goes one way by now is named, and nothing of it is written', async () => {
  const trial = await createChanged();
  editConfig(trial, (file) => {
    file.syncs['prospects']!.columns['Company'] = { field: 'company_name', direction: 'to_sheet' };
  });
  const { stdout } = await trial.cli('undo', trial.changed);
  expect(stdout).toMatch(/Company: not taken back: only the CRM can change it/);
  expect(stdout).toContain('-> held: nothing: the undo leaves it as it is; type the value that it is to have');
});

test('S4: a contact that left the list since is named', async () => {
  const trial = await createChanged();
  const other = trial.service.model.lists.add({ name: 'Customers' });
  trial.service.model.contacts.change(trial.uuidOf('Ann'), { fields: { list_uuid: other.uuid } });
  const { stdout } = await trial.cli('undo', trial.changed);
  expect(stdout).toContain('Company: not taken back: its contact is gone or in another list');
});

test('S8: a run that was cut short is undone after the next run has looked at it, and undo says so before', async () => {
  const answers = new Set<string>();
  for (let at = 1; at <= 40; at += repeats(5, 1)) {
    const trial = await createLinkedTrial(['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay']);
    await trial.start();
    for (const name of ['ann', 'bob']) trial.change(`${name}@firm.io`, { company_name: 'Other' });
    trial.type('cyd@firm.io', 'Company', 'Mine');
    let instants = 0;
    let isKilled = false;
    trial.atEachInstant((what) => {
      if (isKilled || !isOfNote(what) || (instants += 1) !== at) return;
      isKilled = true;
      trial.kill();
    });
    await trial.attempt();
    trial.atEachInstant(() => {});
    if (!isKilled) break;
    await trial.start();
    const cut = trial.events.findLast((event) => event.type === 'run-started')!.run;
    const before = JSON.stringify(trial.writes());
    const { code, stdout, stderr } = await trial.cli('undo', cut);
    expect(JSON.stringify(trial.writes())).toBe(before);
    const cutShort = `run ${cut} was cut short, and no run has looked at its last step since: leadsheet sync prospects first`;
    const isUntouched =
      trial.rowOf('ann@firm.io')['Company'] === 'Firm' && trial.contactOf('cyd@firm.io').company_name === 'Firm';
    const said = `${stdout}${stderr}`;
    const what = said.includes(cutShort) ? 'cut short' : said.includes('is known') ? 'unknown' : `plan ${code}`;
    // A run that nothing is known of wrote nothing.
    expect(what === 'unknown' ? isUntouched : /^(cut short|plan [023])$/.test(what)).toBe(true);
    answers.add(what);
    await trial.cli('sync');
    const later = await trial.cli('undo', cut, '--yes');
    if (later.code === 64) continue;
    expect(later.stdout).not.toContain('was cut short');
    await trial.cli('sync');
    const sides = (email: string) => [trial.rowOf(email)['Company'], trial.contactOf(email).company_name];
    for (const email of ['ann@firm.io', 'bob@firm.io', 'cyd@firm.io']) expect(new Set(sides(email)).size).toBe(1);
  }
  expect([...answers]).toContain('cut short');
}, 180_000);

test('S4, E5: of an enrolment that an undo leaves, it says what ends it, which no command does, and asks for no value', async () => {
  const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' } });
  await trial.linked('ann@firm.io');
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  const { stdout } = await trial.cli('undo', await sync(trial));
  expect(stdout).toContain(
    'put into Welcome: what it has sent is sent; to end it, empty its cell if on_clear is cancel, else take the contact out in the service',
  );
  expect(stdout).toMatch(/-> held: nothing: the undo leaves it as it is\n/);
  trial.type('ann@firm.io', 'Automation', '');
  const cancelled = await sync(trial);
  expect((await trial.cli('undo', cancelled)).stdout).toContain(
    'taken out of Welcome: name it in its cell again, and the next run says how to put the contact back',
  );
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  const [, command] =
    /-> held: leadsheet (retry \S+ --yes) to enrol it again/.exec((await trial.cli('sync')).stdout) ?? [];
  expect(await trial.cli(...command!.split(' '))).toMatchObject({ code: 0 });
});
