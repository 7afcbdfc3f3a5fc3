import { expect, test } from 'vitest';
import type { StoredSync } from '../../src/engine/stored/stored.ts';
import { type OneRecord, planOne } from '../../src/engine/sync/plan-one.ts';
import { type LedgerEntry, ledgerKey } from '../../src/sync/record/ledger.ts';
import { pack } from '../../src/sync/record/record.ts';
import { start, sync } from '../config/files.ts';
import { load } from '../support/config.ts';

/* The plan of one contact, from what was last seen or from fresh readings. */

const uuid = 'aaaaaaaa-0000-4000-8000-000000000000';
const flow = 'ffffffff-0000-4000-8000-000000000000';
const columns = 'Email: email, Position: position';
const now = 10_000_000;
const agreed = pack(['a@x.io', 'CTO']);
const edited = pack(['a@x.io', 'CEO']);

function planOf(
  link: object | undefined,
  record: Partial<OneRecord> = {},
  more: Partial<StoredSync> = {},
  ...options: readonly string[]
) {
  const [config] = load(start + sync({ columns }, ...options)).syncs;
  const links = new Map(link ? [[uuid, { agreed, ...link }]] : []);
  const stored: StoredSync = {
    facts: { fields: ['email', 'position'] },
    requests: new Map(),
    steps: new Map(),
    isLedgerTrusted: true,
    notices: [],
    links,
    strays: new Map(),
    ledger: new Map(),
    newcomers: new Map(),
    ...more,
  };
  return planOne(config!, stored, { uuid, row: 5, ...record }, now);
}
const told = ({ plan }: ReturnType<typeof planOf>) =>
  plan.changes.map(({ op, row, fields }) => [op, row, ...fields.map(({ after }) => after)]);

test('nothing is planned where both sides are as they were seen last', () => {
  const { plan, link } = planOf({});
  expect([plan.changes, plan.problems, plan.holds]).toEqual([[], [], []]);
  expect(link).toEqual({ agreed });
  expect(planOf(undefined).link).toBeUndefined();
});

test('what is open is planned from what was seen last, with the row as far as it is known', () => {
  expect(told(planOf({ crm: edited, isOpen: true }))).toEqual([['set', 5, 'CEO']]);
  expect(told(planOf({ crm: edited, isOpen: true }, { row: null }))).toEqual([['set', 0, 'CEO']]);
});

test('D1: a contact whose row is gone has none', () => {
  const { plan } = planOf({ standing: 'row-gone' });
  expect(plan.changes).toEqual([]);
  expect(plan.problems).toMatchObject([{ kind: 'ignored', row: null, rule: 'D1' }]);
});

test('fresh readings count instead of what was seen', () => {
  const contact = { uuid, values: edited };
  const row = { number: 9, id: uuid, values: agreed };
  expect(told(planOf({}, { live: { contact, row } }))).toEqual([['set', 9, 'CEO']]);
  expect(told(planOf({ crm: edited, isOpen: true }, { live: { contact: { uuid, values: agreed }, row } }))).toEqual([]);
  expect(planOf({}, { live: { contact: undefined, row } }).plan.changes).toEqual([]);
});

test('E1: what the ledger has stands in for the cell, but for what is being cancelled', () => {
  const ofState = (state: LedgerEntry['state'], live?: OneRecord['live'], more: Partial<LedgerEntry> = {}) => {
    const entry: LedgerEntry = { state, at: 1, run: 'R0', name: 'Welcome', ...more };
    const { plan } = planOf(
      {},
      live ? { live } : {},
      { ledger: new Map([[ledgerKey(uuid, flow), entry]]) },
      'automation: { column: Automation, on_clear: cancel }',
    );
    return plan.changes.map((change) => [change.op, 'automation' in change ? change.automation : '']);
  };
  expect(ofState('waiting')).toEqual([['enrol', flow]]);
  expect(ofState('enrolled')).toEqual([]);
  expect(ofState('cancelling')).toEqual([]);
  const row = { number: 5, id: uuid, values: agreed };
  const contact = { uuid, values: agreed };
  const cleared = { contact, row: { ...row, wish: '' } };
  expect(ofState('enrolled', cleared, { withdrawnAt: 1 })).toEqual([['cancel', flow]]);
  // W10: the cell has to stand still first.
  expect(ofState('enrolled', cleared)).toEqual([]);
  expect(ofState('enrolled', { contact, row })).toEqual([]);
});

test('E1: a cell that names the automation as the ledger does wishes for that one', () => {
  const live = {
    contact: { uuid, values: agreed },
    row: { number: 5, id: uuid, values: agreed, wish: 'Welcome' },
  };
  const entry: LedgerEntry = { state: 'waiting', at: 1, run: 'R0', name: 'Welcome' };
  const ledger = new Map([[ledgerKey(uuid, flow), entry]]);
  const { plan } = planOf({}, { live }, { ledger }, 'automation: { column: Automation, on_clear: cancel }');
  expect(plan.changes).toMatchObject([{ op: 'enrol', automation: flow }]);
  expect(plan.problems).toEqual([]);
});
