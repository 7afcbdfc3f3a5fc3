import { expect, test } from 'vitest';
import { outreachDescription } from '../../../src/crm/outreach/description.ts';
import { countKeys, proposeKeys } from '../../../src/operator/init/keys.ts';

/* How full and how unique match keys are, and what is proposed. */

const mapped = new Set(['email', 'network_id', 'first_name', 'last_name', 'company_name']);

test('keys are counted as a sync compares them: case of addresses and forms of handles do not count', () => {
  const rows = [
    { email: 'Ann@X.test', network_id: 'https://network.test/in/ann/' },
    { email: 'ann@x.test', first_name: 'Ann', last_name: 'Lee', company_name: 'Baltic' },
    { email: 'bob@x.test', network_id: 'bob' },
    {},
  ];
  const contacts = [
    { email: 'BOB@x.test', network_id: 'ann' },
    { name: 'Ann Lee', company_name: 'baltic' },
  ];
  expect(countKeys(outreachDescription, mapped, rows, contacts)).toEqual([
    {
      name: 'network_id',
      rows: { all: 4, filled: 2, doubled: 0 },
      contacts: { all: 2, filled: 1, doubled: 0 },
      matched: 1,
    },
    { name: 'email', rows: { all: 4, filled: 3, doubled: 2 }, contacts: { all: 2, filled: 1, doubled: 0 }, matched: 1 },
    {
      name: 'name+company_name',
      rows: { all: 4, filled: 1, doubled: 0 },
      contacts: { all: 2, filled: 1, doubled: 0 },
      matched: 1,
    },
  ]);
});

test('a key whose fields are not all mapped is none; a key that is there twice too often is not proposed', () => {
  const twice = [{ email: 'info@x.test' }, { email: 'info@x.test' }, { email: 'ann@x.test' }];
  const counts = countKeys(outreachDescription, new Set(['email', 'company_name']), twice, []);
  expect(counts.map(({ name }) => name)).toEqual(['email']);
  expect(proposeKeys(counts)).toEqual([]);
  expect(proposeKeys(countKeys(outreachDescription, mapped, [], []))).toEqual(['network_id', 'email']);
});
