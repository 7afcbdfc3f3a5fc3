// Answers that show another value than was sent (M5): a stored form of it, or another person's edit.
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle, type TrialOptions } from '../support/app.ts';

const columns = { 'First name': 'first_name', Company: 'company_name', Email: 'email', Status: 'status' };
const annRow = ['Ann', 'Firm', 'ann@firm.io', ''];

type Policy = 'manual' | 'crm' | 'sheet' | 'newest';

/** Ann is typed into a row; while she is being created, a person creates the same contact in the service. */
async function madeMeanwhile(conflict: Policy, theirs: Readonly<Record<string, string>>, ageMs = 0) {
  const trial = createSyncTrial({ columns, sync: { conflict } });
  await trial.run();
  trial.person.paste(`'${tabTitle}'!A2`, [annRow]);
  let isMade = false;
  trial.atEachInstant(async (what) => {
    if (isMade || typeof what === 'string' || !what.url.endsWith('/leads/upsert')) return;
    isMade = true;
    trial.addContact({ email: 'ann@firm.io', ...theirs });
    if (ageMs > 0) await new Promise((resolve) => setTimeout(resolve, ageMs));
  });
  await trial.run();
  expect(isMade).toBe(true);
  return trial;
}

/** After a sync: the service, or a person in it, changes every written company by `of` before it answers. */
async function withCompanies(conflict: Policy, of: (sent: string) => string | undefined) {
  const around: TrialOptions['around'] = async (request, next) => {
    const sent =
      request.method === 'PUT' ? ((await request.clone().json()) as { company_name?: string }).company_name : undefined;
    const stored = sent === undefined ? undefined : of(sent);
    const answer = await next(request);
    if (stored === undefined) return answer;
    trial.change('ann@firm.io', { company_name: stored });
    return next(new Request(request.url, { headers: request.headers }));
  };
  const trial = createSyncTrial({ columns, sync: { conflict }, around });
  trial.addContact({ first_name: 'Ann', company_name: 'Firm', email: 'ann@firm.io' });
  await trial.run();
  return trial;
}

/** The service answers with this value once. */
function once(theirs: string): (sent: string) => string | undefined {
  let isAnswered = false;
  return () => {
    if (isAnswered) return undefined;
    isAnswered = true;
    return theirs;
  };
}

describe('M5, L1: a contact that a person creates between the lookup and the create', () => {
  it.each<[Policy, string, string]>([
    ['crm', 'Annabel', 'Annabel'],
    ['sheet', 'Ann', 'Ann'],
  ])('M5, M1: under conflict: %s both sides become %s', async (conflict, inCrm, inSheet) => {
    const trial = await madeMeanwhile(conflict, { first_name: 'Annabel' });
    await trial.run();
    expect(trial.contactOf('ann@firm.io').first_name).toBe(inCrm);
    expect(trial.rowOf('ann@firm.io')['First name']).toBe(inSheet);
    const line = (await trial.history()).find(({ field, before }) => field === 'first_name' && before !== null);
    expect(line).toMatchObject({ before: inCrm === 'Ann' ? 'Annabel' : 'Ann', rule: 'M1', outcome: 'done' });
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
  });

  it.each<[Policy, number]>([
    ['manual', 0],
    ['manual', 3_000],
    ['newest', 0],
  ])('M5, M1: under conflict: %s, %i ms later, a person is asked', async (conflict, ageMs) => {
    const trial = await madeMeanwhile(conflict, { first_name: 'Annabel' }, ageMs);
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { conflicts: 1, created: 0 } });
    expect(trial.contactOf('ann@firm.io').first_name).toBe('Annabel');
    expect(trial.rowOf('ann@firm.io')).toMatchObject({ 'First name': 'Ann', Company: 'Firm' });
    // Fields that the other contact lacks are filled.
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Firm');
  });

  it('M5, L12: such a contact is not told as created here', async () => {
    const trial = await madeMeanwhile('manual', { first_name: 'Annabel' });
    const creates = (await trial.history()).filter(({ op }) => op === 'create');
    expect(creates.map(({ outcome }) => outcome)).toEqual(creates.map(() => 'moved'));
  });
});

