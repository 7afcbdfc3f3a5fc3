// Texts in cells of addresses and profiles that identify nobody (I8): words and signs for "none", two addresses, names.
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle } from '../support/app.ts';
import { columns, header } from './in-doubt.ts';

function createTrial(values: readonly (readonly string[])[], match = ['network_id', 'email']) {
  return createSyncTrial({ columns, values: [header, ...values], sync: { match, conflict: 'sheet' } });
}

const nobody = ['-', 'n/a', 'N/A', 'none', '?'];

describe('I8: a text that is no address or profile identifies nobody', () => {
  it.each(nobody)(
    'I8, L9: a new row with %j for an address is not linked to the contact of another person',
    async (text) => {
      const trial = createTrial([['Cid', 'Roe', 'Zeta', text, '']]);
      trial.addContact({ first_name: 'Ann', last_name: 'Lee', company_name: 'Acme', email: text });
      const { problems } = await trial.run();
      expect(problems).toMatchObject([{ kind: 'waiting', row: 2, rule: 'I2' }]);
      expect(problems[0]!.reason).toContain(`${text} is not one e-mail address`);
      expect(trial.contacts()).toMatchObject([{ first_name: 'Ann', last_name: 'Lee', company_name: 'Acme' }]);
    },
  );

  it.each(nobody)('I8, L9: nor one with %j for a profile', async (text) => {
    const trial = createTrial([['Cid', 'Roe', 'Zeta', '', text]]);
    trial.addContact({ first_name: 'Ann', last_name: 'Lee', network: text });
    const { problems } = await trial.run();
    expect(problems[0]!.reason).toContain(`${text} names no profile`);
    expect(trial.contacts()).toMatchObject([{ first_name: 'Ann', last_name: 'Lee' }]);
  });

  it.each(nobody)('I6, I8: two people with %j for an address, and each a profile, are both created', async (text) => {
    const trial = createTrial([
      ['Ann', '', '', text, 'ann-lee'],
      ['Bob', '', '', text, 'bob-ray'],
    ]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { created: 2 } });
    expect(trial.contacts()).toMatchObject([{ work_email: text }, { work_email: text }]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0, linked: 2 } });
  });

  const noProfiles = [
    'https://www.linkedin.com/',
    'https://www.linkedin.com/company/acme/',
    'linkedin.com',
    'https://www.linkedin.com/in/',
    'www.linkedin.com/in',
    'not found',
    'see the CRM',
    'https://www.linkedin.com/pub/ann-lee/1/2b/3',
    'https://www.linkedin.com/pub/dir/Ann/Lee',
  ];
  it.each([...nobody, ...noProfiles])('I6, I8: nor do two people with %j for a profile count as one', async (text) => {
    const trial = createTrial([
      ['Ann', '', '', 'ann@firm.io', text],
      ['Bob', '', '', 'bob@firm.io', text],
    ]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [], counts: { created: 2 } });
    const leads = trial.crmCalls('contacts.upsert').map(({ body }) => (body as { lead: object }).lead);
    expect(leads.map((lead) => 'network_id' in lead)).toEqual([false, false]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0, linked: 2 } });
  });

  it('I8, L9: a profile address of the old form does not name the member of its last number', async () => {
    const trial = createTrial([['Ann', '', '', '', 'https://www.linkedin.com/pub/ann-lee/1/2/3']]);
    const { uuid } = trial.addContact({ first_name: 'Cid' });
    trial.service.model.contacts.change(uuid, { fields: { ln_id: '3' } });
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'waiting', row: 2 }]);
    expect(problems[0]!.reason).toContain('names no profile');
    expect(trial.contacts()).toMatchObject([{ first_name: 'Cid' }]);
  });

  it.each([
    'linkedin.com/in/ann-lee',
    'https://www.linkedin.com/pub/ann-lee/',
    'https://m.linkedin.com/in/ann-lee?utm_source=share',
    'https://de.linkedin.com/in/ann-lee/de',
    ' ann-lee ',
    'LinkedIn: https://www.linkedin.com/in/ann-lee/',
  ])('I8, V2: %j names a profile', async (text) => {
    const trial = createTrial([['Ann', '', '', '', text]]);
    const { uuid } = trial.addContact({ first_name: 'Ann', network: 'ann-lee' });
    expect(await trial.run()).toMatchObject({ counts: { created: 0, linked: 1 } });
    expect(trial.grid()[0]).toMatchObject({ 'Contact ID': uuid });
  });

  it.each([
    ['ann@firm.io, ann@home.io', 'is not one e-mail address'],
    ['ann@firm.io; ann@home.io', 'is not one e-mail address'],
    ['ann@firm.io\nann@home.io', 'is not one e-mail address'],
    ['Ann Lee <ann@firm.io>', 'is not one e-mail address'],
    ['mailto:ann@firm.io', 'is not one e-mail address'],
    ['\u200Bann@firm.io', 'has a character that is not shown: type it anew'],
  ])('L8, I8: a row with %j waits, and no second contact is made of somebody who is there', async (text, why) => {
    const trial = createTrial([['Ann', '', '', text, '']]);
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'waiting', row: 2 }]);
    expect(problems[0]!.reason).toContain(why);
    expect(trial.contacts()).toHaveLength(1);
    trial.person.paste(`'${tabTitle}'!D2`, [['ann@firm.io']]);
    await trial.run();
    expect(trial.contacts()).toHaveLength(1);
  });

  it.each([' ANN@firm.io\u00A0', 'ann+list@firm.io', "o'ann@firm.io", 'änn@firm.io', 'ann@intranet'])(
    'V2: %j is one address',
    async (text) => {
      const trial = createTrial([['Ann', '', '', text, '']]);
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
    },
  );
});

describe('I8, L1: such a text does not replace the address of a contact', () => {
  const people = ['ann', 'bob', 'cid', 'dot', 'eve', 'fay'];
  const createLinked = async () => {
    const trial = createTrial(people.map((name) => [name, 'Lee', '', `${name}@firm.io`, '']));
    await trial.run();
    return trial;
  };
  const addressOf = (trial: Awaited<ReturnType<typeof createLinked>>, name: string) =>
    trial.contacts().find(({ first_name: first }) => first === name)?.work_email;

  it.each(['=HYPERLINK("mailto:bob@firm.io","Bob")', ...nobody])('I8: %s is held, with what ends it', async (text) => {
    const trial = await createLinked();
    trial.person.type(`'${tabTitle}'!D3`, text);
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'held', rule: 'I8', row: 3, field: 'email' }]);
    expect(problems[0]!.reason).toContain('is not one e-mail address, and does not replace that of the contact');
    expect(addressOf(trial, 'bob')).toBe('bob@firm.io');
    trial.person.type(`'${tabTitle}'!D3`, 'bob@new.io');
    expect(await trial.run()).toMatchObject({ problems: [] });
    expect(addressOf(trial, 'bob')).toBe('bob@new.io');
  });

  it('M3, I8: a cell that is cleared empties the contact, and a placeholder is a value like others', async () => {
    const trial = await createLinked();
    trial.person.clear(`'${tabTitle}'!D3`);
    trial.person.type(`'${tabTitle}'!D4`, 'cid@example.com');
    expect(await trial.run()).toMatchObject({ problems: [] });
    expect(['bob', 'cid'].map((name) => addressOf(trial, name))).toEqual([null, 'cid@example.com']);
  });
});
