import { expect, test } from 'vitest';
import { isSlipOf, nearestFirst } from '../../src/lib/nearest.ts';

test.each([
  ['First name', 'Firstname'],
  ['First name', 'first_name'],
  ['Email', 'E-Mail'],
  ['Prénom', 'Prenom'],
  ['Company', 'Compny'],
  ['Email', 'Emial'],
  ['Company name', 'Comapny name'],
  ['Sender profile', 'Sendr profle'],
  ['会社', '会社 '],
])('%j is a slip of %j', (one, other) => {
  expect([isSlipOf(one, other), isSlipOf(other, one)]).toEqual([true, true]);
});

test.each([
  ['First name', 'Last name'],
  ['Role', 'Rule'],
  ['Phone', 'Phone 2'],
  ['Address 1', 'Address 2'],
  ['Email', 'Company'],
  ['Owner', 'Other'],
  ['?', '!'],
  ['', ''],
])('%j is no slip of %j', (one, other) => {
  expect([isSlipOf(one, other), isSlipOf(other, one)]).toEqual([false, false]);
});

test('the nearest comes first, and equally near ones keep their order', () => {
  expect(nearestFirst('prospect', ['Zeta', 'Customers', 'Prospects 2026', 'Prospects', 'Prospekt'])).toEqual([
    'Prospects',
    'Prospekt',
    'Prospects 2026',
    'Zeta',
    'Customers',
  ]);
});
