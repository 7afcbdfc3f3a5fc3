import { expect, test } from 'vitest';
import { sentenceOf } from '../../src/log/sentence.ts';

/* The log for people: one sentence a line, with names. */

const names: Readonly<Record<string, string>> = { 'u-1': 'Ann Lee', 'f-1': 'Welcome sequence' };
const nameOf = (uuid: string) => names[uuid];
const change = { msg: 'change done', sync: 'prospects', run: 'r', side: 'crm', op: 'update', contact: 'u-1', row: 3 };

test.each([
  [
    { ...change, fields: ['position'], values: [{ before: 'Owner', after: 'Bosun' }] },
    'prospects: Ann Lee (row 3): the service gets position "Bosun" instead of "Owner"',
  ],
  [
    { ...change, side: 'sheet', op: 'set', fields: ['position', 'age'], values: [{ before: 'x', after: null }] },
    'prospects: Ann Lee (row 3): the sheet gets no position instead of "x", age',
  ],
  [{ ...change, contact: 'u-2', fields: ['position'] }, 'prospects: row 3: the service gets position'],
  [{ ...change, contact: 'u-2', row: null, op: 'delete' }, 'prospects: u-2 is deleted in the service'],
  [{ ...change, op: 'enrol', automation: 'f-1' }, 'prospects: Ann Lee (row 3) is enrolled in Welcome sequence'],
  [{ ...change, op: 'cancel', automation: null }, 'prospects: Ann Lee (row 3) is taken out of all automations'],
  [{ ...change, side: 'sheet', op: 'append', row: null }, 'prospects: Ann Lee gets a row in the sheet'],
  [
    { ...change, msg: 'change not done', outcome: 'refused', why: 'no', fields: ['status'] },
    'prospects: not done (refused): Ann Lee (row 3): the service gets status. no',
  ],
  [{ msg: 'notice', sync: '', notice: 'the disk is nearly full' }, 'the disk is nearly full'],
  [
    { msg: 'problem', sync: 'a', contact: null, row: 5, field: 'status', kind: 'refused', reason: 'no', rule: 'E7' },
    'a: row 5, status: refused: no',
  ],
  [
    {
      msg: 'run ended',
      sync: 'a',
      run: 'r-1',
      status: 'held',
      counts: { deleted: 1200 },
      reason: 'too many',
      approve: 'r-1',
      seconds: 2,
      crm_calls: 3,
    },
    'a: the run is held: 1,200 deleted. too many. Let it through: leadsheet approve a --run r-1 (run r-1, 2 s, 3 calls to the service)',
  ],
  [
    {
      msg: 'run ended',
      sync: 'a',
      run: 'r-1',
      status: 'failed',
      counts: {},
      reason: 'the disk is full. Make room',
      seconds: 0,
      crm_calls: 0,
    },
    'a: the run has failed. the disk is full. Make room (run r-1, 0 s, 0 calls to the service)',
  ],
  [
    {
      msg: 'run ended',
      sync: 'a',
      run: 'r-1',
      status: 'partial',
      counts: { linked: 2, conflicts: 1 },
      seconds: 0,
      crm_calls: 1,
    },
    'a: the run has done what it could: 2 linked, 1 conflict (run r-1, 0 s, 1 call to the service)',
  ],
  [
    { msg: 'run ended', sync: 'a', run: 'r-1', status: 'succeeded', counts: {}, seconds: 0, crm_calls: 0 },
    'a: the run has succeeded: nothing to do (run r-1, 0 s, 0 calls to the service)',
  ],
  [{ msg: 'backing off', sync: 'a', failures: 2, pause_secs: 9 }, 'backing off (sync: a, failures: 2, pause secs: 9)'],
  [{ msg: 'toString' }, 'toString'],
  [{ msg: 'change done', op: 7, values: 'x', counts: [], sync: {} }, 'the sheet: 7 of a record'],
])('%#: a line of the log is a sentence', (line, sentence) => {
  expect(sentenceOf(line, nameOf)).toBe(sentence);
});

test('a fault keeps its stack', () => {
  const said = sentenceOf({ msg: 'a fault', sync: 'a', err: { message: 'x', stack: 'Error: x\n    at y' } }, nameOf);
  expect(said).toBe('a fault (sync: a)\nError: x\n    at y');
});
