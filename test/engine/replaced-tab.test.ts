// A tab that a person deleted, and whose name a copy of it got (G1).
import { expect, it } from 'vitest';
import { createSyncTrial, tabTitle } from '../support/app.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];

it('G1: another tab of the same name is told apart, with what to do', async () => {
  const trial = createSyncTrial({ values: [header, ['Ann', 'Lee', 'Firm', 'ann@firm.io', '']] });
  await trial.run();
  trial.person.request({ duplicateSheet: { sourceSheetId: 7, newSheetName: 'Copy', newSheetId: 99 } });
  trial.person.request({ deleteSheet: { sheetId: 7 } });
  expect((await trial.run()).error).toMatch(/has no tab "Prospects" \(gid 7\); it has Copy$/);
  trial.person.renameTab('Copy', tabTitle);
  const { status, error } = await trial.run();
  expect(status).toBe('failed');
  expect(error).toContain('another tab has that name now');
  expect(error).toContain('give the sync a new name');
});
