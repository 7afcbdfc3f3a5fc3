import { expect, test } from 'vitest';
import { resolve } from '../../src/operator/resolve.ts';
import { addSecondSync } from '../support/second-sync.ts';
import { createConflicts, cy, header } from '../operator/support.ts';
import { createSyncTrial } from '../support/app.ts';
import { createTerminal, ctrlC, down, enter } from '../support/key-presses.ts';
import { keys, runInTerminal } from '../support/person.ts';

/* `resolve` at a terminal: conflicts one by one, or many at once. */

async function create(names: readonly string[]) {
  const trial = await createConflicts(names);
  const companies = () => names.map((name) => trial.contactOf(`${name.toLowerCase()}@firm.io`).company_name);
  const decided = async () => (await trial.operator.store.sync('prospects').load()).requests.size;
  /** The order in which conflicts are asked about is that of the links. */
  const open = JSON.parse((await trial.cli('conflicts', '--json')).stdout) as { conflicts: { person: string }[] };
  const order = open.conflicts.map(({ person }) => person.split(' ')[0]!);
  return { ...trial, companies, decided, order };
}

test('M1: resolve alone asks about each conflict: keep service, keep sheet, a typed value, later', async () => {
  const trial = await create(['Ann', 'Bob', 'Cyd', 'Dan']);
  const [a, b, c, d] = trial.order as [string, string, string, string];
  const terminal = createTerminal([
    { at: `1 of 4: company_name of ${a}`, keys: [enter] },
    { at: `2 of 4: company_name of ${b}`, keys: [down, enter] },
    { at: `3 of 4: company_name of ${c}`, keys: [down, down, enter] },
    { at: 'company_name on both sides', keys: ['Third Ltd', enter] },
    { at: `4 of 4: company_name of ${d}`, keys: [down, down, down, enter] },
  ]);
  const ended = await trial.cliAt(terminal, 'resolve');
  expect(terminal.left()).toEqual([]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toContain('3 conflicts decided; 1 left open: leadsheet conflicts\n');
  expect(terminal.shown()).toContain(`keep "${a} Crm" of the service`);
  await trial.run();
  const companyOf = (name: string) => trial.contactOf(`${name.toLowerCase()}@firm.io`).company_name;
  expect([a, b, c, d].map(companyOf)).toEqual([`${a} Crm`, `${b} Sheet`, 'Third Ltd', `${d} Crm`]);
  expect(trial.rowOf(`${d.toLowerCase()}@firm.io`)['Company']).toBe(`${d} Sheet`);
});

test('M1: in a pseudo-terminal: of a row and a contact that never agreed, the agreed value is not known', async () => {
  const trial = createSyncTrial({
    values: [header, ['Ann', 'A', 'Sheet Ltd', 'ann@firm.io']],
    sync: { conflict: 'manual' },
  });
  trial.addContact({ first_name: 'Ann', last_name: 'A', company_name: 'Crm Ltd', email: 'ann@firm.io' });
  expect((await trial.cli('sync')).code).toBe(3);
  const terminal = runInTerminal(['--config', trial.configFile, 'resolve'], { cwd: trial.folder });
  await terminal.see('1 of 1: company_name of Ann A <ann@firm.io>, row 2');
  await terminal.see('quit: leave it and the rest open');
  const asked = terminal.printed();
  for (const line of [/agreed not known\s*$/m, /service "Crm Ltd"\s*$/m, /sheet "Sheet Ltd"\s*$/m]) {
    expect(asked).toMatch(line);
  }
  // Nobody can keep a value that is not known.
  expect(asked).not.toMatch(/keep .*agreed/);
  terminal.press(keys.down, keys.enter);
  expect(await terminal.ended).toBe(0);
  expect(terminal.printed()).toContain('1 conflict decided');
  await trial.run();
  expect(trial.contactOf('ann@firm.io').company_name).toBe('Sheet Ltd');
  expect((await trial.cli('log')).stdout).toContain('agreed not known, crm "Crm Ltd", sheet "Sheet Ltd"');
});

test('resolve: Ctrl-C records nothing further, and says what was decided before', async () => {
  const trial = await create(['Ann', 'Bob', 'Cyd']);
  const terminal = createTerminal([
    { at: '1 of 3', keys: [enter] },
    { at: '2 of 3', keys: [ctrlC] },
  ]);
  const ended = await trial.cliAt(terminal, 'resolve');
  expect(ended.code).toBe(130);
  expect(ended.stdout).toMatch(/company_name keeps "\w+ Crm" of the service/);
  expect(ended.stdout).toContain('stopped, nothing further is recorded; 1 conflict decided; 2 left open');
  expect(await trial.decided()).toBe(1);
});

test('resolve: quit leaves the rest open and exits 0; what is decided is not asked about again', async () => {
  const trial = await create(['Ann', 'Bob']);
  const first = createTerminal([
    { at: '1 of 2', keys: [enter] },
    { at: '2 of 2', keys: [down, down, down, down, enter] },
  ]);
  expect(await trial.cliAt(first, 'resolve')).toMatchObject({ code: 0 });
  const second = createTerminal([{ at: `1 of 1: company_name of ${trial.order[1]}`, keys: [enter] }]);
  expect((await trial.cliAt(second, 'resolve')).stdout).toContain('1 conflict decided\n');
  expect(await trial.cliAt(createTerminal([]), 'resolve')).toMatchObject({
    code: 1,
    stderr: 'leadsheet: no conflict of these is open and undecided\n',
  });
});

test('resolve: a typed blank is asked about, and a no asks about the conflict again', async () => {
  const trial = await create(['Ann']);
  const terminal = createTerminal([
    { at: '1 of 1', keys: [down, down, enter] },
    { at: 'company_name on both sides', keys: [enter] },
    { at: 'This empties company_name', keys: [enter] },
    { at: '1 of 1', keys: [down, down, enter] },
    { at: 'company_name on both sides', keys: [enter] },
    { at: 'This empties company_name', keys: ['y'] },
  ]);
  expect((await trial.cliAt(terminal, 'resolve')).stdout).toContain('1 conflict decided\n');
  await trial.run();
  expect(trial.contactOf('ann@firm.io').company_name ?? '').toBe('');
});

test('resolve: many at once are shown and asked about once, by field, by sync, and with a typed value', async () => {
  const trial = await create(['Ann', 'Bob']);
  const no = createTerminal([{ at: 'Decide 2 conflicts so?', keys: [enter] }]);
  expect(await trial.cliAt(no, 'resolve', '--field', 'company_name', '--use', 'sheet')).toMatchObject({
    code: 0,
    stdout: '0 conflicts decided; 2 left open: leadsheet conflicts\n',
  });
  expect(no.shown()).toMatch(/company_name of Ann A <ann@firm.io>, row 2: "Ann Sheet" instead of "Ann Crm"/);
  expect(await trial.decided()).toBe(0);
  const yes = createTerminal([{ at: 'Decide 2 conflicts so?', keys: ['y'] }]);
  expect((await trial.cliAt(yes, 'resolve', '--sync', 'prospects', '--use', 'sheet')).stdout).toContain(
    '2 conflicts decided\n',
  );
  await trial.run();
  expect(trial.companies()).toEqual(['Ann Sheet', 'Bob Sheet']);
});

/** The conflict of Ann's company, in two syncs that have her contact. */
async function createOfTwoSyncs() {
  const trial = await createConflicts(['Ann']);
  addSecondSync(trial, { Mail: 'email', Firm: 'company_name' }, [
    ['Mail', 'Firm'],
    ['ann@firm.io', 'Second Sheet'],
  ]);
  await trial.cli('sync', 'second');
  const decided = async (name: string) =>
    [...(await trial.operator.store.sync(name).load()).requests.values()].map((request) => request as object);
  return { ...trial, decided, id: `${trial.uuidOf('Ann')}/company_name` };
}

test('M1: of a contact of two syncs, the conflict that was shown is decided, and not the one with its id', async () => {
  const trial = await createOfTwoSyncs();
  const terminal = createTerminal([{ at: 'Decide 1 conflict so?', keys: ['y'] }]);
  const ended = await trial.cliAt(terminal, 'resolve', '--sync', 'second', '--use', 'sheet');
  expect(terminal.shown()).toContain('"Second Sheet" instead of "Ann Crm"');
  expect(ended.code).toBe(0);
  expect(await trial.decided('prospects')).toEqual([]);
  expect(await trial.decided('second')).toHaveLength(1);
});

test('M1: an id that is open in two syncs is asked back', async () => {
  const trial = await createOfTwoSyncs();
  expect(await trial.cli('resolve', trial.id, '--use', 'sheet')).toMatchObject({
    code: 64,
    stderr: `leadsheet: ${trial.id} is a conflict of prospects and second: say which with --sync\n`,
  });
  expect([await trial.decided('prospects'), await trial.decided('second')]).toEqual([[], []]);
  expect((await trial.cli('resolve', trial.id, '--sync', 'second', '--use', 'sheet')).code).toBe(0);
  expect([await trial.decided('prospects'), await trial.decided('second')]).toMatchObject([[], [{ id: trial.id }]]);
});

test('M1: an answer is for the values that were shown: another value of a side is not written over', async () => {
  const trial = await create(['Ann', 'Bob']);
  const one = createTerminal([
    { at: '1 of 2', keys: [down, enter] },
    { at: '2 of 2', keys: [ctrlC] },
  ]);
  await trial.cliAt(one, 'resolve');
  const many = createTerminal([{ at: 'Decide 1 conflict so?', keys: ['y'] }]);
  await trial.cliAt(many, 'resolve', '--field', 'company_name', '--use', 'sheet');
  for (const name of ['ann', 'bob']) trial.change(`${name}@firm.io`, { company_name: `${name} Newer` });
  await trial.run();
  expect(trial.companies()).toEqual(['ann Newer', 'bob Newer']);
  expect((await trial.cli('conflicts')).stdout).toContain('ann Newer');
});

test('M1: a conflict that changes while it is asked about is asked about again, and one that closes is told', async () => {
  const trial = await create(['Ann', 'Bob', 'Cyd']);
  const [a, b, c] = trial.order as [string, string, string];
  const decide = (name: string) =>
    resolve(trial.operator, cy, { ids: [`${trial.uuidOf(name)}/company_name`], choice: { use: 'crm' } });
  const agree = async (name: string) => {
    trial.type(`${name.toLowerCase()}@firm.io`, 'Company', `${name} Crm`);
    await trial.run();
  };
  const edit = async (name: string) => {
    trial.type(`${name.toLowerCase()}@firm.io`, 'Company', 'Newer Ltd');
    await trial.run();
  };
  const terminal = createTerminal([
    { at: `1 of 3: company_name of ${a}`, meanwhile: () => decide(a), keys: [down, enter] },
    {
      at: '1 of 3, changed meanwhile (cy: company_name takes what the service holds)',
      keys: [down, down, down, enter],
    },
    { at: `2 of 3: company_name of ${b}`, meanwhile: () => agree(b), keys: [down, enter] },
    { at: `3 of 3: company_name of ${c}`, meanwhile: () => edit(c), keys: [down, enter] },
    { at: '3 of 3, changed meanwhile', keys: [down, enter] },
  ]);
  const ended = await trial.cliAt(terminal, 'resolve');
  expect(terminal.left()).toEqual([]);
  expect(terminal.shown()).toContain('keep "Newer Ltd" of the sheet');
  expect(ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 conflict decided; 1 not open any more; 1 left open') as string,
  });
});

