import { expect, test } from 'vitest';
import { pastOf } from '../../src/engine/sync/past.ts';
import type { HistoryLine, JsonObject } from '../../src/state/port.ts';

/* What the history says of a run (S4, S7). */

const line = (its: JsonObject): HistoryLine => ({
  time: '2026-11-21T09:00:00.000Z',
  sync: 'prospects',
  run: 'R',
  contact: 'a',
  side: 'crm',
  op: 'update',
  field: 'position',
  before: 'CTO',
  after: 'CEO',
  outcome: 'done',
  ...its,
});

const past = (...lines: readonly JsonObject[]) => pastOf(lines.map(line), (automation) => `the flow ${automation}`);

test('S4: what was agreed is told from what was never agreed, also in a history that did not', () => {
  expect(past({ base: 'CTO' }).writes).toMatchObject([{ agreedBefore: 'CTO', after: 'CEO' }]);
  expect(past({ base: null, agreed: true }).writes).toMatchObject([{ agreedBefore: null }]);
  expect(past({ base: null }).writes).toMatchObject([{ agreedBefore: undefined }]);
  expect(past({}).writes).toMatchObject([{ agreedBefore: undefined }]);
});

test('S4, W4: a write of unknown outcome counts, one that failed or was refused does not', () => {
  expect(past({ outcome: 'unknown' }, { outcome: 'failed' }, { outcome: 'refused' }).writes).toHaveLength(1);
  expect(past({ op: 'append', outcome: 'unknown' }).appended).toEqual([]);
});

test('S7: a created contact has what the run wrote for it last, and is new only if the history says so', () => {
  const lines = [
    { op: 'create', field: 'position', after: 'ceo', is: 'new', row: 4 },
    { op: 'set', side: 'sheet', field: 'position', after: 'CEO' },
    { op: 'set', side: 'sheet', field: null },
  ];
  const { created, linked } = past(...lines);
  expect(created).toEqual([{ uuid: 'a', row: 4, is: 'new', held: new Map([['position', 'CEO']]) }]);
  expect(linked).toEqual([]);
  expect(past({ op: 'create' }).created).toMatchObject([{ is: 'unknown' }]);
  expect(past({ op: 'set', field: null }).linked).toEqual(['a']);
  expect(past({ field: null }).linked).toEqual([]);
});

test('S4, L12: enrolments are told once, by the name of the automation, also one that created its contact', () => {
  const { enrolments } = past(
    { op: 'create', enrolled: 'f', is: 'new', field: 'position' },
    { op: 'create', enrolled: 'f', is: 'new', field: 'email' },
    { op: 'enrol', field: null, automation: 'f' },
    { contact: 'b', op: 'create', enrolled: 'f', is: 'new', field: 'email' },
    { contact: 'c', op: 'cancel', field: null, automation: null },
  );
  expect(enrolments).toEqual([
    { uuid: 'a', op: 'enrol', automation: 'the flow f' },
    { uuid: 'b', op: 'enrol', automation: 'the flow f' },
    { uuid: 'c', op: 'cancel', automation: 'all automations' },
  ]);
});
