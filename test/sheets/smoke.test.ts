import { expect, test } from 'vitest';
import { createTrial, header, openAnchored, rowOf, temporaryMarks } from '../support/sheets.ts';

test('smoke', async () => {
  const trial = createTrial({ values: [header, ['a', 'Ann', 'n1', 'ann@x.org', 3], ['b', 'Bob', 'n2', 'bob@x.org', true], [null, 'New']] });
  const { table, snapshot } = await openAnchored(trial);
  console.dir(snapshot, { depth: 5 });
  trial.standin.log.clear();
  const outcomes = await table.update(snapshot, [
    { row: rowOf(snapshot, 'a'), set: { first_name: 'Anna', score: '' } },
    { row: rowOf(snapshot, 'b'), set: { email: '=1+1' } },
    { row: rowOf(snapshot, ''), set: { email: 'new@x.org' }, id: 'c' },
  ]);
  console.dir(outcomes, { depth: 5 });
  console.dir(trial.standin.log.entries.map(({ operation, status }) => `${operation} ${status}`));
  const s2 = await table.read();
  console.dir(await table.append(s2, [{ id: 'd', set: { first_name: 'Dora', score: 5 } }]), { depth: 5 });
  console.dir(trial.person.read('Prospects!A1:H10', 'FORMULA'));
  console.dir(temporaryMarks(trial));
  const s3 = await table.read();
  console.dir(await table.remove(s3, [rowOf(s3, 'b')]), { depth: 5 });
  console.dir(await table.tidy());
  console.dir(trial.person.read('Prospects!A1:H10', 'FORMULA'));
  expect(temporaryMarks(trial)).toEqual([]);
});
