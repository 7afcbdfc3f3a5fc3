// The workers, as the command and the page show them: on files, and over PostgreSQL.
import { describe, expect, test, onTestFinished } from 'vitest';
import { writeWorker } from '../../../src/daemon/queue/postgres/workers.ts';
import { workersAnswer } from '../../../src/operator/answers/workers.ts';
import { launchBrowser } from '../../support/browser.ts';
import { hasBrowser } from '../../support/has-browser.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';
import { openDatabase, servePostgres } from '../../support/postgres.ts';
import { checkLook, looks, type Look } from './looks.ts';
import { browsing, password } from './support.ts';

const postgres = servePostgres();
const file = { server: { listen: '127.0.0.1:0', password, console: 'read' } };

test('on files one process runs all jobs, and both say so', async () => {
  const trial = createDaemonTrial({ file });
  const { url } = await trial.begin();
  expect(await browsing(url!).page('/workers')).toContain('The state is on files: this process runs all jobs.');
  const text = 'The state is on files: one process runs all jobs. See: leadsheet status\n';
  expect(await trial.cli('workers')).toMatchObject({ code: 0, stdout: text });
  const { stdout } = await trial.cli('workers', '--json');
  expect(workersAnswer.parse(JSON.parse(stdout))).toEqual({ shared: false, workers: [] });
});

describe('over PostgreSQL', () => {
  test('before any worker ran, the command says how to start one', async () => {
    const trial = createDaemonTrial({ file, state: await postgres().createDatabase() });
    const text = 'No worker has run on this database yet. Start one: leadsheet run\n';
    expect(await trial.cli('workers')).toMatchObject({ code: 0, stdout: text });
  });

  test('one lives, one runs a job, one is gone; names of others are texts alone', async () => {
    const address = await postgres().createDatabase();
    const trial = createDaemonTrial({ file, state: address });
    const { url } = await trial.begin();
    await until(() => trial.said('run ended').length > 0);
    const database = openDatabase(address);
    onTestFinished(() => database.end());
    const since = new Date().toISOString();
    const other = { host: 'there', pid: 7, version: '1.2.3', state: 'running' } as const;
    await writeWorker(database, { ...other, id: 'there-7', runs: [{ job: 'prospects', since }] });
    await writeWorker(database, { ...other, id: '<b>gone\u001b[31m', runs: [] });
    await database.query(
      `UPDATE ${database.schema}_queue.workers SET seen_at = seen_at - interval '1 minute' WHERE id LIKE '<b>%'`,
      [],
    );

    const { workers } = workersAnswer.parse(JSON.parse((await trial.cli('workers', '--json')).stdout));
    const told = new Map(workers.map((worker) => [worker.id, worker]));
    expect(workers).toHaveLength(3);
    expect(told.get('there-7')).toMatchObject({ state: 'running', runs: [{ job: 'prospects' }] });
    expect(workers.at(-1)).toMatchObject({ id: '<b>gone\u001b[31m', state: 'gone' });
    const { code, stdout } = await trial.cli('workers');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^there-7 +running +last seen \S+ +1\.2\.3 +runs prospects$/m);
    expect(stdout).toMatch(/gone.* gone +last seen \S+ +1\.2\.3 +runs nothing$/m);
    expect(stdout).not.toContain('\u001b');

    const shown = await browsing(url!).page('/workers');
    expect(shown).toMatch(/<th scope="row">there-7<\/th>\s*<td><span class="state busy">running<\/span><\/td>/);
    expect(shown).toContain('<a class="place" href="/jobs/prospects">prospects</a>');
    expect(shown).toMatch(/<th scope="row">&lt;b&gt;gone[^<]*<\/th>\s*<td><span class="state bad">gone<\/span><\/td>/);
    expect(shown).not.toContain('<b>gone');
    expect((await browsing(url!, false).get('/workers')).status).not.toBe(200);

    if (!hasBrowser) return;
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
    const context = await browser.newContext({
      extraHTTPHeaders: { authorization: `Basic ${btoa(`anybody:${password}`)}` },
      locale: 'en-GB',
    });
    const page = await context.newPage();
    await page.goto(`${url}/workers`);
    expect(await page.locator('tbody tr').count()).toBe(3);
    for (const look of Object.keys(looks) as Look[]) await checkLook(page, '/workers', look);
  });
});
