// People at both sides. Each value they type is like no other and names the person it is about, so that afterwards one can
// tell where each came from, where it went, and whose it is.
import type { Random } from '../../../src/standin/service/random.ts';
import { type createSyncTrial, tabTitle } from '../../support/app.ts';

export const editable = ['first_name', 'last_name', 'company_name', 'position'] as const;
export type Editable = (typeof editable)[number];
export const headerOf: Readonly<Record<Editable, string>> = {
  first_name: 'First name',
  last_name: 'Last name',
  company_name: 'Company',
  position: 'Position',
};
export const header = ['Notes', ...Object.values(headerOf), 'Email'];
export const columns = {
  ...Object.fromEntries(editable.map((field) => [headerOf[field], field])),
  Email: 'email',
};

export interface Edit {
  readonly side: 'crm' | 'sheet';
  readonly email: string;
  readonly field: Editable;
  readonly value: string;
  /** Somebody typed over it on the same side, or emptied it, so it need not be anywhere. */
  isRetyped: boolean;
}

export interface People {
  readonly edits: readonly Edit[];
  /** Everybody that was ever entered, by e-mail address. */
  readonly entered: ReadonlySet<string>;
  /** Whom somebody deleted, on either side. */
  readonly deleted: ReadonlySet<string>;
  readonly act: (side: 'crm' | 'sheet') => void;
  readonly enter: (side: 'crm' | 'sheet', email?: string) => void;
  readonly story: readonly string[];
}

type Trial = ReturnType<typeof createSyncTrial>;

export function createPeople(trial: Trial, random: Random, mayDelete: boolean): People {
  const edits: Edit[] = [];
  const entered = new Set<string>();
  const deleted = new Set<string>();
  const story: string[] = [];
  let count = 0;
  return { edits, entered, deleted, act: (side) => (side === 'crm' ? actInCrm() : actInSheet()), enter, story };

  function tell(text: string): void {
    story.push(`${new Date().toISOString().slice(11, 19)} ${text}`);
  }

  function newValue(email: string, field: string): string {
    count += 1;
    return `${email.split('@')[0]}.${field}.${count}`;
  }

  function note(side: Edit['side'], email: string, field: Editable, value: string): void {
    for (const edit of edits)
      if (edit.side === side && edit.email === email && edit.field === field) edit.isRetyped = true;
    if (value !== '') edits.push({ side, email, field, value, isRetyped: false });
  }

  function enter(side: 'crm' | 'sheet', email = `p${entered.size}@firm.io`): void {
    const values = editable.map((field) => (random.integer(0, 3) === 0 ? '' : newValue(email, field)));
    entered.add(email);
    for (const [index, field] of editable.entries()) note(side, email, field, values[index]!);
    tell(`${side}: enters ${email} ${values.join(' ')}`);
    if (side === 'crm') {
      const fields = Object.fromEntries(editable.map((field, index) => [field, values[index] || null]));
      trial.addContact({ ...fields, email });
      return;
    }
    const grid = trial.person.read(`'${tabTitle}'`);
    const places = sheetColumns();
    const row = Array.from({ length: grid[0]!.length }, () => '');
    for (const [index, field] of editable.entries()) row[places.get(headerOf[field])!] = values[index]!;
    row[places.get('Email')!] = email;
    row[places.get('Notes')!] = `note on ${email}`;
    trial.person.paste(`'${tabTitle}'!A${grid.length + 1}`, [row.map((value) => (value === '' ? null : value))]);
  }

  function sheetColumns(): ReadonlyMap<string, number> {
    const [names = []] = trial.person.read(`'${tabTitle}'`);
    return new Map(names.map((name, index) => [name as string, index]));
  }

  function actInCrm(): void {
    const contacts = trial.contacts().filter(({ work_email }) => work_email !== null);
    const what = random.integer(0, 9);
    if (what <= 1 || contacts.length === 0) return enter('crm');
    const { uuid, work_email: email } = random.pick(contacts);
    if (what === 2 && mayDelete) {
      tell(`crm: deletes ${email}`);
      deleted.add(email!);
      trial.service.model.contacts.remove(uuid);
      return;
    }
    const field = random.pick(editable);
    const value = random.integer(0, 5) === 0 ? '' : newValue(email!, field);
    tell(`crm: ${email} ${field} = ${value}`);
    note('crm', email!, field, value);
    trial.service.model.contacts.change(uuid, { fields: { [field]: value === '' ? null : value } });
  }

  function actInSheet(): void {
    const grid = trial.person.read(`'${tabTitle}'`);
    const places = sheetColumns();
    const emailAt = places.get('Email')!;
    const rows = grid.flatMap((row, index) =>
      index > 0 && row[emailAt] ? [{ number: index + 1, email: row[emailAt] as string }] : [],
    );
    const what = random.integer(0, 12);
    if (what <= 1 || rows.length === 0) return enter('sheet');
    const row = random.pick(rows);
    if (what === 2 && mayDelete) {
      tell(`sheet: deletes row ${row.number} ${row.email}`);
      deleted.add(row.email);
      return trial.person.deleteRows(tabTitle, row.number);
    }
    if (what === 3) {
      tell('sheet: sorts');
      return trial.person.sort(tabTitle, letterOf(places.get(random.pick(['First name', 'Email']))!));
    }
    if (what === 4) {
      tell(`sheet: inserts a row above ${row.number}`);
      return trial.person.insertRows(tabTitle, row.number);
    }
    if (what === 5) {
      tell(`sheet: drags row ${row.number} to the top`);
      return row.number > 2 ? trial.person.moveRows(tabTitle, row.number, 1, 2) : undefined;
    }
    const field = random.pick(editable);
    const value = random.integer(0, 5) === 0 ? '' : newValue(row.email, field);
    tell(`sheet: ${row.email} ${field} = ${value}`);
    note('sheet', row.email, field, value);
    const cell = `'${tabTitle}'!${letterOf(places.get(headerOf[field])!)}${row.number}`;
    if (value === '') trial.person.clear(cell);
    else trial.person.paste(cell, [[value]]);
  }
}

function letterOf(index: number): string {
  return String.fromCodePoint(65 + index);
}
