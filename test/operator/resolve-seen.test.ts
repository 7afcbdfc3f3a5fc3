import { expect, test } from 'vitest';
import { conflictsAnswer } from '../../src/operator/answers/conflicts.ts';
import { readConflicts } from '../../src/operator/conflicts.ts';
import { readDecided } from '../../src/operator/decided.ts';
import { resolve } from '../../src/operator/resolve.ts';
import { resolveSeen, type SeenChoice } from '../../src/operator/resolve-seen.ts';
import { tabTitle } from '../support/app.ts';
import { cy, createConflicts, operatorError } from './support.ts';

/* M1: a decision of a page is for the values that the person saw: it is carried out for these, or not at all. */

async function begin(names: readonly string[] = ['Ann']) {
  const trial = await createConflicts(names, { sync: { conflict: 'manual' } });
  const email = (name: string) => `${name.toLowerCase()}@firm.io`;
  const open = async () => conflictsAnswer.parse({ conflicts: await readConflicts(trial.operator, {}) }).conflicts;
  const seen = async () => (await open()).map(({ sync, id, digest }) => ({ sync, id, digest }));
  const decide = async (choice: SeenChoice, what?: Awaited<ReturnType<typeof seen>>) =>
    resolveSeen(trial.operator, cy, { seen: what ?? (await seen()), choice });
  const values = (name: string) => [trial.contactOf(email(name)).company_name, trial.rowOf(email(name))['Company']];
  const ends = async () => {
    const { pending, done } = await readDecided(trial.operator, { kinds: ['resolve'], since: '1d' });
    return { pending: pending.length, done: done.map(({ outcome }) => outcome) };
  };
  return { ...trial, open, seen, decide, values, ends, email };
}

test.each([
  [{ use: 'crm' }, 'Ann Crm'],
  [{ use: 'sheet' }, 'Ann Sheet'],
  [{ use: 'agreed' }, 'Firm'],
  [{ text: 'Third' }, 'Third'],
] as const)('M1: %o has both sides hold %s', async (choice, expected) => {
  const { decide, run, values, ends } = await begin();
  expect(await decide(choice)).toMatchObject({ outcome: 'recorded' });
  expect(await ends()).toEqual({ pending: 1, done: [] });
  await run();
  expect(values('Ann')).toEqual([expected, expected]);
  expect(await ends()).toEqual({ pending: 0, done: ['taken'] });
});

test('M1: a decision that another one replaced does not decide once that one is void', async () => {
  const { operator, seen, decide, type, email, run, values, open, ends } = await begin();
  const [{ id } = { id: '' }] = await seen();
  await resolve(operator, cy, { ids: [id], choice: { use: 'crm' } });
  await decide({ use: 'sheet' });
  type(email('Ann'), 'Company', 'Third');
  for (let round = 1; round <= 2; round += 1) {
    await run();
    expect(values('Ann')).toEqual(['Ann Crm', 'Third']);
  }
  expect(await open()).toMatchObject([{ id, decision: null }]);
  expect(await ends()).toEqual({ pending: 0, done: ['void', 'void'] });
});

test.each([
  [
    'the service',
    (trial: Awaited<ReturnType<typeof begin>>) => trial.change('ann@firm.io', { company_name: 'Later' }),
    ['Later', 'Ann Sheet'],
  ],
  [
    'the sheet',
    (trial: Awaited<ReturnType<typeof begin>>) => trial.type('ann@firm.io', 'Company', 'Later'),
    ['Ann Crm', 'Later'],
  ],
] as const)(
  'M1: after an edit in %s nothing comes of it, whatever was kept, and the conflict stays open',
  async (_side, edit, expected) => {
    for (const choice of [{ use: 'crm' }, { use: 'sheet' }, { use: 'agreed' }, { text: 'Third' }] as const) {
      const trial = await begin();
      await trial.decide(choice);
      edit(trial);
      await trial.run();
      expect({ choice, values: trial.values('Ann') }).toEqual({ choice, values: expected });
      expect(await trial.ends()).toEqual({ pending: 0, done: ['void'] });
      expect(await trial.open()).toHaveLength(1);
      await trial.run();
      expect(trial.values('Ann')).toEqual(expected);
    }
  },
);

test('M1: after an edit that ended the conflict in another way, the decision is void and changes nothing', async () => {
  const trial = await begin();
  await trial.decide({ use: 'sheet' });
  trial.type('ann@firm.io', 'Company', 'Firm');
  await trial.run();
  expect(trial.values('Ann')).toEqual(['Ann Crm', 'Ann Crm']);
  expect(await trial.ends()).toEqual({ pending: 0, done: ['void'] });
  expect(await trial.open()).toEqual([]);
});

test('M1: a decision of which one side was written is finished by the next run', async () => {
  const trial = await begin();
  await trial.decide({ text: 'Third' });
  trial.service.faults.inject({ kind: 'status', status: 503, operation: 'contacts.update', times: 100 });
  await trial.run();
  expect(trial.values('Ann')[0]).toBe('Ann Crm');
  expect(await trial.ends()).toEqual({ pending: 1, done: [] });
  trial.service.faults.clear();
  await trial.run();
  await trial.run();
  expect(trial.values('Ann')).toEqual(['Third', 'Third']);
  expect(await trial.open()).toEqual([]);
});

