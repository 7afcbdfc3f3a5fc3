// The words of a refusal are cut first: no body takes long to read or fills a cell.
import { expect, test } from 'vitest';
import { isHtml, readRefusal } from '../../../src/crm/outreach/call/refusal.ts';

const units = ['<title', '<title>', '<', '<!doctype', ' ', '\n', 'a', '"', '\u0130', '<title>a</title'];

test.each(units)(
  'W5: a body of nothing but %j is read at once, and described in a sentence',
  (unit) => {
    const text = unit.repeat(2_000_000 / unit.length);
    const { message, fields } = readRefusal(undefined, text);
    expect(message.length).toBeLessThan(300);
    expect(fields).toEqual({});
    expect(typeof isHtml(text)).toBe('boolean');
  },
  30_000,
);

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
