// What a plan costs, a line a case. CRM calls follow the operations table and W3, E2, E4; sheet calls follow the pinned
// protocol.
import { expect, test } from 'vitest';
import type { Change, FieldChange } from '../../src/sync/change.ts';
import { type Budgets, estimate } from '../../src/sync/estimate.ts';
import { uuidOf } from './support.ts';

const budgets: Budgets = { crmPerMinute: 60, sheetReadsPerMinute: 60, sheetWritesPerMinute: 60 };
const written = (field: string): FieldChange => ({ field, before: 'a', after: 'b', rule: 'merge', reason: '' });
const whole = { row: 2, rule: 'merge', reason: '' } as const;
const change = {
  create: { side: 'crm', op: 'create', uuid: null, fields: [], key: 'k', ...whole },
  createAndEnrol: { side: 'crm', op: 'create', uuid: null, fields: [], key: 'k', enrol: 'flow-1', ...whole },
  move: { side: 'crm', op: 'create', uuid: null, fields: [], key: 'k', moves: uuidOf('a'), ...whole },
  update: { side: 'crm', op: 'update', uuid: uuidOf('a'), fields: [written('position')], ...whole },
  updateCustom: { side: 'crm', op: 'update', uuid: uuidOf('a'), fields: [written('custom:segment')], ...whole },
  updateBoth: {
    side: 'crm',
    op: 'update',
    uuid: uuidOf('a'),
    fields: [written('custom:segment'), written('position'), written('email')],
    ...whole,
  },
  delete: { side: 'crm', op: 'delete', uuid: uuidOf('a'), fields: [], ...whole },
  enrol: { side: 'crm', op: 'enrol', uuid: uuidOf('a'), fields: [], automation: 'flow-1', ...whole },
  cancel: { side: 'crm', op: 'cancel', uuid: uuidOf('a'), fields: [], automation: 'flow-1', ...whole },
  set: { side: 'sheet', op: 'set', uuid: uuidOf('a'), fields: [written('position')], ...whole },
  append: { side: 'sheet', op: 'append', uuid: uuidOf('a'), fields: [], ...whole, row: null },
  remove: { side: 'sheet', op: 'remove', uuid: uuidOf('a'), fields: [], ...whole },
} satisfies Readonly<Record<string, Change>>;
const times = (count: number, each: Change): Change[] => Array.from({ length: count }, () => each);
const isCustom = (field: string) => field.startsWith('custom:');

test.each<{ what: string; changes: Change[]; costs: readonly [crm: number, reads: number, writes: number] }>([
  { what: 'nothing costs nothing', changes: [], costs: [0, 0, 0] },
  { what: 'a create is one call, and its uuid goes into its row', changes: [change.create], costs: [1, 1, 3] },
  { what: 'E2: created and enrolled in one call, it is looked up', changes: [change.createAndEnrol], costs: [2, 1, 3] },
  { what: 'I2: a contact is looked up before it is moved here', changes: [change.move], costs: [2, 1, 3] },
  { what: 'W3: an update is a search and a call', changes: [change.update], costs: [2, 0, 0] },
  {
    what: 'W1: custom fields go by a lookup and a call of their own',
    changes: [change.updateCustom],
    costs: [3, 0, 0],
  },
  { what: 'W1: custom fields and others are a lookup and two calls', changes: [change.updateBoth], costs: [4, 0, 0] },
  { what: 'W3: a hundred updates share a search', changes: times(100, change.update), costs: [101, 0, 0] },
  { what: 'W3: one more needs another', changes: times(101, change.update), costs: [103, 0, 0] },
  { what: 'E4: an enrolment is a search for fresh values and a call', changes: [change.enrol], costs: [2, 0, 0] },
  { what: 'E4: a hundred enrolments share a search', changes: times(100, change.enrol), costs: [101, 0, 0] },
  { what: 'E5: a cancel is one call', changes: [change.cancel], costs: [1, 0, 0] },
  {
    what: 'D1, D5: a deletion is one call, and one to look at the contact right before',
    changes: [change.delete],
    costs: [2, 0, 0],
  },
  { what: 'W2: cells are pinned, read back and written in a batch', changes: [change.set], costs: [0, 1, 3] },
  { what: 'W2: a thousand rows are one batch', changes: times(1000, change.set), costs: [0, 1, 3] },
  { what: 'W2: one more is another', changes: times(1001, change.set), costs: [0, 2, 6] },
  {
    what: 'W2: uuids of new contacts are written with the other cells',
    changes: [...times(500, change.set), ...times(500, change.create)],
    costs: [500, 1, 3],
  },
  { what: 'W2: an append is one write, and one for its mark', changes: times(1000, change.append), costs: [0, 0, 2] },
  { what: 'W2: each further thousand is one write more', changes: times(1001, change.append), costs: [0, 0, 3] },
  { what: 'W2: rows that go are pinned, and read before', changes: times(1000, change.remove), costs: [0, 2, 2] },
  { what: 'W2: likewise each further thousand', changes: times(1001, change.remove), costs: [0, 4, 4] },
])('$what', ({ changes, costs }) => {
  const { crmCalls, sheetReads, sheetWrites } = estimate(changes, [], budgets, isCustom);
  expect([crmCalls, sheetReads, sheetWrites]).toEqual(costs);
});

test('a question is one call', () => {
  const questions = [{ kind: 'contact', uuid: uuidOf('a'), rule: 'D3' }] as const;
  expect(estimate([change.create], questions, budgets, isCustom).crmCalls).toBe(2);
});

test.each<{ scarce: keyof Budgets; seconds: number }>([
  { scarce: 'crmPerMinute', seconds: 180 },
  { scarce: 'sheetReadsPerMinute', seconds: 180 },
  { scarce: 'sheetWritesPerMinute', seconds: 300 },
])('the time is that of the scarcest budget: $scarce', ({ scarce, seconds }) => {
  // Three calls; three reads; five writes.
  const changes = [change.delete, change.cancel, change.set, change.remove];
  expect(estimate(changes, [], { ...budgets, [scarce]: 1 }, isCustom)).toMatchObject({
    crmCalls: 3,
    sheetReads: 3,
    sheetWrites: 5,
    seconds,
  });
});

test('seconds are rounded up', () => {
  expect(estimate([change.cancel], [], { ...budgets, crmPerMinute: 240 }, isCustom).seconds).toBe(1);
});
