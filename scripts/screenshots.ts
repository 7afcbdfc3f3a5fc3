// npm run screenshots [-- FOLDER [SETTING]]: takes pictures of every page of the console from a trial and from two settings of its own, in both
// schemes, on a desktop and on a phone. docs/console/ has the few that the docs show; all of them are for looking at.
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright, type Page } from 'playwright-core';
import { inDocs, looks, sheetsInDocs } from './screenshots/pictures.ts';
import { openFleet } from './screenshots/fleet.ts';
import { openScene, type Scene } from './screenshots/scene.ts';
import { act, startTrial, type Trial } from './screenshots/trial.ts';
import { user } from './screenshots/user.ts';

const root = join(import.meta.dirname, '..');
const shown = join(root, 'docs', 'console');
/** Given: every picture goes there, and none into the docs. */
const folder = process.argv[2] || undefined;
/** `trial`, `sheet` (the spreadsheet of the trial alone), `scene` or `fleet`; left out: all. */
const setting = process.argv[3];

/** The pages by the name of their pictures. */
async function pagesOf({ console: base }: Trial): Promise<Readonly<Record<string, string>>> {
  const runs = await (await fetch(`${base}/runs?job=prospects`)).text();
  const [run = '/runs'] = [...runs.matchAll(/\/runs\/\d[\w-]+/g)].map(([path]) => path);
  return {
    jobs: '/',
    job: '/jobs/prospects',
    feed: '/jobs/automations',
    runs: '/runs',
    run,
    record: '/records?of=row:9&job=prospects',
    search: '/records?of=row:5',
    conflicts: '/conflicts',
    problems: '/problems',
    enrolments: '/enrolments',
    outbox: '/outbox',
    feeds: '/feeds',
    log: '/log',
    budgets: '/budgets',
    config: '/config',
    audit: '/audit',
  };
}

/** The pages of the setting, with what a person does on each before the picture. */
function pagesOfScene({ run, wideRun }: Scene): Readonly<Record<string, Shot>> {
  return {
    'scene-conflicts': { path: '/conflicts' },
    'scene-held': {
      path: '/jobs/prospects/held',
      async act(page) {
        const boxes = page.locator('input[data-tick]');
        for (const index of [0, 2]) await boxes.nth(index).check();
      },
    },
    'scene-feed-held': { path: '/jobs/automations/held' },
    'scene-audit': { path: '/audit' },
    'scene-logins': { path: '/audit/logins' },
    'scene-sessions': { path: '/audit/sessions' },
    'scene-outbox': { path: '/outbox' },
    'scene-again': {
      path: '/outbox?state=unknown',
      act: (page) => page.locator('details summary').first().click(),
    },
    'scene-enrolments': { path: '/enrolments' },
    'scene-jobs': { path: '/' },
    'scene-wide-run': { path: `/runs/${wideRun}` },
    'scene-wide-record': { path: '/records?of=wide-0@firm.test' },
    'scene-long-record': { path: '/records?of=wide-2@firm.test' },
    'scene-problems': { path: '/problems' },
    'scene-log': { path: '/log' },
    'scene-undo': {
      path: `/runs/${run}/undo`,
      async act(page) {
        await page.locator('form[action="/do/plan-undo"] button').click();
        await page.waitForLoadState();
      },
    },
    'scene-login': {
      path: '/login?next=/conflicts',
      act: (page) => page.fill('input[name=name]', user.name),
    },
    'scene-enter': { path: '/enter#a-code-of-a-link' },
  };
}

/** The pages of an agency. The name of the machine that takes the pictures is left out of them. */
const pagesOfFleet: Readonly<Record<string, Shot>> = {
  'fleet-jobs': { path: '/' },
  'fleet-workers': {
    path: '/workers',
    async act(page) {
      // Between two runs no worker has one.
      while ((await page.locator('tbody td a').count()) < 2) await page.reload();
      await page.evaluate(
        `for (const cell of document.querySelectorAll('tbody th')) {
          cell.textContent = cell.textContent.replace(${JSON.stringify(hostname())}, 'worker');
        }`,
      );
    },
  },
};

