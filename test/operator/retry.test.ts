import { expect, test } from 'vitest';
import { readLog } from '../../src/operator/history.ts';
import { retry } from '../../src/operator/retry.ts';
import { ann, createLinkedTrial, operatorError } from './support.ts';

/* The record that a retry means. */

test('D1: a name that two contacts have is refused with both uuids, and one that a single contact has is taken', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cy']);
  const { operator } = trial;
  trial.type('bob@firm.io', 'First name', 'Ann');
  trial.type('bob@firm.io', 'Last name', 'A');
  await trial.run();
  const [first, second] = [trial.uuidOf('Ann'), trial.uuidOf('Bob')];
  await expect(retry(operator, ann, { ids: ['ann a'], isSure: false })).rejects.toMatchObject(
    operatorError(
      'ambiguous',
      new RegExp(`^ann a is 2 contacts of prospects: name one of .*${first} \\(Ann A <ann@firm.io>\\)`),
    ),
  );
  await expect(retry(operator, ann, { ids: ['ann a'], isSure: false })).rejects.toThrow(second);
  const { requests } = await retry(operator, ann, { ids: ['cy c'], isSure: false });
  expect(requests.map(({ id }) => id)).toEqual([trial.uuidOf('Cy')]);
});

test('D1: one wrong id among right ones records nothing', async () => {
  const trial = await createLinkedTrial(['Ann']);
  const { operator } = trial;
  await expect(retry(operator, ann, { ids: ['ann@firm.io', 'row:99'], isSure: false })).rejects.toMatchObject(
    operatorError('unknown', 'nothing is known of row:99; leadsheet status shows what is open'),
  );
  await expect(retry(operator, ann, { ids: [], sync: 'others', isSure: false })).rejects.toMatchObject(
    operatorError('unknown', 'there is no sync or outbox others; there are prospects'),
  );
  expect((await operator.store.sync('prospects').load()).requests.size).toBe(0);
});

test('L12: the history of a contact is found by its name, and an unknown one is named', async () => {
  const { operator, uuidOf } = await createLinkedTrial(['Ann', 'Bob']);
  const read = (contact: string) =>
    Array.fromAsync(readLog(operator, { contact }, { follow: false, signal: new AbortController().signal }));
  const lines = await read('Bob B');
  expect(lines.length).toBeGreaterThan(0);
  expect(new Set(lines.map((line) => line.contact))).toEqual(new Set([uuidOf('Bob')]));
  await expect(read('Nobody')).rejects.toMatchObject(
    operatorError('nothing', 'no linked contact has the name Nobody; the history knows others by their uuid'),
  );
});
