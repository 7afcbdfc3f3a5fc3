// The laws of SPEC, as they can be seen from outside once everything is quiet.
import type { RunReport } from '../../../src/engine/report.ts';
import type { createSyncTrial } from '../../support/app.ts';
import { editable, headerOf, type People } from './people.ts';

export interface Quiet {
  readonly trial: ReturnType<typeof createSyncTrial>;
  readonly people: People;
  readonly policies: { readonly on_row_deleted: string };
  readonly attempt: (isFull: boolean) => Promise<RunReport | 'killed'>;
}

export async function checkLaws(quiet: Quiet): Promise<readonly string[]> {
  const idle = await checkIdle(quiet);
  return [
    ...checkEverybody(quiet),
    ...checkEqual(quiet),
    ...checkRightRow(quiet),
    ...(await checkEdits(quiet)),
    ...idle,
  ];
}

/** W9, L6: another run writes nothing, to any side or to the state. */
async function checkIdle({ trial, attempt }: Quiet): Promise<string[]> {
  const before = { files: trial.stateFiles(), writes: trial.sheets.log.counters.writes };
  const calls = trial.service.received.entries.length;
  const broken: string[] = [];
  for (const isFull of [true, false, false]) {
    const report = await attempt(isFull);
    if (report === 'killed' || report.status === 'failed') broken.push('W9: a quiet run fails');
  }
  const after = { files: trial.stateFiles(), writes: trial.sheets.log.counters.writes };
  const reads = new Set(['contacts.search', 'contacts.lookup-one', 'contacts.get', 'lists.list']);
  const wrote = trial.service.received.entries
    .slice(calls)
    .filter(({ operation }) => !reads.has(String(operation)))
    .map(({ operation, body }) => `${operation} ${JSON.stringify(body)}`);
  if (wrote.length > 0) broken.push(`W9: a quiet run writes to the CRM: ${wrote.join(', ')}`);
  if (after.writes !== before.writes) broken.push(`W9: a quiet run writes to the sheet`);
  for (const [name, content] of Object.entries(after.files))
    if (before.files[name] !== content) broken.push(`W9: a quiet run writes ${name}`);
  return broken;
}

/** Rows that people inserted and left empty are nobody's. */
function rowsOf(trial: Quiet['trial']): Record<string, unknown>[] {
  return trial.grid().filter((row) => Object.keys(row).length > 0);
}

function text(cell: unknown): string {
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

/** L7, L8. */
function checkEverybody({ trial, people }: Quiet): string[] {
  const inCrm = trial.contacts().map(({ work_email }) => work_email);
  const inSheet = trial.grid().map((row) => row['Email']);
  return [...people.entered].flatMap((email) => {
    const counts = {
      crm: inCrm.filter((each) => each === email).length,
      sheet: inSheet.filter((each) => each === email).length,
    };
    const broken: string[] = [];
    for (const side of ['crm', 'sheet'] as const) {
      if (counts[side] > 1) broken.push(`L8: ${email} is ${counts[side]} times in the ${side}`);
      if (counts[side] === 0 && !people.deleted.has(email)) broken.push(`L7: ${email} is not in the ${side}`);
    }
    return broken;
  });
}

/** L6, with a winning policy. */
function checkEqual({ trial, people }: Quiet): string[] {
  const contacts = new Map(trial.contacts().map((contact) => [contact.uuid, contact]));
  return rowsOf(trial).flatMap((row) => {
    const email = String(row['Email']);
    const contact = contacts.get(String(row['Contact ID']));
    if (!contact)
      return people.deleted.has(email) ? [] : [`L6: the row of ${email} has no contact (${String(row['Contact ID'])})`];
    return editable.flatMap((field) => {
      const [a, b] = [contact[field] || undefined, row[headerOf[field]]];
      return a === b ? [] : [`L6: ${email} ${field} is ${a} in the CRM and ${String(b)} in the sheet`];
    });
  });
}

/** L9, L2: a value is only where the person is whom it was typed for, and in that field; and notes are nobody's business (L13). */
function checkRightRow({ trial, people }: Quiet): string[] {
  const typed = new Set(people.edits.map(({ value }) => value));
  const wrong = (where: string, email: string, field: string, cell: unknown) => {
    if (cell === undefined || cell === null || cell === '') return [];
    const value = text(cell);
    const isRight = typed.has(value) && value.startsWith(`${email.split('@')[0]}.${field}.`);
    return isRight ? [] : [`L9: ${where} ${email} ${field} holds ${value}`];
  };
  const ofRows = rowsOf(trial).flatMap((row) => {
    const email = String(row['Email']);
    const notes = row['Notes'];
    const isForeign = notes !== undefined && notes !== `note on ${email}`;
    return [
      ...(isForeign ? [`L13: the notes of ${email} are ${text(notes)}`] : []),
      ...editable.flatMap((field) => wrong('sheet', email, field, row[headerOf[field]])),
    ];
  });
  const ofContacts = trial
    .contacts()
    .flatMap((contact) => editable.flatMap((field) => wrong('crm', String(contact.work_email), field, contact[field])));
  return [...ofRows, ...ofContacts];
}

/** L1: what somebody typed is there, or was typed over on the same side, or is in the history as what had to give way. */
async function checkEdits({ trial, people }: Quiet): Promise<string[]> {
  const history = await trial.history();
  const gaveWay = new Set(history.map(({ side, field, before }) => JSON.stringify([side, field, before])));
  const present = new Set([
    ...trial.contacts().flatMap((contact) => editable.map((field) => contact[field])),
    ...trial.grid().flatMap((row) => Object.values(row)),
  ]);
  return people.edits
    .filter(({ isRetyped, value, email }) => !isRetyped && !present.has(value) && !people.deleted.has(email))
    .filter(({ side, field, value }) => !gaveWay.has(JSON.stringify([side, field, value])))
    .map(({ side, email, field, value }) => `L1: ${value}, typed in the ${side} for ${email} ${field}, is lost`);
}
