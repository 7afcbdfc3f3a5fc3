// People restore an earlier version of the spreadsheet: every cell is as it was then, the ID and what leadsheet wrote included.
import { describe, expect, it } from 'vitest';
import { spreadsheetId, tabTitle } from '../support/app.ts';
import { restoreTab } from '../support/earlier-version.ts';
import { createEnrolmentTrial } from './enrolment/support.ts';
import { createOutboxTrial } from './outbox/support.ts';

type Trial = Pick<ReturnType<typeof createEnrolmentTrial>, 'sheets'>;

/** Keeps the version of now; the answer restores it. */
function keepVersion({ sheets }: Trial): () => void {
  const file = sheets.model.get(spreadsheetId)!;
  const then = file.content;
  return () => restoreTab(file, then, tabTitle);
}

describe('an earlier version of the tab of contacts', () => {
  it.each(['ignore', 'cancel'])(
    'E1, L8: a wish from before it was carried out enrols nobody again, with on_clear: %s',
    async (onClear) => {
      const trial = createEnrolmentTrial({ automation: { on_clear: onClear } });
      await trial.linked('ann@firm.io', 'bob@firm.io');
      trial.type('ann@firm.io', 'Automation', 'Welcome');
      const restore = keepVersion(trial);
      expect(await trial.run()).toMatchObject({ counts: { enrolled: 1 } });
      restore();
      expect(trial.resultOf('ann@firm.io')).toBe('');
      for (const isFull of [false, true])
        expect(await trial.run({ isFull })).toMatchObject({ status: 'succeeded', counts: { enrolled: 0 } });
      expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
      expect(trial.callsOf('automations.add-contact')).toBe(1);
      expect(trial.resultOf('ann@firm.io')).toBe('enrolled 2026-11-21 in Welcome');
    },
  );

  it('E5: a wish that was taken back since then enrols nobody again, and its row says how', async () => {
    const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    const restore = keepVersion(trial);
    trial.type('ann@firm.io', 'Automation', '');
    expect(await trial.run()).toMatchObject({ counts: { cancelled: 1 } });
    restore();
    expect(await trial.run()).toMatchObject({ counts: { enrolled: 0, held: 1 } });
    expect(trial.callsOf('automations.add-contact')).toBe(1);
    expect(trial.resultOf('ann@firm.io')).toContain('wished for again, only retry enrols again');
  });

  it('L1, D1, L7: values of then go back, and rows that are gone with it cost no contact and no other row', async () => {
    const trial = createEnrolmentTrial();
    await trial.linked('ann@firm.io');
    const restore = keepVersion(trial);
    trial.type('ann@firm.io', 'Company', 'New Ltd');
    await trial.linked('bob@firm.io');
    expect(trial.contacts().map(({ company_name: company }) => company)).toContain('New Ltd');
    restore();
    expect(await trial.run()).toMatchObject({ counts: { updated: 1, deleted: 0, ignored: 1 } });
    expect(trial.contacts()).toHaveLength(2);
    expect(trial.contacts().map(({ company_name: company }) => company)).not.toContain('New Ltd');
    expect(await trial.run({ isFull: true })).toMatchObject({ counts: { updated: 0, appended: 0, created: 0 } });
  });
});

it('P2, L8: a message that an earlier version of the outbox shows as unsent is not sent again, and says so', async () => {
  const trial = createOutboxTrial();
  await trial.ready(['ann@firm.io', 'Sales', 'Hi Ann', 'yes']);
  const restore = keepVersion(trial);
  await trial.run();
  const sent = trial.rowWith('Hi Ann');
  restore();
  expect(trial.rowWith('Hi Ann')).not.toHaveProperty('Message');
  for (let again = 0; again < 3; again += 1) await trial.run();
  expect(trial.sent()).toEqual(['ann: Hi Ann']);
  expect(trial.rowWith('Hi Ann')).toEqual(sent);
});
