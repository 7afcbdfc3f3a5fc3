// The first page says what of the configuration does not run.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createAgencyTrial } from '../../support/agency.ts';
import { until } from '../../support/daemon.ts';
import { browsing, password } from './support.ts';

const heading = 'aria-label="Configuration"';

test('a broken account and a broken job under a running daemon are named on /, until the file is correct again', async () => {
  const server = { listen: '127.0.0.1:0', password, console: 'read' };
  const trial = createAgencyTrial({ file: { server } });
  trial.edit((file) => ({
    ...file,
    syncs: {
      ...file.syncs,
      wrong: { ...file.syncs['prospects'], sheet: { spreadsheet: '1AbCdEfGhIj', tab: 'X' }, settle_secs: '<b>soon' },
    },
    accounts: { ...file.accounts, beta: { ...file.accounts['beta']!, google: {} } },
  }));
  trial.addContact({ first_name: 'Ann', email: 'ann@acme.io' });
  const { url, reload } = await trial.begin();
  await until(() => trial.grid().length === 1);
  const { get, page } = browsing(url!);
  const told = await page('/');
  // The list of problems has the same, also where no record has one.
  const problems = await page('/problems');
  for (const words of [heading, '<strong>beta</strong> is left out', '<strong>wrong</strong> is left out'])
    expect(problems).toContain(words);
  expect(problems).toMatch(/runs again once its fault is corrected in the file and <code>leadsheet reload<\/code>/);
  expect(await page('/problems?kind=conflict')).not.toContain(heading);
  // Its own address says why, too.
  for (const path of ['/jobs/wrong', '/runs?job=wrong', '/problems?job=wrong']) {
    const answer = await get(path);
    expect([path, answer.status, await answer.text()]).toEqual([path, 404, expect.stringContaining('settle_secs')]);
  }
  expect(told).toContain(heading);
  expect(told).toMatch(
    /account\s+<strong>beta<\/strong> is left out: .*accounts\.beta\.google.* 1 of its jobs does not run/,
  );
  expect(told).toMatch(/job\s+<strong>wrong<\/strong> is left out: .*settle_secs.*&lt;b&gt;soon/);
  expect(told).not.toContain('<b>soon');
  expect(told).toContain('leadsheet reload');

  // A file that cannot be taken up leaves what runs in force, and the page says so.
  const broken = readFileSync(trial.configFile, 'utf8');
  trial.write('leadsheet.yaml', 'syncs: [\n');
  expect(await reload()).toMatchObject({ outcome: 'refused' });
  const refused = await page('/');
  expect(refused).toContain('The changed file was not taken up');
  expect(refused).toMatch(/<strong>beta<\/strong> is left out/);

  trial.write('leadsheet.yaml', broken);
  trial.edit(({ syncs: { wrong: _wrong, ...syncs }, accounts: { acme, beta }, ...file }) => ({
    ...file,
    syncs,
    accounts: { acme: acme!, beta: { ...beta!, google: acme!.google } },
  }));
  expect(await reload()).toMatchObject({ outcome: 'taken up', left_out: [] });
  expect(await page('/')).not.toContain(heading);
  expect(await page('/problems')).not.toContain(heading);
});
