import { describe, expect, test } from 'vitest';
import type { ContactFields } from '../../../src/standin/service/contacts.ts';
import { fieldOf, rowsOf, startMs, trial } from './support.ts';
import type { Answer, Trial } from './support.ts';

const search = (it: Trial, body: object = {}) => it.call('POST', '/leads/api/leads/search', body);
const names = (answer: Answer) => rowsOf(answer).map((row) => row['name']);

/** A trial with these contacts, made a second apart. */
async function withContacts(...all: readonly ContactFields[]): Promise<Trial> {
  const it = await trial();
  for (const fields of all) {
    it.standin.model.contacts.add({ fields });
    it.advance(1000);
  }
  return it;
}

describe('filters', () => {
  const people = [
    {
      name: 'Ada',
      position: 'Analyst',
      connections_number: 10,
      tags: ['t1', 't2'],
      has_premium: 1 as const,
      work_email: 'ada@engine.test',
    },
    { name: 'Bob', position: null, connections_number: 200, tags: ['t2'], has_premium: 0 as const },
    { name: 'Cid', position: 'Chemist', connections_number: null, tags: [] },
  ];

  test.each<{ description: string; filter: object; found: readonly string[] }>([
    { description: 'equality', filter: { position: 'Analyst' }, found: ['Ada'] },
    { description: 'IN', filter: { name: ['Ada', 'Cid', 'Eve'] }, found: ['Ada', 'Cid'] },
    { description: 'an empty IN', filter: { name: [] }, found: [] },
    { description: 'is_null', filter: { position: 'is_null' }, found: ['Bob'] },
    { description: 'is_not_null', filter: { position: 'is_not_null' }, found: ['Ada', 'Cid'] },
    { description: '!= leaves out blanks, as SQL does', filter: { position: { '!=': 'Analyst' } }, found: ['Cid'] },
    { description: '<> is the same', filter: { position: { '<>': 'Analyst' } }, found: ['Cid'] },
    { description: 'numbers compare as numbers', filter: { connections_number: { '>': 9, '<': 100 } }, found: ['Ada'] },
    { description: 'an array field matches any of its items', filter: { tags: ['t1', 't9'] }, found: ['Ada'] },
    { description: 'flags', filter: { has_premium: true }, found: ['Ada'] },
    {
      description: 'two operators are joined with AND',
      filter: { created_at: { '>=': '2026-11-21T12:00:01Z', '<': '2026-11-21T12:00:02.000Z' } },
      found: ['Bob'],
    },
    {
      description: 'instants compare as instants',
      filter: { created_at: '2026-11-21T13:00:00+01:00' },
      found: ['Ada'],
    },
    { description: 'a bare date is its midnight', filter: { created_at: { '<=': '2026-11-21' } }, found: [] },
    {
      description: 'several fields are joined with AND',
      filter: { name: ['Ada', 'Bob'], position: 'is_null' },
      found: ['Bob'],
    },
    { description: 'q looks into texts', filter: { q: 'ENGINE' }, found: ['Ada'] },
    { description: 'q beside a field', filter: { q: 'c', position: 'Chemist' }, found: ['Cid'] },
  ])('$description', async ({ filter, found }) => {
    const it = await withContacts(...people);
    const answer = await search(it, { filter, order_type: 'asc' });
    expect(names(answer)).toEqual(found);
    expect(answer.json).toMatchObject({ total: found.length });
  });

  test.each<{ description: string; body: object; field: string }>([
    { description: 'an unknown field', body: { filter: { shoe_size: 44 } }, field: 'filter.shoe_size' },
    { description: 'null', body: { filter: { position: null } }, field: 'filter.position' },
    { description: 'an unknown operator', body: { filter: { position: { like: 'A' } } }, field: 'filter.position' },
    { description: 'no operator', body: { filter: { position: {} } }, field: 'filter.position' },
    {
      description: 'an instant that is none',
      body: { filter: { created_at: { '>': 'yesterday' } } },
      field: 'filter.created_at',
    },
    { description: 'a q that is no text', body: { filter: { q: ['a'] } }, field: 'filter.q' },
    { description: 'an unknown order', body: { order_field: 'shoe_size' }, field: 'order_field' },
    { description: 'a limit that is no number', body: { limit: 'many' }, field: 'limit' },
    { description: 'an offset below 0', body: { offset: -1 }, field: 'offset' },
  ])('$description is refused by its field', async ({ body, field }) => {
    const answer = await search(await trial(), body);
    expect(answer.status).toBe(422);
    expect(Object.keys(fieldOf(answer, 'error', 'data'))).toContain(field);
  });
});

describe('pages', () => {
  test('are of 20, newest first, by default', async () => {
    const it = await withContacts(...Array.from({ length: 25 }, (_, index) => ({ name: `c${index}` })));
    const first = await search(it);
    expect(first.json).toMatchObject({ limit: 20, offset: 0, total: 25 });
    expect(first.json).not.toHaveProperty('has_more');
    expect(names(first).slice(0, 2)).toEqual(['c24', 'c23']);
    expect(names(await search(it, { offset: 20 }))).toEqual(['c4', 'c3', 'c2', 'c1', 'c0']);
    expect(names(await search(it, { offset: 500 }))).toEqual([]);
  });

  test('have a hundred at most, without an error', async () => {
    const it = await withContacts(...Array.from({ length: 120 }, (_, index) => ({ name: `c${index}` })));
    const answer = await search(it, { limit: 1000 });
    expect(answer.json).toMatchObject({ limit: 100, total: 120 });
    expect(rowsOf(answer)).toHaveLength(100);
  });

  test('are ordered by any field, blanks first, ties in the order of creation', async () => {
    const it = await withContacts(
      { name: 'b', position: 'x' },
      { name: 'a', position: 'x' },
      { name: 'c', position: null },
    );
    expect(names(await search(it, { order_field: 'position', order_type: 'asc' }))).toEqual(['c', 'b', 'a']);
    expect(names(await search(it, { order_field: 'name', order_type: 'desc' }))).toEqual(['c', 'b', 'a']);
  });

  test('end at the result window', async () => {
    const it = await trial();
    expect((await search(it, { offset: 9900, limit: 100 })).status).toBe(200);
    expect((await search(it, { offset: 9901, limit: 100 })).status).toBe(422);
  });

  test('show a write at once', async () => {
    const it = await withContacts({ name: 'a' });
    expect(names(await search(it))).toEqual(['a']);
    it.standin.model.contacts.add({ fields: { name: 'b' } });
    expect(names(await search(it))).toEqual(['b', 'a']);
    const [row] = rowsOf(await search(it, { filter: { name: 'a' } }));
    await it.call('DELETE', `/leads/api/leads/${String((row as { uuid?: unknown }).uuid)}`);
    expect(names(await search(it))).toEqual(['b']);
  });
});

test('instants are UTC, in whole seconds, with six decimals', async () => {
  const it = await withContacts({ name: 'a' });
  expect(rowsOf(await search(it))[0]).toMatchObject({ created_at: '2026-11-21T12:00:00.000000Z' });
  expect(startMs % 1000).toBe(0);
});