describe('M5, L1: a contact that a person edits in the moment of a write', () => {
  it.each<[Policy, string, string]>([
    ['crm', 'Annex', 'Annex'],
    ['sheet', 'Atelier', 'Atelier'],
  ])(
    'M5, M1: under conflict: %s both sides become %s, and the history has the other',
    async (conflict, inCrm, both) => {
      const trial = await withCompanies(conflict, once('Annex'));
      trial.type('ann@firm.io', 'Company', 'Atelier');
      await trial.run();
      await trial.run();
      expect([trial.contactOf('ann@firm.io').company_name, trial.rowOf('ann@firm.io')['Company']]).toEqual([
        inCrm,
        both,
      ]);
      const loser = both === 'Annex' ? 'Atelier' : 'Annex';
      expect(await trial.history()).toContainEqual(
        expect.objectContaining({ field: 'company_name', before: loser, after: both, rule: 'M1', outcome: 'done' }),
      );
      expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
    },
  );

  it('M5, L12: the run that was answered so says that it is planned again', async () => {
    const trial = await withCompanies('sheet', once('Annex'));
    trial.type('ann@firm.io', 'Company', 'Atelier');
    expect(await trial.run()).toMatchObject({
      counts: { waiting: 1 },
      problems: [{ kind: 'waiting', rule: 'M5', field: 'company_name' }],
    });
  });

  it.each<Policy>(['manual', 'newest'])(
    'M5, M1: under conflict: %s a person is asked, and both stay',
    async (conflict) => {
      const trial = await withCompanies(conflict, once('Annex'));
      trial.type('ann@firm.io', 'Company', 'Atelier');
      for (let run = 0; run < 3; run += 1) {
        expect(await trial.run({ isFull: run === 2 })).toMatchObject({ status: 'partial', counts: { conflicts: 1 } });
      }
      expect(trial.contactOf('ann@firm.io').company_name).toBe('Annex');
      expect(trial.rowOf('ann@firm.io')['Company']).toBe('Atelier');
    },
  );

  it('M5, M2: a value beats a blank that was written meanwhile, and is sent again', async () => {
    const trial = await withCompanies('manual', once(''));
    trial.type('ann@firm.io', 'Company', 'Atelier');
    await trial.run();
    await trial.run();
    expect(trial.contactOf('ann@firm.io').company_name).toBe('Atelier');
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('Atelier');
  });

  it('M5, M2: under conflict: sheet an emptied cell empties the field, also over an edit in that moment', async () => {
    const trial = await withCompanies('sheet', once('Annex'));
    trial.type('ann@firm.io', 'Company', '');
    await trial.run();
    await trial.run();
    expect(trial.contactOf('ann@firm.io').company_name ?? '').toBe('');
    expect(trial.rowOf('ann@firm.io')['Company'] ?? '').toBe('');
  });
});

describe('M5: a service that stores other values for reasons of its own', () => {
  it('M5: a form is set in the cell by the same run, and nothing more is sent', async () => {
    const trial = await withCompanies('manual', (sent) => sent.toUpperCase());
    trial.type('ann@firm.io', 'Company', 'Atelier  Ann');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1, set: 1 } });
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('ATELIER  ANN');
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
  });

  it.each([
    ['another value', () => 'Company 4711'],
    ['another value each time', counted()],
  ])('M5, M6: %s, where the sheet wins: three calls, then it is parked', async (_, of) => {
    const trial = await withCompanies('sheet', of);
    trial.type('ann@firm.io', 'Company', 'Atelier');
    for (let run = 0; run < 6; run += 1) await trial.run({ isFull: run === 5 });
    expect(trial.crmCalls('contacts.update')).toHaveLength(3);
    expect(await trial.run()).toMatchObject({ problems: [{ kind: 'parked', rule: 'M6' }] });
    expect(trial.rowOf('ann@firm.io')['Company']).toBe('Atelier');
    // It stays so until a side changes.
    trial.change('ann@firm.io', { company_name: 'Atelier' });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
  });

  it('M5, M1: another value in each answer, and a person who decides: one call, and the person is asked again', async () => {
    const trial = await withCompanies('manual', counted());
    trial.type('ann@firm.io', 'Company', 'Atelier');
    await trial.run();
    const { uuid } = trial.contactOf('ann@firm.io');
    await trial.cli('resolve', `${uuid}/company_name`, '--use', 'sheet');
    for (let run = 0; run < 4; run += 1) {
      expect(await trial.run()).toMatchObject({ status: 'partial', problems: [{ kind: 'conflict', rule: 'M1' }] });
    }
    expect(trial.crmCalls('contacts.update')).toHaveLength(2);
  });
});

function counted(): () => string {
  let count = 0;
  return () => `Company ${(count += 1)}`;
}
