// Trials of identities in doubt: three contacts with their rows, writes that fail, and cells that people type over.
import { createSyncTrial, tabTitle, type TrialOptions } from '../support/app.ts';

export const columns = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Email: 'email',
  Profile: 'network_id',
};
export const header = Object.keys(columns);

export function createTrial(options: TrialOptions = {}) {
  const trial = createSyncTrial({
    columns,
    values: [header],
    ...options,
    sync: { match: ['network_id', 'email'], ...options.sync },
  });
  return {
    ...trial,
    isThere: (uuid: string) => trial.contacts().some((each) => each.uuid === uuid),
    /** Every write of the sheet fails until the faults are cleared. */
    breakWrites: () =>
      trial.sheets.faults.add({ effect: { type: 'status', status: 503 }, times: 999, match: { kind: 'write' } }),
    /** Empties or types over cells of the row, by header. */
    retype(row: number, cells: Readonly<Record<string, string>>) {
      for (const [name, value] of Object.entries(cells)) {
        const cell = `'${tabTitle}'!${String.fromCodePoint(65 + trial.columnIndexOf(name))}${row}`;
        if (value === '') trial.person.clear(cell);
        else trial.person.type(cell, value);
      }
    },
  };
}

/** Contacts named ann, bob and cy, each with a row. */
export async function inSync(options: TrialOptions = {}) {
  const trial = createTrial(options);
  for (const name of ['ann', 'bob', 'cy']) trial.addContact({ first_name: name, email: `${name}@firm.io` });
  await trial.run();
  return trial;
}
