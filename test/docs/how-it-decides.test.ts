import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Change } from '../../src/sync/change.ts';
import { type ContactAnswer, noRequests } from '../../src/sync/input.ts';
import type { Mapping } from '../../src/sync/record/mapping.ts';
import { plan } from '../../src/sync/plan.ts';
import type { Reading } from '../../src/sync/value/value.ts';
import { fields, gone, person, type PersonParts, scene, uuidOf, withFields } from '../sync/support.ts';

// The examples of the page: settings; then the values of a person in base, CRM and sheet (a value that is not named is in
// sync); then, after =>, the answer of the program.
const page = readFileSync(new URL('../../docs/how-it-decides.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```example\n(.*?)\n```/gs)].map(([, text]) => text!);

type Who = 'a' | 'b';
type Part = 'base' | 'crm' | 'sheet';
type Parts = Partial<Record<Part, Record<string, string> | 'none'>>;

interface Example {
  readonly settings: Readonly<Record<string, string>>;
  readonly people: ReadonlyMap<Who, Parts>;
  readonly copy: Record<string, string> | undefined;
  readonly expected: readonly string[];
}

function parse(text: string): Example {
  const settings: Record<string, string> = {};
  const people = new Map<Who, Parts>();
  let copy: Record<string, string> | undefined;
  const expected: string[] = [];
  for (const line of text.split('\n')) {
    const answer = /^=> (.+)$/.exec(line);
    const part = /^(?:([ab]) )?(base|CRM|sheet):\s*(.*)$/.exec(line);
    const setting = /^(\w+): (\w+)$/.exec(line);
    const copied = /^copy of a: (.*)$/.exec(line);
    if (answer) expected.push(answer[1]!);
    else if (copied) copy = parseValues(copied[1]!);
    else if (part) {
      const who = (part[1] ?? 'a') as Who;
      const values = part[3] === 'none' ? 'none' : parseValues(part[3]!);
      people.set(who, { ...people.get(who), [part[2]!.toLowerCase()]: values });
    } else if (setting) settings[setting[1]!] = setting[2]!;
    else throw new Error(`an example has a line that says nothing: ${line}`);
  }
  return { settings, people, copy, expected };
}

function parseValues(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)=(\S*)/g)].map(([, name, value]) => [name!, value!]));
}

function readingsOf(values: Record<string, string> = {}): Record<string, Reading> {
  const named = Object.entries(values).filter(([name]) => name !== 'id');
  const known = new Set(fields.map(({ name }) => name));
  for (const [name] of named) if (!known.has(name)) throw new Error(`an example names an unknown field: ${name}`);
  return Object.fromEntries(
    named.map(([name, text]) => [name, text === '' ? null : text.startsWith('#') ? undefined : text]),
  );
}

function partsOf(who: Who, { base, crm, sheet }: Parts): PersonParts {
  const typed = typeof sheet === 'object' ? sheet : {};
  const unreadable = Object.fromEntries(Object.entries(typed).filter(([, text]) => text.startsWith('#')));
  const row = {
    ...('id' in typed && { id: typed['id'] }),
    ...(Object.keys(unreadable).length > 0 && { unreadable }),
  };
  return person(who, {
    base: base === 'none' ? null : readingsOf(base),
    crm: crm === 'none' ? null : readingsOf(crm),
    // A column that is only sent does not identify a person.
    sheet: sheet === 'none' ? null : { ...(base === 'none' && { 'custom:segment': null }), ...readingsOf(typed) },
    row,
  });
}

function mappingOf({ settings }: Example): Mapping {
  const { conflict = 'manual', blank = 'sync', on_row_deleted = 'ignore', on_contact_deleted = 'mark' } = settings;
  const policy = { conflict, blank } as Pick<Mapping['fields'][number], 'conflict' | 'blank'>;
  return withFields(Object.fromEntries(fields.map(({ name }) => [name, policy])), {
    onRowDeleted: on_row_deleted as Mapping['onRowDeleted'],
    onContactDeleted: on_contact_deleted as Mapping['onContactDeleted'],
  });
}

const verbs: Record<Change['op'], string> = {
  create: 'create a contact',
  update: 'update the contact',
  delete: 'delete the contact',
  enrol: 'enrol the contact',
  send: 'send a message',
  cancel: 'cancel its automations',
  append: 'append a row',
  set: 'set the cells',
  remove: 'remove the row',
};

function show(value: Reading): string {
  return value === undefined ? '(unknown)' : value === null ? '(blank)' : String(value);
}

function tell(change: Change): string {
  const { op, rule } = change;
  const id = op === 'set' && change.id !== undefined ? ', and its ID' : '';
  const isWhole = op === 'create' || op === 'append' || change.fields.length === 0;
  const cells = change.fields.map(({ field, before, after }) => `${field} ${show(before)} -> ${show(after)}`);
  return `${verbs[op]}${isWhole ? '' : `: ${cells.join(', ')}`}${id} [${rule}]`;
}

function answersOf(example: Example): readonly string[] {
  const people = [...example.people].map(([who, parts]) => partsOf(who, parts));
  const copy = example.copy && person('a', { base: null, crm: null, sheet: readingsOf(example.copy) });
  const isAlone = example.people.size === 1;
  const asked: Record<string, ContactAnswer> = { a: gone, b: gone, 2: gone };
  // Another person is in sync, so that no side is empty, unless the page speaks of all.
  const others = isAlone ? [person('c'), person('d')] : [];
  const input = scene([...people, ...(copy ? [copy] : []), ...others], {
    mapping: mappingOf(example),
    asked,
    requests: noRequests,
  });
  const { holds, changes, problems } = plan(input);
  const prefix = (uuid: string | null) => (isAlone || uuid === null ? '' : uuid === uuidOf('a') ? 'a: ' : 'b: ');
  const told = [
    ...holds.map(({ rule, reason, fails }) => `${fails ? 'failed' : 'held'}: ${reason} [${rule}]`),
    ...changes.map((change) => `${prefix(change.uuid)}${tell(change)}`),
    ...problems.map(
      ({ uuid, kind, reason, rule }) => `${prefix(uuid)}${kind}: ${reason.replaceAll(uuidOf('a'), 'ID')} [${rule}]`,
    ),
  ];
  return told.length > 0 ? told : ['nothing'];
}

test('the page has examples', () => {
  expect(examples.length).toBeGreaterThan(15);
});

test.each(examples)('an example of docs/how-it-decides.md is answered as it says:\n%s', (text) => {
  const example = parse(text);
  expect(example.expected.length).toBeGreaterThan(0);
  expect(answersOf(example)).toEqual(example.expected);
});
