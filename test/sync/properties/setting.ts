// The mapping and the alphabets of the small world. Few values, so that records collide, agree by chance and return to
// old values.
import { type Arbitrary, boolean, constant, constantFrom, oneof, record } from 'fast-check';
import {
  type BlankPolicy,
  conflictPolicies,
  type ConflictPolicy,
  type Field,
  type Mapping,
} from '../../../src/sync/record/mapping.ts';
import type { Value } from '../../../src/sync/value/value.ts';

/** What a service may do with a field it is sent. */
export type Habit = 'keeps' | 'lowers' | 'ignores' | 'refuses';

export interface Setting {
  readonly conflict: ConflictPolicy;
  readonly keyConflict: ConflictPolicy;
  readonly blank: BlankPolicy;
  readonly onRowDeleted: Mapping['onRowDeleted'];
  readonly onContactDeleted: Mapping['onContactDeleted'];
  readonly moveToList: boolean;
  /** Applies to the field `position`; the other fields are stored as sent. */
  readonly habit: Habit;
}

export const fieldNames = ['network_id', 'email', 'name', 'company_name', 'position', 'status', 'segment'] as const;
export type FieldName = (typeof fieldNames)[number];

/** By position of the field. The first is the value of a new contact that nothing else is said about. */
export const alphabet: readonly (readonly Value[])[] = [
  [null, 'ada', 'bob', 'https://net.example/in/Ada/', 'cyd'],
  [null, 'ada@x.io', 'bob@x.io', 'Ada@X.io', 'all@example.com'],
  [null, 'Ada', 'Bob', ' ada '],
  [null, 'X', 'Y'],
  [null, 'p', 'q', ' p', 'R'],
  ['ok', 'no'],
  [null, 's', 't'],
];

export const position = fieldNames.indexOf('position');
export const status = fieldNames.indexOf('status');
export const segment = fieldNames.indexOf('segment');

export function mappingOf(setting: Setting): Mapping {
  const { conflict, keyConflict, blank } = setting;
  const field = (name: FieldName, more: Partial<Field> = {}): Field => ({
    name,
    header: name,
    kind: 'text',
    direction: 'both',
    conflict,
    blank,
    ...more,
  });
  return {
    fields: [
      field('network_id', { kind: 'handle', conflict: keyConflict }),
      field('email', { kind: 'email', conflict: keyConflict }),
      field('name'),
      field('company_name'),
      field('position'),
      field('status', { direction: 'to_sheet' }),
      field('segment', { direction: 'to_crm' }),
    ],
    match: [['network_id'], ['email'], ['name', 'company_name']],
    moveToList: setting.moveToList,
    onRowDeleted: setting.onRowDeleted,
    onContactDeleted: setting.onContactDeleted,
    limits: { deletes: { count: 1e6 }, changes: { count: 1e6 }, blanks: { count: 1e6 }, creates: { count: 1e6 } },
    settleMs: 10_000,
    newestMarginMs: 60_000,
  };
}

const anyConflict = constantFrom(...conflictPolicies);
const winningConflict = constantFrom<ConflictPolicy>('crm', 'sheet');

const settingWith = (conflict: Arbitrary<ConflictPolicy>, habit: Arbitrary<Habit>): Arbitrary<Setting> =>
  record({
    conflict,
    keyConflict: conflict,
    blank: constantFrom<BlankPolicy>('sync', 'ignore'),
    onRowDeleted: constantFrom('ignore', 'restore', 'cancel_automations', 'delete_contact'),
    onContactDeleted: constantFrom('mark', 'delete_row', 'ignore'),
    moveToList: boolean(),
    habit,
  });

const anyHabit = oneof(
  { weight: 4, arbitrary: constant<Habit>('keeps') },
  { weight: 3, arbitrary: constantFrom<Habit>('lowers', 'ignores', 'refuses') },
);

export const anySetting = settingWith(anyConflict, anyHabit);
export const winningSetting = settingWith(winningConflict, anyHabit);
