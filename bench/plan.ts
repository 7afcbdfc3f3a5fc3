// Bench of planning: the time for a plan over many linked people.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Base, Link } from '../src/sync/record/base.ts';
import { noAnswers, noRequests, type PlanInput } from '../src/sync/input.ts';
import type { Field, Mapping } from '../src/sync/record/mapping.ts';
import { plan } from '../src/sync/plan.ts';
import { type ContactRecord, pack, type Packed, type RowRecord } from '../src/sync/record/record.ts';
import { median } from './support/measure.ts';
import type { Bench } from './support/measure.ts';

const records = 100_000;
const changedEvery = 100;
const rounds = 5;
const names = [
  'network_id',
  'email',
  'first_name',
  'last_name',
  'company_name',
  'position',
  'headline',
  'location',
  'phone',
  'website',
  'note',
  'status',
];

/** Measures a plan over linked people, one in a hundred of them changed, by turns on either side. */
export const bench: Bench = {
  name: 'plan',
  async run() {
    const taken: Taken[] = [];
    for (let round = 0; round < rounds; round += 1) taken.push(await inFreshProcess());
    const of = (figure: (each: Taken) => number) => median(taken.map(figure));
    const planS = of(({ planMs }) => planMs) / 1000;
    const bytes = of(({ bytesPerRecordAndSide }) => bytesPerRecordAndSide);
    return [
      {
        name: '100,000 linked records x 12 fields, 1 % changed, CPU',
        value: `${planS.toFixed(2)} s (${taken.map(({ planMs }) => (planMs / 1000).toFixed(2)).join(' ')})`,
        target: '< 0.6 s',
        met: planS < 0.6,
      },
      {
        name: 'against a bare loop that looks both records up and compares them',
        value: `${of(({ planMs, bareMs }) => planMs / bareMs).toFixed(1)}x, ${of(({ bareMs }) => bareMs).toFixed(0)} ms`,
      },
      {
        name: 'memory of both readings, packed, and of the plan, per record and side',
        value: `${bytes.toFixed(0)} bytes, beside ${of(({ baseBytesPerRecord }) => baseBytesPerRecord).toFixed(0)} per link of the base`,
        target: '< 400 bytes',
        met: bytes < 400,
      },
    ];
  },
};

interface Taken {
  readonly planMs: number;
  readonly bareMs: number;
  readonly bytesPerRecordAndSide: number;
  readonly baseBytesPerRecord: number;
}

async function inFreshProcess(): Promise<Taken> {
  const child = fork(import.meta.filename, ['measure'], { execArgv: ['--expose-gc'] });
  const [taken] = (await once(child, 'message')) as [Taken];
  return taken;
}

function uuidOf(index: number): string {
  return `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

function makeBase(): Base {
  const links = new Map<string, Link>();
  for (let index = 0; index < records; index += 1) links.set(uuidOf(index), { agreed: valuesOf(index, '') });
  return { fields: names, links, strays: new Map() };
}

/** Both sides as read: no text is shared with the base. */
function makeInput(base: Base): PlanInput {
  const contacts: ContactRecord[] = [];
  const rows: RowRecord[] = [];
  for (let index = 0; index < records; index += 1) {
    const uuid = uuidOf(index);
    const isChanged = index % changedEvery === 0;
    const crm = isChanged && index % (2 * changedEvery) === 0;
    contacts.push({ uuid, values: valuesOf(index, crm ? 'promoted' : ''), updatedAt: 1_767_225_600_000 + index });
    rows.push({ number: index + 2, id: uuid, values: valuesOf(index, isChanged && !crm ? 'moved' : '') });
  }
  const identity = { crm: 'list', sheet: 'tab' };
  return {
    mapping,
    base,
    identities: { known: identity, now: identity },
    crm: { contacts, coverage: 'whole', isDrifted: false, scope: 'list L' },
    sheet: { rows, doubled: [], missing: [] },
    answers: noAnswers,
    requests: noRequests,
    ledger: { entries: new Map(), isTrusted: true },
    now: 1_767_225_600_000,
    waitsToSettle: false,
  };
}

/** The usual length of such records: 250 characters. */
function valuesOf(index: number, position: string): Packed {
  return pack([
    `person-${index}`,
    `person.${index}@company-${index % 5000}.io`,
    `First${index % 977}`,
    `Last${index % 7919}`,
    `Company ${index % 5000} Ltd`,
    `Head of things ${index % 40}${position}`,
    `Doing things ${index % 1000} for people who want them done`,
    'Berlin, Germany',
    `+49 30 ${index}`,
    null,
    null,
    'ok',
  ]);
}

const plenty = { percent: 100 };
const mapping: Mapping = {
  fields: names.map((name): Field => ({
    name,
    header: name,
    kind: name === 'email' ? 'email' : name === 'network_id' ? 'handle' : 'text',
    direction: 'both',
    conflict: 'manual',
    blank: 'sync',
  })),
  match: [['network_id'], ['email'], ['name', 'company_name']],
  moveToList: false,
  onRowDeleted: 'ignore',
  onContactDeleted: 'mark',
  limits: { deletes: plenty, changes: plenty, blanks: plenty, creates: plenty },
  settleMs: 10_000,
  newestMarginMs: 60_000,
};

/** The least cost of comparing: both sides by uuid, three texts compared. */
function bareLoop({ base, crm, sheet }: PlanInput): number {
  const rowById = new Map(sheet.rows.map((row) => [row.id, row]));
  const contactById = new Map(crm.contacts.map((contact) => [contact.uuid, contact]));
  let changed = 0;
  for (const [uuid, { agreed }] of base.links) {
    if (contactById.get(uuid)?.values !== agreed || rowById.get(uuid)?.values !== agreed) changed += 1;
  }
  return changed;
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

if (process.argv[2] === 'measure') {
  const heap = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const start = heap();
  const base = makeBase();
  const before = heap();
  const input = makeInput(base);
  let planned = plan({
    ...input,
    crm: { ...input.crm, contacts: [] },
    sheet: { ...input.sheet, rows: [] },
    base: { ...input.base, links: new Map() },
  });
  heap();
  const planMs = cpuMs(() => (planned = plan(input)));
  const after = heap();
  let changed = 0;
  const bareMs = cpuMs(() => (changed = bareLoop(input)));
  if (planned.changes.length !== records / changedEvery || changed !== planned.changes.length) {
    throw new Error(`${planned.changes.length} changes were planned, ${changed} found`);
  }
  process.send?.({
    planMs,
    bareMs,
    bytesPerRecordAndSide: (after - before) / records / 2,
    baseBytesPerRecord: (before - start) / records,
  });
  process.disconnect();
}
