import { AxeBuilder } from '@axe-core/playwright';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDaemonTrial, until } from '../../support/daemon.ts';

/* The console in a browser: no violation of accessibility, no error of a script, and no page wider than a phone. */

const password = 'correct horse battery staple';
const login = { extraHTTPHeaders: { authorization: `Basic ${btoa(`ann:${password}`)}` } };
const longName = 'A'.repeat(300);

/** Colours differ by scheme, the layout by width: two looks show all four. */
const looks = [
  ['light', 1_280],
  ['dark', 390],
] as const;

async function begin() {
  const trial = createDaemonTrial({
    sync: { conflict: 'manual' },
    file: { server: { listen: '127.0.0.1:0', password } },
  });
  trial.addContact({ first_name: longName, email: 'ann@firm.io', company_name: 'שלום עולם' });
  const { url } = await trial.begin();
  await until(() => trial.said('change done').length > 0);
  trial.change('ann@firm.io', { company_name: 'Service Ltd' });
  trial.type('ann@firm.io', 'Company', 'x '.repeat(5_000));
  await until(() => trial.said('run ended').some(({ counts }) => (counts as { conflicts?: number }).conflicts === 1));
  const browser = await playwright.launch({ args: chromium.args, executablePath: await chromium.executablePath() });
  onTestFinished(() => browser.close());
  return { url, browser };
}

// The browser is a package that holds a Linux binary.
describe.runIf(process.platform === 'linux')('the console, in a browser', () => {
  test('axe finds nothing on any page, light and dark, on a desktop and on a phone', { timeout: 120_000 }, async () => {
    const { url, browser } = await begin();
    const context = await browser.newContext({ ...login, locale: 'en-GB' });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => (message.type() === 'error' ? faults.push(message.text()) : undefined));
    await page.goto(`${url}/runs`);
    const run = await page.getAttribute('tbody th a', 'href');
    for (const path of [
      '/',
      '/jobs/prospects',
      '/runs',
      run!,
      '/records?of=ann@firm.io',
      '/conflicts',
      '/problems',
      '/log',
      '/login',
      '/audit',
      '/audit/logins',
      '/audit/sessions',
      '/enrolments',
      '/outbox',
      '/feeds',
      '/budgets',
      '/config',
    ]) {
      for (const [colorScheme, width] of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await page.goto(url + path);
        const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
        expect({ path, colorScheme, width, found }).toEqual({ path, colorScheme, width, found: [] });
        const widest = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect({ path, width, widest }).toEqual({ path, width, widest: width });
      }
    }
    expect(faults).toEqual([]);
  });

  test('charts are drawn on their page in both schemes, and loaded nowhere else', { timeout: 60_000 }, async () => {
    const { url, browser } = await begin();
    const page = await browser.newPage({ ...login, locale: 'en-GB' });
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${url}/budgets`);
      await page.waitForSelector('[data-charts] canvas');
      expect(await page.locator('[data-charts] figcaption').first().textContent()).not.toBe('');
    }
    expect(loaded.some((address) => address.endsWith('/uplot.js'))).toBe(true);
    loaded.length = 0;
    await page.goto(url!);
    expect(loaded.filter((address) => /uplot|charts/.test(address))).toEqual([]);
  });

  test('"/" leads to the search, and instants are in the time zone of the viewer', { timeout: 60_000 }, async () => {
    const { url, browser } = await begin();
    const context = await browser.newContext({ ...login, timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
    const page = await context.newPage();
    await page.goto(`${url}/log`);
    await page.keyboard.press('/');
    expect(await page.evaluate<string>('document.activeElement.name')).toBe('contact');
    expect(await page.getAttribute('time', 'title')).toContain('GMT+9');
  });

  test(
    'a person logs in, and a link on another site leads to the page with the login of the browser',
    { timeout: 60_000 },
    async () => {
      const { url, browser } = await begin();
      const page = await (await browser.newContext()).newPage();
      await page.goto(`${url}/log?job=prospects`);
      await page.fill('input[name=password]', password);
      await page.click('button[type=submit]');
      expect(page.url()).toBe(`${url}/log?job=prospects`);
      // localhost and 127.0.0.1 are two sites, so that the browser keeps the cookie back at first.
      await page.route('http://localhost/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: `<a href="${url}/runs">to the runs</a>` }),
      );
      await page.goto('http://localhost/');
      await page.click('a');
      await page.waitForURL(`${url}/runs`);
      await page.waitForSelector('h1:has-text("Runs")');
      await page.click('text=Log out');
      await page.waitForURL(`${url}/login`);
    },
  );
});
