import { describe, expect, onTestFinished, test } from 'vitest';
import { spreadsheetId } from '../../support/app.ts';
import { launchBrowser } from '../../support/browser.ts';
import { hasBrowser } from '../../support/has-browser.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';
import { checkLook, looks, useLook } from './looks.ts';
import { everyPath } from './paths.ts';

/* The console in a browser: no violation of accessibility, no error of a script, and no page wider than a phone. */

const password = 'correct horse battery staple';
const login = { extraHTTPHeaders: { authorization: `Basic ${btoa(`ann:${password}`)}` } };
const longName = 'A'.repeat(300);
/** Every run after the first is one that the story asks for: a page that follows a run a second is drawn anew each time. */
const yearly = '0 0 1 1 *';

const eachLook = Object.keys(looks) as (keyof typeof looks)[];

async function begin() {
  const trial = createDaemonTrial({
    sync: { conflict: 'manual', schedule: yearly },
    file: { server: { listen: '127.0.0.1:0', password } },
  });
  trial.addContact({ first_name: longName, email: 'ann@firm.io', company_name: 'שלום עולם' });
  const { url, trigger } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  trial.change('ann@firm.io', { company_name: 'Service Ltd' });
  trial.type('ann@firm.io', 'Company', 'x '.repeat(5_000));
  await trigger('prospects');
  await until(() => trial.said('run ended').some(({ counts }) => (counts as { conflicts?: number }).conflicts === 1));
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  return { url, browser };
}

