// Scenes for the algorithm: people who are in sync except for what a case changes, and plans written as short lines.
import { type Link, rowKey, type Stray } from '../../src/sync/record/base.ts';
import type { Change, Problem } from '../../src/sync/change.ts';
import { keyLookupOf } from '../../src/sync/record/keys.ts';
import { type ContactAnswer, noRequests, type PlanInput } from '../../src/sync/input.ts';
import type { Field, Mapping } from '../../src/sync/record/mapping.ts';
import { plan } from '../../src/sync/plan.ts';
import { type ContactRecord, pack, type Packed, type RowRecord, unpack } from '../../src/sync/record/record.ts';
import type { Kind } from '../../src/sync/value/kinds.ts';
import type { Reading, Value } from '../../src/sync/value/value.ts';

const isKind = {
  text: true,
  email: true,
  handle: true,
  integer: true,
  flag: true,
  timestamp: true,
  list: true,
  json: true,
} as const satisfies Record<Kind, true>;

/** Every kind of field: one too few does not compile. */
export const kinds = Object.keys(isKind) as readonly Kind[];

export type Values = Readonly<Record<string, Reading>>;

/** Noon of a day. Every case happens at this instant. */
export const noon = Date.UTC(2026, 4, 4, 12);

export function fieldOf(name: string, header: string, more: Partial<Field> = {}): Field {
  return { name, header, kind: 'text', direction: 'both', conflict: 'manual', blank: 'sync', ...more };
}

export const fields: readonly Field[] = [
  fieldOf('first_name', 'First name'),
  fieldOf('last_name', 'Last name'),
  fieldOf('company_name', 'Company'),
  fieldOf('email', 'Email', { kind: 'email' }),
  fieldOf('network_id', 'Profile', { kind: 'handle' }),
  fieldOf('position', 'Position'),
  fieldOf('status', 'Status', { direction: 'to_sheet' }),
  fieldOf('custom:segment', 'Segment', { direction: 'to_crm', isHidden: true }),
];

export const mapping: Mapping = {
  fields,
  match: [['network_id'], ['email'], ['name', 'company_name']],
  moveToList: false,
  onRowDeleted: 'ignore',
  onContactDeleted: 'mark',
  limits: { deletes: { count: 1000 }, changes: { count: 1000 }, blanks: { count: 1000 }, creates: { count: 1000 } },
  settleMs: 10_000,
  newestMarginMs: 60_000,
};

/** The mapping with some fields changed: `withFields({ position: { conflict: 'crm' } })`. */
export function withFields(changed: Readonly<Record<string, Partial<Field>>>, more: Partial<Mapping> = {}): Mapping {
  return { ...mapping, ...more, fields: fields.map((field) => ({ ...field, ...changed[field.name] })) };
}

/** `a` to `f`, or a number where a case needs many. */
export type Who = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | number;

export function uuidOf(who: Who): string {
  return typeof who === 'number'
    ? `00000000-0000-4000-8000-${String(who).padStart(12, '0')}`
    : `${who.repeat(8)}-0000-4000-8000-000000000000`;
}

function whoOf(uuid: string): string {
  return uuid.startsWith('00000000') ? String(Number(uuid.slice(-12))) : uuid.slice(0, 1);
}

export function valuesOf(who: Who): Values {
  return {
    first_name: `First ${who}`,
    last_name: 'Lee',
    company_name: 'Acme',
    email: `${who}@acme.test`,
    network_id: `handle-${who}`,
    position: 'CTO',
    status: 'ok',
    'custom:segment': 'gold',
  };
}

/** Blank in all fields but these. */
export const only = (values: Values): Values => ({
  ...Object.fromEntries(fields.map(({ name }) => [name, null])),
  ...values,
});

export const packedOf = (values: Values): Packed => pack(fields.map(({ name }) => values[name]));

/** What differs from a person who is linked and in sync. null: the side is missing. */
export interface PersonSpec {
  readonly base?: Values | null;
  readonly crm?: Values | null;
  readonly sheet?: Values | null;
  readonly link?: Partial<Link>;
  readonly contact?: Partial<ContactRecord>;
  readonly row?: Partial<RowRecord>;
}

export interface PersonParts {
  readonly uuid: string;
  readonly link: Link | undefined;
  readonly contact: ContactRecord | undefined;
  readonly row: Omit<RowRecord, 'number'> | undefined;
}