test('M1: of many that are shown at once, nothing is decided if one of them changes before the answer', async () => {
  const trial = await create(['Ann', 'Bob']);
  const edit = async () => {
    trial.change('ann@firm.io', { company_name: 'Newer Ltd' });
    await trial.run();
  };
  const terminal = createTerminal([{ at: 'Decide 2 conflicts so?', meanwhile: edit, keys: ['y'] }]);
  expect(await trial.cliAt(terminal, 'resolve', '--field', 'company_name', '--use', 'sheet')).toMatchObject({
    code: 1,
    stderr: 'leadsheet: nothing was decided: 1 of 2 conflicts is not as shown; give the command again\n',
  });
  expect(await trial.decided()).toBe(0);
});

test('resolve: nothing is asked with --yes, with an id and a choice, with --json, and without a terminal', async () => {
  const trial = await create(['Ann', 'Bob', 'Cyd']);
  const id = (name: string) => `${trial.uuidOf(name)}/company_name`;
  expect(await trial.cliAt(createTerminal([]), 'resolve', id('Ann'), '--use', 'crm')).toMatchObject({ code: 0 });
  expect(
    await trial.cliAt(createTerminal([]), 'resolve', '--contact', 'bob@firm.io', '--use', 'crm', '--yes'),
  ).toMatchObject({ code: 0 });
  expect(await trial.cliAt(createTerminal([]), 'resolve', '--json')).toMatchObject({ code: 64, stdout: '' });
  expect(await trial.cli('resolve')).toMatchObject({
    code: 64,
    stderr: expect.stringMatching(
      /^leadsheet: resolve needs one of --use crm, --use sheet and --value VALUE, and the id of a conflict, or --sync/,
    ),
  });
  expect(await trial.decided()).toBe(2);
});

test('L13: what other people typed moves no cursor on the screen', async () => {
  const trial = await createConflicts(['Ann']);
  trial.type('ann@firm.io', 'Company', 'Evil\u001b[2JFirm\nx');
  await trial.run();
  const terminal = createTerminal([{ at: '1 of 1', keys: [enter] }]);
  await trial.cliAt(terminal, 'resolve');
  expect(terminal.raw()).toContain(String.raw`Evil\u001b[2JFirm`);
  expect(terminal.raw()).not.toContain('Evil\u001b[2J');
});