/** Forty columns, a held plan, a conflict, an enrolment and a message, on a server without a password. */
async function beginWide() {
  const fields = Array.from({ length: 36 }, (_, index) => `field_${index}`);
  const custom = fields.map((name) => [`A header that is not short, ${name}`, { custom_field: name }] as const);
  const trial = createDaemonTrial({
    // Further columns are made by the first run.
    values: [['First name', 'Company', 'Email', 'Automation']],
    sync: {
      conflict: 'manual',
      schedule: yearly,
      on_row_deleted: 'delete_contact',
      limits: { deletes: '10%' },
      automation: { column: 'Automation' },
      columns: { 'First name': 'first_name', Company: 'company_name', Email: 'email', ...Object.fromEntries(custom) },
    },
    file: {
      server: { listen: '127.0.0.1:0', console: 'write' },
      outbox: {
        notes: {
          resource: 'network_messages',
          spreadsheet: spreadsheetId,
          tab: 'Notes',
          columns: { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' },
          schedule: yearly,
          settle_secs: 0,
        },
      },
    },
  });
  trial.person.request({ addSheet: { properties: { title: 'Notes' } } });
  trial.person.paste("'Notes'!A1", [['To', 'From', 'Text', 'Send']]);
  const names = [longName, 'שלום', 'Cyd', 'Dan', 'Eve', 'Fay'];
  for (const [index, name] of names.entries()) {
    trial.addContact({ first_name: name, email: `p${index}@firm.io`, company_name: 'x '.repeat(4_000) });
  }
  trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  trial.service.model.senderProfiles.add({ first_name: 'Max', last_name: 'Muster', label: 'Sales' });
  const { url, trigger } = await trial.begin();
  await until(() => trial.grid().length === names.length);
  // Rows that a first run finds wait for an approval (P6).
  await until(() => trial.said('run ended', 'notes').length > 0);
  const counted = (what: string) => () =>
    trial.said('run ended').some(({ counts }) => (counts as Record<string, number>)[what] === 1);
  const runUntil = async (job: string, isDone: () => boolean) => {
    while (!isDone()) {
      const ended = trial.said('run ended', job).length;
      await trigger(job);
      await until(() => trial.said('run ended', job).length > ended);
    }
  };
  trial.type('p2@firm.io', 'Automation', 'Welcome');
  trial.person.paste("'Notes'!A2", [['p3@firm.io', 'Sales', 'Hello', 'yes']]);
  await runUntil('prospects', counted('enrolled'));
  await runUntil('notes', counted('sent'));
  trial.change('p4@firm.io', { company_name: 'Service Ltd' });
  trial.type('p4@firm.io', 'Company', 'y '.repeat(4_000));
  await runUntil('prospects', counted('conflicts'));
  trial.person.deleteRows('Prospects', 2, 3);
  await runUntil('prospects', () => trial.said('run ended').some(({ status }) => status === 'held'));
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  return { ...trial, url: url!, browser };
}

// The browser is a package that holds a Linux binary.
describe.runIf(hasBrowser)('the console, in a browser', () => {
  test('axe finds nothing on any page, light and dark, on a desktop and on a phone', { timeout: 400_000 }, async () => {
    const { url, browser } = await begin();
    const context = await browser.newContext({ ...login, locale: 'en-GB' });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      // In this story nothing is held, and nothing can be taken back: these pages say so, with 404.
      const isExpected = /\/(?:held|undo)$/.test(message.location().url);
      if (message.type() === 'error' && !isExpected) faults.push(`${page.url()}: ${message.text()}`);
    });
    await page.goto(`${url}/runs`);
    const run = await page.getAttribute('tbody th a', 'href');
    const named = { job: 'prospects', run: run!.slice('/runs/'.length), record: 'ann@firm.io' };
    for (const path of ['/login', ...everyPath(named)]) {
      await page.goto(url + path);
      for (const look of eachLook) await checkLook(page, path, look);
    }
    expect(faults).toEqual([]);
  });

  test(
    'a link of leadsheet console logs in with one button; forty columns, a held plan and full ledgers fit a phone',
    { timeout: 240_000 },
    async () => {
      const { url, browser, cli } = await beginWide();
      const page = await browser.newPage({ locale: 'en-GB', viewport: { width: 375, height: 700 } });
      const { stdout } = await cli('console');
      const [link = ''] = /^http\S+/m.exec(stdout) ?? [];
      const asked: string[] = [];
      page.on('request', (request) => asked.push(`${request.url()} ${request.headers()['referer'] ?? ''}`));
      await page.goto(link);
      // The code leaves the address at once, and no server was told of it.
      await page.waitForFunction('location.hash === "" && document.activeElement.type === "submit"');
      expect(asked.join('\n')).not.toContain(link.split('#')[1]);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${url}/`);
      expect(await page.textContent('.person span')).toBe('ann');
      const paths = [
        '/jobs/prospects/held',
        '/conflicts',
        '/enrolments',
        '/outbox',
        '/audit',
        '/audit/logins',
        '/records?of=p4@firm.io',
      ];
      for (const path of paths) {
        await page.goto(url + path);
        await checkLook(page, path, 'phone');
      }
      // On a desktop that is narrow the table scrolls in its box, which the keyboard reaches.
      await page.setViewportSize({ width: 1_000, height: 700 });
      await page.goto(`${url}/jobs/prospects/held`);
      const fits = await page.evaluate<readonly boolean[]>(
        '[document.documentElement.scrollWidth <= 1000, getComputedStyle(document.querySelector(".scroll")).overflowX === "auto"]',
      );
      expect(fits).toEqual([true, true]);
      const reached = new Set<string>();
      for (let presses = 0; presses < 80; presses += 1) {
        await page.keyboard.press('Tab');
        const where = 'document.activeElement.closest("form, .scroll, nav, header, footer")';
        reached.add(
          await page.evaluate<string>(
            `(${where}?.getAttribute("action") ?? ${where}?.className ?? "") + " " + document.activeElement.type`,
          ),
        );
      }
      const all = [...reached].join('\n');
      for (const part of [
        '/do/approve-all submit',
        '/do/refuse submit',
        '/do/approve-ticked submit',
        'scroll checkbox',
      ]) {
        expect(all).toContain(part);
      }
    },
  );

  test('charts are drawn in both schemes, and not loaded by pages without one', async () => {
    const { url, browser } = await begin();
    const page = await browser.newPage({ ...login, locale: 'en-GB' });
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    for (const look of eachLook) {
      await useLook(page, look);
      await page.goto(`${url}/budgets`);
      await page.waitForSelector('[data-charts] canvas');
      expect(await page.locator('[data-charts] figcaption').first().textContent()).not.toBe('');
    }
    // The other scheme recolours what is drawn, with no server to ask.
    await page.route('**/*', (route) => route.abort());
    const drawn = () =>
      page.evaluate<string[]>(`[
        getComputedStyle(document.querySelector('[data-charts] .u-series:last-child .u-label')).color,
        document.querySelector('[data-charts] canvas').toDataURL(),
      ]`);
    const [darkLabel, darkChart] = await drawn();
    await page.emulateMedia({ colorScheme: 'light' });
    const [lightLabel] = await drawn();
    expect([darkLabel, lightLabel]).toEqual(['rgb(143, 192, 245)', 'rgb(23, 83, 143)']);
    await expect.poll(async () => (await drawn())[1]).not.toBe(darkChart);
    await page.unroute('**/*');
    expect(loaded.some((address) => address.endsWith('/uplot.js'))).toBe(true);
    loaded.length = 0;
    await page.goto(`${url}/runs`);
    expect(loaded.filter((address) => /uplot|charts/.test(address))).toEqual([]);
  });

  test('"/" leads to the search, and instants are in the time zone of the viewer', async () => {
    const { url, browser } = await begin();
    const context = await browser.newContext({ ...login, timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
    const page = await context.newPage();
    await page.goto(`${url}/log`);
    await page.keyboard.press('/');
    expect(await page.evaluate<string>('document.activeElement.name')).toBe('contact');
    expect(await page.getAttribute('time', 'title')).toContain('GMT+9');
  });
});
