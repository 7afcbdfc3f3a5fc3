// A sync in which both sides are equal, and what may happen to it between two runs.
import { createSyncTrial, tabTitle } from '../support/app.ts';

export const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
export type Trial = ReturnType<typeof createSyncTrial>;

/** Both sides are equal, and a run has found that. */
export async function quiet(options: Parameters<typeof createSyncTrial>[0] = {}): Promise<Trial> {
  const trial = createSyncTrial({ values: [header], ...options });
  for (let index = 0; index < 6; index += 1)
    trial.addContact({ first_name: `P${index}`, company_name: 'Firm', email: `p${index}@firm.io` });
  await trial.run();
  await trial.run();
  await trial.run();
  return trial;
}

/** Events between two runs. An otherwise idle run notices each. */
export const happenings: readonly {
  readonly what: string;
  readonly happen: (trial: Trial) => void;
  readonly isFull?: true;
}[] = [
  { what: 'nothing', happen: () => {} },
  { what: 'a cell is edited', happen: (trial) => trial.type('p1@firm.io', 'Company', 'Other') },
  { what: 'a cell is emptied', happen: (trial) => trial.type('p1@firm.io', 'Company', '') },
  { what: 'a contact is edited', happen: (trial) => trial.change('p1@firm.io', { company_name: 'Other' }) },
  { what: 'a contact is made', happen: (trial) => void trial.addContact({ first_name: 'N', email: 'n@firm.io' }) },
  {
    what: 'a row is made',
    happen: (trial) => trial.person.paste(`'${tabTitle}'!A9`, [['N', '', '', 'n@firm.io', '']]),
  },
  { what: 'a row is deleted', happen: (trial) => trial.person.deleteRows(tabTitle, 3) },
  { what: 'rows are sorted', happen: (trial) => trial.person.sort(tabTitle, 'D', 'DESCENDING') },
  { what: 'an ID is cleared', happen: (trial) => trial.type('p1@firm.io', 'Contact ID', '') },
  { what: 'a header is renamed', happen: (trial) => trial.person.paste(`'${tabTitle}'!C1`, [['Employer']]) },
  { what: 'a formula shows the same', happen: (trial) => trial.person.type(`'${tabTitle}'!C3`, '="Fi"&"rm"') },
  {
    what: 'a contact is deleted',
    happen: (trial) => trial.service.model.contacts.remove(trial.contactOf('p1@firm.io').uuid),
    isFull: true,
  },
  {
    what: 'a contact left and comes back',
    happen: (trial) => trial.change('p5@firm.io', { list_uuid: trial.list.uuid }),
  },
];