export function person(who: Who, spec: PersonSpec = {}): PersonParts {
  const uuid = uuidOf(who);
  const agreed = { ...valuesOf(who), ...spec.base };
  // A to_crm column is never read back (M4).
  const crm = { ...agreed, 'custom:segment': undefined, ...spec.crm };
  const sheet = { ...agreed, ...spec.sheet };
  const lastCrm = packedOf({ ...agreed, 'custom:segment': undefined });
  return {
    uuid,
    link: spec.base === null ? undefined : { agreed: packedOf(agreed), crm: lastCrm, ...spec.link },
    contact: spec.crm === null ? undefined : { uuid, values: packedOf(crm), ...spec.contact },
    row: spec.sheet === null ? undefined : { id: uuid, values: packedOf(sheet), ...spec.row },
  };
}

/** A person that only the CRM has. */
export const newContact = (who: Who, crm: Values = {}): PersonParts => person(who, { base: null, crm, sheet: null });

/** A person that only the sheet has: no ID yet. */
export const newRow = (who: Who, sheet: Values = {}, row: Partial<RowRecord> = {}): PersonParts =>
  person(who, { base: null, crm: null, sheet, row: { id: '', ...row } });

export interface SceneMore extends Partial<Omit<PlanInput, 'crm' | 'sheet' | 'answers' | 'requests'>> {
  readonly crm?: Partial<PlanInput['crm']>;
  readonly sheet?: Partial<PlanInput['sheet']>;
  readonly requests?: Partial<PlanInput['requests']>;
  /** By name, or by row number: what the service answers when asked for that person. */
  readonly asked?: Readonly<Record<string, ContactAnswer>>;
  /**
   * By `KeyLookup.id`: which contact has the key. A key that is left out is answered from the people of the scene; null:
   * no key was asked for.
   */
  readonly keys?: Readonly<Record<string, ContactAnswer>> | null;
  readonly strays?: ReadonlyMap<string, Stray>;
}

/** The rows stand one below the other from row 2, in the order of the people. */
export function scene(people: readonly PersonParts[], more: SceneMore = {}): PlanInput {
  const { crm, sheet, requests, asked = {}, keys = {}, strays = new Map(), ...rest } = more;
  const used = rest.mapping ?? mapping;
  const rows = people.flatMap(({ row }, index): RowRecord[] => (row ? [{ number: index + 2, ...row }] : []));
  const base = {
    fields: used.fields.map(({ name }) => name),
    links: new Map(people.flatMap(({ uuid, link }) => (link ? [[uuid, link] as const] : []))),
    strays,
  };
  const answers = Object.entries(asked);
  const rowAt = (text: string) => rows.find(({ number }) => number === Number(text));
  return {
    mapping: used,
    base,
    identities: { now: { crm: 'list', sheet: 'tab' } },
    crm: {
      contacts: people.flatMap(({ contact }) => contact ?? []),
      coverage: 'whole',
      isDrifted: false,
      scope: 'list Prospects',
      ...crm,
    },
    sheet: { rows, doubled: [], missing: [], ...sheet },
    answers: {
      contacts: new Map(
        answers.flatMap(([who, answer]) => (rowAt(who) ? [] : [[uuidOf(who as Who), answer] as const])),
      ),
      lookups: new Map(
        answers.flatMap(([who, answer]) => {
          const row = rowAt(who);
          return row ? [[rowKey(row), answer] as const] : [];
        }),
      ),
      ...(keys && { keys: new Map([...keyAnswers(people, rows, crm?.coverage ?? 'whole'), ...Object.entries(keys)]) }),
    },
    requests: { ...noRequests, ...requests },
    ledger: { entries: new Map(), isTrusted: true },
    now: noon,
    waitsToSettle: false,
    ...rest,
  };
}

/** Answers for every key in the rows, as the service would: the first of the people who has it. */
function keyAnswers(
  people: readonly PersonParts[],
  rows: readonly RowRecord[],
  coverage: PlanInput['crm']['coverage'],
): ReadonlyMap<string, ContactAnswer> {
  const idsOf = (values: Packed) => unpack(values).map((value, index) => keyLookupOf(fields[index]!, value)?.id);
  const contacts = people.flatMap(({ uuid, contact, link }): ContactRecord[] => {
    const isUnread = coverage !== 'whole' && link !== undefined && link.standing !== 'contact-gone';
    return contact ? [contact] : isUnread ? [{ uuid, values: link.crm ?? link.agreed }] : [];
  });
  const answers = new Map<string, ContactAnswer>();
  for (const id of rows.flatMap(({ values }) => idsOf(values))) {
    const contact = contacts.find(({ values }) => idsOf(values).includes(id));
    if (id !== undefined) answers.set(id, contact ? { kind: 'here', contact } : { kind: 'gone' });
  }
  return answers;
}