/** A person decides something, so that the audit has entries. */
async function decide(browser: Browser, { url }: Scene): Promise<readonly Cookie[]> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/login`);
  await page.fill('input[name=name]', 'bob');
  await page.fill('input[name=password]', 'a wrong password');
  await page.click('button[type=submit]');
  await logIn(page);
  await page.goto(`${url}/jobs/notes`);
  await page.click('summary:has-text("Pause")');
  await page.fill('input[name=reason]', 'the office is closed');
  await page.click('form[action="/do/pause"] button');
  await page.goto(`${url}/jobs/notes`);
  await page.click('form[action="/do/resume"] button');
  await page.goto(`${url}/conflicts?job=prospects`);
  await page.click('button[value="sheet"]');
  await page.waitForLoadState();
  const cookies = await context.cookies();
  // A closed context ends this browser, which is one process.
  await page.close();
  return cookies;
}

async function logIn(page: Page): Promise<void> {
  await page.fill('input[name=name]', user.name);
  await page.fill('input[name=password]', user.password);
  await page.click('button[type=submit]');
}

type Cookie = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['cookies']>>[number];

interface Shot {
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
}

/** A short page ends below its last line: the rest of the window says nothing. */
const heightOfPage = `Math.ceil(
  scrollY + document.querySelector('main').lastElementChild.getBoundingClientRect().bottom + 32 +
    document.querySelector('footer').offsetHeight + (document.querySelector('.ticks')?.offsetHeight ?? 0),
)`;

async function take(
  browser: Browser,
  base: string,
  pages: Readonly<Record<string, Shot>>,
  cookies: readonly Cookie[] = [],
): Promise<void> {
  for (const { name: look, colorScheme, width, height } of looks) {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height },
      reducedMotion: 'reduce',
      locale: 'en-GB',
    });
    await context.addCookies([...cookies]);
    const page = await context.newPage();
    for (const [name, { path, act: first }] of Object.entries(pages)) {
      if (folder === undefined && !inDocs[name]?.includes(look)) continue;
      const answer = await page.goto(base + path);
      // A page that is left out in silence was never looked at.
      if (answer?.status() !== 200) throw new Error(`${name}: ${path} answers ${answer?.status()}`);
      if (!/^\/(?:enter|login)/.test(path)) await page.waitForSelector('#live[data-state="on"]');
      await first?.(page);
      // Charts are drawn after the page.
      await page.waitForTimeout(500);
      await page.setViewportSize({ width, height: Math.min(height, await page.evaluate<number>(heightOfPage)) });
      await page.screenshot({ path: join(folder ?? shown, `${name}-${look}.png`) });
      await page.setViewportSize({ width, height });
    }
    await page.close();
  }
}

/** The spreadsheet, as a person sees it who works there. */
async function takeSheets(browser: Browser, { sheet }: Trial): Promise<void> {
  const context = await browser.newContext({ colorScheme: 'light', locale: 'en-GB' });
  const page = await context.newPage();
  for (const { path, tab, height } of sheetsInDocs) {
    await page.setViewportSize({ width: 1_560, height });
    await page.goto(sheet);
    await page.getByText(tab, { exact: true }).first().click();
    await page.waitForTimeout(1_000);
    await page.screenshot({ path: folder === undefined ? join(root, path) : join(folder, basename(path)) });
  }
  // A closed context ends this browser, which is one process.
  await page.close();
}

mkdirSync(folder ?? shown, { recursive: true });
/** One for each setting: after dozens of pages a browser of one process may open no event stream any more. */
async function withBrowser(work: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await playwright.launch({ args: chromium.args, executablePath: await chromium.executablePath() });
  await work(browser);
  await browser.close();
}

if (setting !== 'scene' && setting !== 'fleet') {
  await withBrowser(async (browser) => {
    await using trial = await startTrial();
    await act(trial);
    if (setting !== 'sheet') {
      const shots = Object.entries(await pagesOf(trial)).map(([name, path]) => [name, { path }] as const);
      await take(browser, trial.console, Object.fromEntries(shots));
    }
    await takeSheets(browser, trial);
  });
}
if (setting === undefined || setting === 'scene') {
  await withBrowser(async (browser) => {
    await using scene = await openScene();
    await take(browser, scene.url, pagesOfScene(scene), await decide(browser, scene));
  });
}
if (setting === undefined || setting === 'fleet') {
  await withBrowser(async (browser) => {
    await using fleet = await openFleet();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${fleet.url}/login`);
    await logIn(page);
    const cookies = await context.cookies();
    await page.close();
    await take(browser, fleet.url, pagesOfFleet, cookies);
  });
}
