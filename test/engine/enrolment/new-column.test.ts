// A column that becomes the one of wishes in a sync that is in use: its words may have stood there for long (E6).
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createEnrolmentTrial, later, startWithoutAutomation } from './support.ts';

const emails = Array.from({ length: 8 }, (_, index) => `p${index}@firm.io`);
const held = 'held: the state or the column is new, approve it once';

/** Eight contacts in a sync that has no automations yet. Returns what gives it the column. */
async function withoutWishes(more: Parameters<typeof createEnrolmentTrial>[0] = {}) {
  const trial = createEnrolmentTrial(more);
  const addColumn = await startWithoutAutomation(trial);
  await trial.linked(...emails);
  return { ...trial, addColumn };
}

describe('E6: a new column of wishes', () => {
  it('whose words stood there before: nobody is enrolled until they are approved, once', async () => {
    const trial = await withoutWishes();
    for (const email of emails.slice(0, 3)) trial.type(email, 'Automation', 'Welcome');
    await trial.run();
    await trial.addColumn();
    for (const isFull of [false, true]) {
      const report = await trial.run({ isFull });
      expect(report).toMatchObject({ status: 'partial', planned: { enrolments: 3 }, counts: { held: 3 } });
    }
    expect(emails.map(trial.resultOf)).toEqual([held, held, held, '', '', '', '', '']);
    expect(await trial.cli('status')).toMatchObject({
      stdout: expect.stringContaining('3 wishes of contacts that were there before the state or the column'),
    });
    // One that is typed meanwhile waits as well, and needs another approval: this one names three.
    expect(await trial.cli('approve', 'prospects', '--yes')).toMatchObject({ code: 0 });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { enrolled: 3 } });
    trial.type(emails[5]!, 'Automation', 'Welcome');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { enrolled: 1 } });
    expect(trial.enrolled()).toHaveLength(4);
  });

  it('without words: what is typed from then on needs no approval, nor does a new row of that run', async () => {
    const trial = await withoutWishes();
    await trial.addColumn();
    trial.person.paste(`'Prospects'!A10`, [['new', '', '', 'new@firm.io', '', 'Welcome']]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 1, enrolled: 1 } });
    trial.type(emails[0]!, 'Automation', 'Welcome');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { enrolled: 1 } });
  });

  it('W10: in the daemon, too', async () => {
    const trial = await withoutWishes({ sync: { settle_secs: 10 } });
    trial.type(emails[0]!, 'Automation', 'Welcome');
    await trial.run();
    await trial.addColumn();
    for (let run = 0; run < 3; run += 1) {
      await trial.run({ isAsked: false });
      await later(11_000);
    }
    expect(trial.resultOf(emails[0]!)).toBe(held);
    expect(trial.enrolled()).toEqual([]);
  });

  it('that takes the place of another one: what was carried out is known, and other words wait', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked(...emails);
    trial.type(emails[0]!, 'Automation', 'Welcome');
    await trial.run();
    const addColumn = await startWithoutAutomation(trial);
    await trial.run();
    trial.person.paste(`'Prospects'!J1`, [['Sequence'], ...emails.map(() => ['Welcome'])]);
    await addColumn();
    const text = readFileSync(trial.configFile, 'utf8');
    writeFileSync(trial.configFile, text.replace('column: Automation', 'column: Sequence'));
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'partial', planned: { enrolments: 7 }, counts: { enrolled: 0 } });
    expect(trial.enrolled()).toEqual(['p0@firm.io Welcome active']);
  });
});
