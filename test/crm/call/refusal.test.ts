// The words of a refusal are cut first: no body takes long to read or fills a cell.
import { expect, test } from 'vitest';
import { isHtml, isRefusal, readRefusal } from '../../../src/crm/outreach/call/refusal.ts';

const units = ['<title', '<title>', '<', '<!doctype', ' ', '\n', 'a', '"', '\u0130', '<title>a</title'];

test.each(units)('W5: a body of nothing but %j is read at once, and described in a sentence', (unit) => {
  const text = unit.repeat(2_000_000 / unit.length);
  const { message, fields } = readRefusal(undefined, text);
  expect(message.length).toBeLessThan(300);
  expect(fields).toEqual({});
  expect(typeof isHtml(text)).toBe('boolean');
});

test('a page is named by its title, wherever that is in its head', () => {
  expect(readRefusal(undefined, '<!DOCTYPE html><html><TITLE lang="en"> Not\n found </TITLE>').message).toBe(
    'an HTML page titled "Not\n found"',
  );
  expect(readRefusal(undefined, '<!doctype html><title>').message).toBe('an HTML page');
  expect(readRefusal(undefined, '<!doctype html><title></title>').message).toBe('an HTML page');
});

test('W5: a message, a reason and fields of any length and number are cut', () => {
  const long = 'x'.repeat(10_000);
  const errors = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${long}${index}`, [long, long]]));
  const many = { field: Array.from({ length: 5_000 }, () => long) };
  const said = readRefusal({ message: long, errors, error: { reason: long, data: many } }, '');
  expect(JSON.stringify(said).length).toBeLessThan(100_000);
  expect(said.message).toBe(`${'x'.repeat(500)}...`);
  expect(said.fields['field']).toHaveLength(5);
});

test('W5: of fifty fields at most the first messages are kept, each field under at most a hundred characters', () => {
  const errors = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, 'is bad']));
  const { fields } = readRefusal({ errors: { [`f${'x'.repeat(200)}`]: 'is bad', ...errors } }, '');
  const names = Object.keys(fields);
  expect(names).toHaveLength(50);
  expect(names[0]).toBe(`f${'x'.repeat(99)}...`);
  expect(fields['f3']).toEqual(['is bad']);
});

test.each([
  ['that of the envelope first', { error: { message: 'A', reason: 'r' }, message: 'B' }, 'A'],
  ['else the plain one', { error: { message: ' ', reason: 'r' }, message: 'B' }, 'B'],
  ['else a text under error', { error: 'C', message: '' }, 'C'],
  ['else the reason', { error: { reason: 'not_found' } }, 'not_found'],
  ['else the body', { code: 7 }, '{"code":7}'],
  ['without blanks around and without its full stop', { message: '  Bad value.  ' }, 'Bad value'],
])('T8: the message of a refusal is %s', (_, json, message) => {
  expect(readRefusal(json, JSON.stringify(json)).message).toBe(message);
});

test('T8: a refusal has a reason only if the service names one', () => {
  expect(readRefusal({ error: { reason: 'not_found' } }, '').reason).toBe('not_found');
  expect(readRefusal({ error: { reason: '' } }, '')).not.toHaveProperty('reason');
  expect(readRefusal({ message: 'no' }, '')).not.toHaveProperty('reason');
});

test('T8: the fields of the envelope and those of Laravel are one table, in which the envelope counts', () => {
  const json = { error: { data: { email: 'A' } }, errors: { email: ['B'], name: ['C', 'D'] } };
  expect(readRefusal(json, '').fields).toEqual({ email: ['A'], name: ['C', 'D'] });
  expect(readRefusal({ errors: ['no', 'field'] }, '').fields).toEqual({});
});

test('T8: a text is quoted with single blanks, and its first 200 characters', () => {
  expect(readRefusal(undefined, '  Bad \n\t value ').message).toBe('Bad value');
  expect(readRefusal(undefined, ' \n ').message).toBe('no reason given');
  expect(readRefusal(undefined, 'x'.repeat(300)).message).toBe(`${'x'.repeat(200)}...`);
  const title = 'x'.repeat(300);
  expect(readRefusal(undefined, `<html><title>${title}</title>`).message).toBe(
    `an HTML page titled "${'x'.repeat(200)}..."`,
  );
});

test('a letter that is longer in small letters moves no title: the page is named without one', () => {
  expect(readRefusal(undefined, '<!doctype html>\u0130<title>Welcome</title>').message).toBe('an HTML page');
});

test('T6: an answer with rows is a page even if an error is beside them, and one with a uuid is a record', () => {
  const row = { uuid: 'u1' };
  expect(isRefusal({ error: 'slow', data: [row] })).toBe(false);
  expect(isRefusal({ error: { reason: 'not_found' }, uuid: 'u1' })).toBe(false);
  expect(isRefusal({ error: 'slow', data: [] })).toBe(true);
  expect(isRefusal({ error: { reason: 'not_found' } })).toBe(true);
  expect(isRefusal({ error: { message: 'gone' } })).toBe(true);
  expect([isRefusal({ error: {} }), isRefusal({ error: ' ' }), isRefusal({ error: null }), isRefusal([])]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
