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

it('G1: check names a tab that has the name of the one in which the sync works, and nothing once the name is back', async () => {
  const trial = createSyncTrial({ values: [header, ['Ann', 'Lee', 'Firm', 'ann@firm.io', '']] });
  await trial.run();
  trial.person.request({ duplicateSheet: { sourceSheetId: 7, newSheetName: 'Copy', newSheetId: 99 } });
  trial.person.renameTab(tabTitle, 'Old');
  trial.person.renameTab('Copy', tabTitle);
  const replaced = await trial.cli('check');
  expect(replaced.stdout).toContain(`prospects works in the tab gid:7, and "${tabTitle}" is another one (gid:99)`);
  expect(replaced.code).not.toBe(0);
  trial.person.renameTab(tabTitle, 'Copy');
  trial.person.renameTab('Old', tabTitle);
  expect(await trial.cli('check')).toMatchObject({ code: 0, stdout: expect.stringContaining('all is well') });
});