test('all or none: one that changed, or that another person decided, or that is closed, and nothing is recorded', async () => {
  const trial = await begin(['Ann', 'Bob', 'Cyd']);
  const before = await trial.seen();
  const [ann] = before;
  await trial.decide({ use: 'crm' }, [ann!]);
  const told = await trial.decide({ use: 'sheet' }, before);
  expect(told).toMatchObject({
    outcome: 'changed',
    changed: [{ id: ann!.id, decision: { by: 'cy', text: 'company_name keeps "Ann Crm" of the service' } }],
    closed: [],
  });
  expect((await trial.ends()).pending).toBe(1);
  await trial.run();
  const closed = await trial.decide({ use: 'sheet' }, before);
  expect(closed).toMatchObject({ outcome: 'changed', changed: [], closed: [ann], same: [{}, {}] });
  expect((await trial.ends()).pending).toBe(0);
});

test('nothing seen, no agreed value, and a blank that was typed are refused', async () => {
  const trial = await begin();
  await expect(trial.decide({ use: 'crm' }, [])).rejects.toMatchObject(
    operatorError('invalid', /no conflict is ticked/),
  );
  await expect(trial.decide({ text: ' ' })).rejects.toMatchObject(operatorError('doubt', /this empties company_name/));
  expect((await trial.ends()).pending).toBe(0);
  await trial.decide({ text: ' ', isSure: true });
  await trial.run();
  expect(trial.values('Ann')[1]).toBeUndefined();
});

/** Copies the row of Ann to the row below: nothing is written into hers until one of them is gone (I4). */
function copyRow({ person, rowNumberOf, columnIndexOf, grid }: Awaited<ReturnType<typeof begin>>) {
  const number = rowNumberOf('ann@firm.io');
  const index = columnIndexOf('Company');
  person.insertRows(tabTitle, number + 1);
  person.copyPaste(`'${tabTitle}'!${number}:${number}`, `'${tabTitle}'!${number + 1}:${number + 1}`);
  return {
    companyOfRow: () => grid()[number - 2]!['Company'],
    typeCompany: (text: string) => person.type(`'${tabTitle}'!${String.fromCodePoint(65 + index)}${number}`, text),
    remove: () => person.deleteRows(tabTitle, number + 1),
  };
}

test.each([
  [{ use: 'crm' }, 'Ann Crm'],
  [{ text: 'Third' }, 'Third'],
] as const)('M1, I4, W9: %o waits while the row is copied, and is carried out then', async (choice, expected) => {
  const trial = await begin();
  const copy = copyRow(trial);
  await trial.decide(choice);
  const heldRun = await trial.run();
  expect(heldRun.problems.filter(({ kind }) => kind === 'held')).toMatchObject([{ rule: 'I4' }]);
  expect(copy.companyOfRow()).toBe('Ann Sheet');
  expect(await trial.ends()).toEqual({ pending: 1, done: [] });
  await trial.run();
  const idle = { files: trial.stateFiles(), writes: trial.writes() };
  await trial.run();
  await trial.run({ isFull: true });
  expect({ files: trial.stateFiles(), writes: trial.writes() }).toEqual(idle);
  copy.remove();
  await trial.run();
  expect(trial.values('Ann')).toEqual([expected, expected]);
  expect(await trial.ends()).toEqual({ pending: 0, done: ['taken'] });
});

test('M1, I4: what goes to the service alone does not wait for a copied row that is held for another field', async () => {
  const trial = await begin();
  const copy = copyRow(trial);
  trial.change('ann@firm.io', { first_name: 'Anna' });
  await trial.decide({ use: 'sheet' });
  const { problems } = await trial.run();
  expect(problems.filter(({ kind }) => kind === 'held')).toMatchObject([{ rule: 'I4' }]);
  expect([trial.contactOf('ann@firm.io').company_name, copy.companyOfRow()]).toEqual(['Ann Sheet', 'Ann Sheet']);
  expect(await trial.ends()).toEqual({ pending: 0, done: ['taken'] });
});

test('M1, I4: an edit of the cell while a decision waits for a copied row makes it void', async () => {
  const trial = await begin();
  const copy = copyRow(trial);
  await trial.decide({ use: 'crm' });
  await trial.run();
  copy.typeCompany('Later');
  copy.remove();
  await trial.run();
  expect(trial.values('Ann')).toEqual(['Ann Crm', 'Later']);
  expect(await trial.ends()).toEqual({ pending: 0, done: ['void'] });
});

test('M1, V5: a decision waits while its cell holds a formula, and is carried out once it is typed over', async () => {
  const trial = await begin();
  const column = String.fromCodePoint(65 + trial.columnIndexOf('Company'));
  trial.person.type(`'${tabTitle}'!${column}${trial.rowNumberOf('ann@firm.io')}`, '="Ann Sheet"');
  await trial.run();
  await trial.decide({ use: 'crm' });
  expect((await trial.run()).problems).toMatchObject([{ kind: 'held', rule: 'V5' }]);
  await trial.run();
  expect(await trial.ends()).toEqual({ pending: 1, done: [] });
  trial.type('ann@firm.io', 'Company', 'Ann Sheet');
  await trial.run();
  expect(trial.values('Ann')).toEqual(['Ann Crm', 'Ann Crm']);
  expect(await trial.ends()).toEqual({ pending: 0, done: ['taken'] });
});
