import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { launchBrowser } from '../../support/browser.ts';
import { hasBrowser } from '../../support/has-browser.ts';
import { until } from '../../support/daemon.ts';
import { beginConsole, logIn } from './deciding.ts';
import { checkLook, type Look, useLook } from './looks.ts';

/* A person decides in a browser, over the daemon and both stand-ins, with and without script. */

// The browser is a package that holds a Linux binary.
describe.runIf(hasBrowser)('a person decides, in a browser', () => {
  test('a conflict is seen and one value kept; of several ticked one changed meanwhile; a cell is explained; a run is taken back', async () => {
    const { trial, url, nextRun, untilShown } = await beginSync({ conflict: 'manual' }, ['Ann', 'Bob', 'Cyd', 'Dan']);
    for (const name of ['Ann', 'Bob', 'Cyd']) disagree(trial, name, `${name} Freight`, `${name} Ltd`);
    await until(() => trial.said('run ended').some(({ counts }) => (counts as { conflicts?: number }).conflicts === 3));
    const { page, faults } = await open(url);
    await page.goto(`${url}/conflicts`);
    await checkLooks(page, 'conflicts', 'phone');
    await page.getByRole('button', { name: 'Keep "Ann Freight" (service)' }).click();
    await page.getByText('The next run carries it out.').first().waitFor();
    await until(() => trial.rowOf('ann@firm.io')['Company'] === 'Ann Freight');
    await untilShown('/conflicts', 'carried out by run');
    await page.goto(`${url}/conflicts`);

    for (const name of ['Bob', 'Cyd'])
      await page.getByLabel(`${name} <${name.toLowerCase()}@firm.io>, company_name`).check();
    expect(await page.getByRole('button', { name: 'Keep the sheet’s value for the 2 ticked' }).count()).toBe(1);
    disagree(trial, 'Cyd', 'Cyd Later', 'Cyd Ltd');
    await nextRun();
    // The page follows: what is another conflict by now loses its tick, and cannot be decided unseen.
    await page.getByText('1 ticked row is different now, and no longer ticked.').waitFor();
    expect(await page.getByRole('button', { name: 'Keep the sheet’s value for the 1 ticked' }).count()).toBe(1);
    expect(trial.contactOf('bob@firm.io').company_name).toBe('Bob Freight');
    await checkLooks(page, 'changed', 'desktop');
    await page.getByRole('button', { name: 'Keep the sheet’s value for the 1 ticked' }).click();
    await until(() => trial.contactOf('bob@firm.io').company_name === 'Bob Ltd');
    expect(trial.contactOf('cyd@firm.io').company_name).toBe('Cyd Later');

    const row = trial.rowNumberOf('bob@firm.io');
    await page.goto(`${url}/records?of=${encodeURIComponent(`Prospects!C${row}`)}`);
    await page.getByText('resolved by hand').first().waitFor();
    await checkLooks(page, 'record', 'phone');

    trial.type('dan@firm.io', 'Company', 'Wrong Ltd');
    await until(() => trial.contactOf('dan@firm.io').company_name === 'Wrong Ltd');
    await nextRun();
    await page.goto(`${url}/records?of=dan@firm.io`);
    const changed = page.getByRole('row').filter({ hasText: 'Wrong Ltd' }).filter({ hasText: 'service: change' });
    await changed.getByRole('link').first().click();
    await page.getByRole('link', { name: 'Take this run back' }).click();
    await page.getByRole('button', { name: 'Plan the undo' }).click();
    await page.getByRole('heading', { name: 'Put back', exact: true }).waitFor();
    await checkLooks(page, 'undo', 'phone');
    await page.getByRole('button', { name: /^Take back \d/ }).click();
    await page.getByText('as ann decided').or(page.getByText('as console decided')).first().waitFor();
    expect(trial.contactOf('dan@firm.io').company_name).toBe('Firm');
    expect(faults).toEqual([]);
  });

  test('G6: a mass deletion is held, half of it ticked and approved, without script', async () => {
    const names = ['Ann', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay'];
    const { trial, url, nextRun } = await beginSync(
      { on_row_deleted: 'delete_contact', limits: { deletes: '20%' } },
      names,
    );
    const gone = trial
      .grid()
      .slice(0, 4)
      .map((row) => String(row['First name']));
    trial.person.deleteRows('Prospects', 2, 4);
    await until(() => trial.said('run ended').some(({ status }) => status === 'held'));
    const { page } = await open(url, { javaScriptEnabled: false });
    await page.goto(url);
    await page.getByRole('link', { name: 'see and decide' }).click();
    await page.getByText('4 deletions are more than the limit').waitFor();
    for (const name of gone.slice(0, 2)) await page.getByLabel(`${name} <${name.toLowerCase()}@firm.io>`).check();
    await page.getByRole('button', { name: 'Approve the ticked records; the rest stays held' }).click();
    await page.getByText(`${gone[0]} <${gone[0]!.toLowerCase()}@firm.io>: delete the contact`).waitFor();
    expect(trial.contacts()).toHaveLength(6);
    await page.getByRole('button', { name: 'Approve 2 records' }).click();
    await page.getByText('The next run carries it out').first().waitFor();
    await until(() => trial.contacts().length === 4);
    await nextRun();
    const left = trial.contacts().map(({ first_name: name }) => name);
    expect(left).toEqual(names.filter((name) => !gone.slice(0, 2).includes(name)));
    const script = await open(url);
    await script.page.goto(`${url}/jobs/prospects/held`);
    await checkLooks(script.page, 'held', 'desktop');
    await script.page.getByLabel(new RegExp(`^${gone[2]}`)).check();
    expect(await script.page.getByRole('button', { name: 'Approve the 1 ticked records' }).count()).toBe(1);
    expect(script.faults).toEqual([]);
  });

  test('P3: a message of unknown outcome is sent again once the name of the recipient is typed', async () => {
    const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' };
    const trial = await beginConsole({
      values: [['To', 'From', 'Text', 'Send']],
      outbox: { messages: { resource: 'network_messages', columns, schedule: '* * * * * *', settle_secs: 0 } },
    });
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    trial.service.model.senderProfiles.add({ first_name: 'Max', last_name: 'Muster', label: 'Sales' });
    const { url, untilShown } = await trial.start();
    trial.service.faults.inject({ kind: 'lost', operation: 'network-messages.send', when: 'before' });
    trial.person.paste("'Prospects'!A2", [['ann@firm.io', 'Sales', 'Hello', 'yes']]);
    await untilShown('/problems', 'outcome unknown');
    const sent = () => [...trial.service.model.inbox.messages.all()].filter(({ type }) => type === 'outbox').length;
    const { page } = await open(url);
    await page.goto(`${url}/problems`);
    await page.getByText('Send it again', { exact: true }).click();
    await checkLooks(page, 'problems', 'phone');
    await page.getByLabel(/Type the name Ann/).fill('bob');
    await page.getByRole('button', { name: 'I looked, send again to Ann' }).click();
    await page.getByText('the name that was typed is not Ann').waitFor();
    expect(sent()).toBe(0);
    await page.getByText('Send it again', { exact: true }).click();
    await page.getByLabel(/Type the name Ann/).fill(' ann ');
    await page.getByRole('button', { name: 'I looked, send again to Ann' }).click();
    await page.getByText('The next run carries it out').first().waitFor();
    await until(() => sent() === 1);
  });
});

type Trial = Awaited<ReturnType<typeof beginConsole>>;

async function beginSync(sync: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const trial = await beginConsole({ sync });
  for (const name of names) {
    trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io`, company_name: 'Firm' });
  }
  const { url, nextRun, untilShown } = await trial.start();
  await until(() => trial.grid().length === names.length);
  await nextRun();
  return { trial, url, nextRun, untilShown };
}

function disagree(trial: Trial, name: string, service: string, sheet: string): void {
  trial.change(`${name.toLowerCase()}@firm.io`, { company_name: service });
  trial.type(`${name.toLowerCase()}@firm.io`, 'Company', sheet);
}

/** A browser for each person: in this one, which is one process, event streams of all contexts send the cookies of the first. */
async function open(url: string, options: BrowserContextOptions = {}) {
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ baseURL: url, ...options });
  await context.addCookies([{ ...(await logIn(url)), url }]);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) =>
    message.type() === 'error' ? faults.push(`${message.text()} ${message.location().url}`) : undefined,
  );
  return { page, faults };
}

type Page = Awaited<ReturnType<typeof open>>['page'];

/** Axe finds nothing, and the page is no wider than the screen. `SHOTS` names a folder for pictures. */
async function checkLooks(page: Page, name: string, look: Look): Promise<void> {
  await checkLook(page, name, look);
  const { SHOTS: folder } = process.env;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${look}.png`, fullPage: true });
  await useLook(page, 'desktop');
}