export const gone: ContactAnswer = { kind: 'gone' };
export const elsewhere = (who: Who): ContactAnswer => ({
  kind: 'elsewhere',
  uuid: uuidOf(who),
  where: 'in list Old',
});
export const here = (parts: PersonParts): ContactAnswer => ({ kind: 'here', contact: parts.contact! });
export const unanswered: ContactAnswer = { kind: 'unanswered', why: 'the service did not answer' };

/** `update a: position CTO -> CEO [merge]`, `create row 3 [I2]`, `append b [merge]`. */
export function tellChange(change: Change): string {
  const { op, fields: changed, rule } = change;
  const isOfRow = op === 'create';
  const about = isOfRow ? `row ${change.row}` : whoOf(change.uuid ?? '?');
  const extra = [
    op === 'set' && change.id !== undefined ? ` id=${whoOf(change.id)}` : '',
    op === 'update' && change.releases ? ' releasing' : '',
    op === 'create' && change.moves !== undefined ? ` moving ${whoOf(change.moves)}` : '',
    op === 'create' && change.enrol !== undefined ? ` enrolled in ${change.enrol}` : '',
    op === 'enrol' || op === 'cancel' ? ` ${change.automation ?? 'everywhere'}` : '',
  ].join('');
  if (op === 'create' || op === 'append' || changed.length === 0) return `${op} ${about}${extra} [${rule}]`;
  const told = changed.map(
    ({ field, before, after, rule: why }) => `${field} ${tellValue(before)} -> ${tellValue(after)} [${why}]`,
  );
  return `${op} ${about}${extra}: ${told.join(', ')}`;
}

function tellValue(value: Reading | Value): string {
  return value === undefined ? 'unknown' : value === null ? 'blank' : String(value);
}

/** `conflict a/position [M1]`, `quarantined row 3 [I4]`. */
export function tellProblem({ kind, uuid, row, field, rule }: Problem): string {
  const about = uuid === null ? `row ${row}` : whoOf(uuid);
  return `${kind} ${about}${field === null ? '' : `/${field}`} [${rule}]`;
}

/** What a case expects. A part that is left out must be empty. */
export interface Expected {
  readonly changes?: readonly string[];
  readonly problems?: readonly string[];
  /** Links whose standing changed: `a row-gone`, `a forgotten`. */
  readonly links?: readonly string[];
  readonly questions?: readonly string[];
  readonly holds?: readonly string[];
  /** A part of the reason of one of the problems or holds. */
  readonly says?: string;
}

/** One line of a table of cases: the rules it shows, a colon, and what happens. */
export interface Case extends Expected {
  readonly name: string;
  readonly input: PlanInput;
}

export function tell(input: PlanInput): Required<Expected> {
  const made = plan(input);
  const standings = [...made.links].flatMap(([uuid, link]): string[] => {
    if (link === null) return [`${whoOf(uuid)} forgotten`];
    const before = input.base.links.get(uuid)?.standing;
    return link.standing === before ? [] : [`${whoOf(uuid)} ${link.standing ?? 'linked'}`];
  });
  return {
    changes: made.changes.map(tellChange),
    problems: made.problems.map(tellProblem),
    links: standings.filter((text) => !text.endsWith(' forgotten') || input.base.links.size > 0),
    questions: made.questions.map((question) =>
      question.kind === 'contact'
        ? `${whoOf(question.uuid)} [${question.rule}]`
        : question.kind === 'key'
          ? `${question.field} of ${whoOf(question.uuid)} ${question.value} [I7]`
          : `row ${question.row}`,
    ),
    holds: made.holds.map(({ rule, fails }) => `${fails ? 'failed' : 'held'} [${rule}]`),
    says: [...made.problems, ...made.holds].map(({ reason }) => reason).join('\n'),
  };
}

/** The expected result of a case, with the parts it leaves out. */
export function wanted({ changes, problems, links, questions, holds, says }: Expected): Required<Expected> {
  return {
    changes: changes ?? [],
    problems: problems ?? [],
    links: links ?? [],
    questions: questions ?? [],
    holds: holds ?? [],
    says: says ?? '',
  };
}

/** The actual result. The reasons are reduced to the part that the case asks for, if it is there. */
export function seen({ input, says = '' }: Expected & { readonly input: PlanInput }): Required<Expected> {
  const told = tell(input);
  return { ...told, says: told.says.includes(says) ? says : told.says };
}

/** One field of a packed record. */
export function valueIn(packed: Packed, name: string): Reading {
  return unpack(packed)[fields.findIndex((field) => field.name === name)];
}
