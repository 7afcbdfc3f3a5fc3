// A run is killed at many instants, and people edit the same fields before the next run (W4, L1, L10).
import { expect, it } from 'vitest';
import { createSyncTrial } from '../support/app.ts';
import { repeats } from '../support/repeats.ts';

const header = ['First name', 'Company', 'Email'];

interface Held {
  readonly sheet: string;
  readonly crm: string;
}

/** What people do with the company of one contact. */
interface Company {
  readonly type: (value: string) => void;
  readonly change: (value: string) => void;
}

interface Story {
  readonly name: string;
  /** Before the run; left out: `Old`. */
  readonly company?: string;
  readonly before: (company: Company) => void;
  readonly after: (company: Company) => void;
  /** In the end, by whether both sides held the same when the run was killed. */
  readonly ends: (arrived: boolean) => readonly (Held & { readonly conflicts: number })[];
}

const equal = (value: string) => ({ sheet: value, crm: value, conflicts: 0 });
const conflict = (sheet: string, crm: string) => ({ sheet, crm, conflicts: 1 });

/** `arrived` includes a run that was saved before it was killed: then the next run knows what both sides agreed on. */
const stories: readonly Story[] = [
  {
    name: 'nobody edits again',
    before: ({ type }) => type('New'),
    after: () => {},
    ends: () => [equal('New')],
  },
  {
    name: 'the cell is edited again',
    before: ({ type }) => type('New'),
    after: ({ type }) => type('Newer'),
    ends: (arrived) => (arrived ? [conflict('Newer', 'New'), equal('Newer')] : [equal('Newer')]),
  },
  {
    name: 'the contact is edited again',
    before: ({ change }) => change('New'),
    after: ({ change }) => change('Newer'),
    ends: (arrived) => (arrived ? [conflict('New', 'Newer'), equal('Newer')] : [equal('Newer')]),
  },
  {
    name: 'the cell is put back',
    before: ({ type }) => type('New'),
    after: ({ type }) => type('Old'),
    ends: (arrived) => (arrived ? [conflict('Old', 'New'), equal('Old')] : [equal('Old')]),
  },
  {
    name: 'the contact is put back',
    before: ({ change }) => change('New'),
    after: ({ change }) => change('Old'),
    ends: (arrived) => (arrived ? [conflict('New', 'Old'), equal('Old')] : [equal('Old')]),
  },
  {
    name: 'the cell is emptied and filled again',
    before: ({ type }) => type(''),
    after: ({ type }) => type('Old'),
    ends: () => [equal('Old')],
  },
  {
    name: 'an empty cell is filled and emptied again: a value wins over a blank (M2)',
    company: '',
    before: ({ type }) => type('New'),
    after: ({ type }) => type(''),
    ends: (arrived) => (arrived ? [equal('New'), equal('')] : [equal('')]),
  },
  {
    name: 'both sides are edited',
    before: ({ type }) => type('New'),
    after: ({ type, change }) => (type('Mine'), change('Theirs')),
    ends: () => [conflict('Mine', 'Theirs')],
  },
  {
    name: 'the cell is put back, and a person types into the contact what was sent',
    before: ({ type }) => type('New'),
    after: ({ type, change }) => (type('Old'), change('New')),
    ends: (arrived) => [conflict('Old', 'New'), equal(arrived ? 'Old' : 'New')],
  },
  {
    name: 'the contact is put back, and a person types into the cell what was sent',
    before: ({ change }) => change('New'),
    after: ({ type, change }) => (change('Old'), type('New')),
    ends: (arrived) => [conflict('New', 'Old'), equal(arrived ? 'Old' : 'New')],
  },
  {
    name: 'the cell is edited, and a person types into the contact what was sent',
    before: ({ type }) => type('New'),
    after: ({ type, change }) => (type('Newer'), change('New')),
    ends: (arrived) => [conflict('Newer', 'New'), ...(arrived ? [equal('Newer')] : [])],
  },
  {
    name: 'the cell is put back, and the contact gets a third value',
    before: ({ type }) => type('New'),
    after: ({ type, change }) => (type('Old'), change('Third')),
    ends: (arrived) => [conflict('Old', 'Third'), ...(arrived ? [] : [equal('Third')])],
  },
];

async function linked() {
  const trial = createSyncTrial({
    values: [header],
    sync: {
      columns: { 'First name': 'first_name', Company: 'company_name', Email: 'email' },
      limits: { changes: '100%', blanks: '100%' },
    },
  });
  for (const [n, { company = 'Old' }] of stories.entries()) {
    trial.addContact({ first_name: `Ann ${n}`, company_name: company, email: emailOf(n) });
  }
  await trial.run();
  const companies = stories.map((_, n): Company & { readonly held: () => Held } => {
    const { uuid } = trial.contactOf(emailOf(n));
    const rowNumber = trial.rowNumberOf(emailOf(n));
    return {
      type: (value) => trial.person.type(`'Prospects'!B${rowNumber}`, value),
      change: (value) => trial.service.model.contacts.change(uuid, { fields: { company_name: value } }),
      held: () => ({
        sheet: textOf(trial.rowOf(emailOf(n))['Company']),
        crm: textOf(trial.contactOf(emailOf(n)).company_name),
      }),
    };
  });
  return { trial, companies };
}

const emailOf = (n: number) => `ann.${n}@firm.io`;
const textOf = (held: unknown) => (typeof held === 'string' ? held : '');

/** The run is killed at the instant of this number. undefined: it has fewer. */
async function killedAt(at: number) {
  const world = await linked();
  const { trial, companies } = world;
  for (const [n, { before }] of stories.entries()) before(companies[n]!);
  let count = 0;
  trial.atEachInstant(() => {
    count += 1;
    if (count === at) trial.kill();
  });
  const end = await trial.attempt();
  trial.atEachInstant(() => {});
  return end === 'killed' ? world : undefined;
}

it('W4, L1, L10: a run is killed at any instant, and no later edit of the same fields is written over', async () => {
  const arrivals = stories.map(() => new Set<boolean>());
  // In turns before and after a call is carried out; with REPEATS=all at each instant.
  for (let at = 1; ; at += repeats(8, 1)) {
    const world = await killedAt(at);
    if (!world) break;
    const { trial, companies } = world;
    const arrived = companies.map(({ held }) => held().sheet === held().crm);
    for (const [n, { after }] of stories.entries()) after(companies[n]!);
    const { problems } = await trial.run();
    for (const [n, { name, ends }] of stories.entries()) {
      arrivals[n]!.add(arrived[n]!);
      const { uuid } = trial.contactOf(emailOf(n));
      const conflicts = problems.filter((each) => each.kind === 'conflict' && each.uuid === uuid).length;
      expect(ends(arrived[n]!), `${name}; killed at instant ${at}`).toContainEqual({
        ...companies[n]!.held(),
        conflicts,
      });
    }
  }
  expect(arrivals.map((each) => each.size)).toEqual(stories.map(() => 2));
});
