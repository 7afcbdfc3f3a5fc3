// Each role in a browser, over one daemon of two clients: nobody yet, a viewer, an operator, and an operator of one client.
import { describe, expect, onTestFinished, test } from 'vitest';
import { actions } from '../../../src/web/console/actions/actions.ts';
import { createAgencyTrial } from '../../support/agency.ts';
import { launchBrowser } from '../../support/browser.ts';
import { until } from '../../support/daemon.ts';
import { hasBrowser } from '../../support/has-browser.ts';
import { createBrowser, type Person, userEntry } from '../../support/logins.ts';
import { everyPath } from './paths.ts';

const ann: Person = { name: 'ann', role: 'operator', password: 'four words of ann' };
const bob: Person = { name: 'bob', role: 'viewer', password: 'four words of bob' };
const cyd: Person = { name: 'cyd', role: 'operator', password: 'four words of cyd' };
const yearly = '0 0 1 1 *';

/** A conflict in the job of `acme`, and a contact of `beta`. */
async function begin() {
  const trial = createAgencyTrial({
    sync: { conflict: 'manual', schedule: yearly },
    file: {
      server: {
        listen: '127.0.0.1:0',
        console: 'write',
        users: [userEntry(ann), userEntry(bob), { ...userEntry(cyd), accounts: ['acme'] }],
      },
    },
  });
  trial.addContact({ first_name: 'Dan', email: 'dan@firm.io', company_name: 'Firm' });
  trial.addBetaContact('Zoe', 'zoe@beta.io');
  const { url, trigger } = await trial.begin();
  await until(() => ['prospects', 'leads'].every((job) => trial.said('run ended', job).length > 0));
  const run = async () => {
    const before = trial.said('run ended', 'prospects').length;
    await trigger('prospects');
    await until(() => trial.said('run ended', 'prospects').length > before);
    return trial.said('run ended', 'prospects').at(-1)!;
  };
  trial.change('dan@firm.io', { company_name: 'Service Ltd' });
  trial.type('dan@firm.io', 'Company', 'Sheet Ltd');
  expect(await run()).toMatchObject({ counts: { conflicts: 1 } });
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ locale: 'en-GB' });
  const logIn = async ({ name, password }: Person) => {
    await page.fill('input[name=name]', name);
    await page.fill('input[name=password]', password);
    await page.click('button[type=submit]');
  };
  return { trial, url: url!, run, page, logIn };
}

type Page = Awaited<ReturnType<typeof begin>>['page'];

interface Seen {
  readonly path: string;
  readonly status: number;
  readonly title: string;
  /** What decides or is ticked: forms that are sent, but for the log-out, and boxes. */
  readonly decides: readonly string[];
}

/** Each page as this browser gets it. It is asked for and read by the browser, and not drawn. */
function lookAt(page: Page, paths: readonly string[]): Promise<readonly Seen[]> {
  return page.evaluate<readonly Seen[]>(`Promise.all(${JSON.stringify(paths)}.map(async (path) => {
    const answer = await fetch(path, { headers: { accept: 'text/html' } });
    const read = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const decides = [...read.querySelectorAll('form[method=post]:not([action="/logout"]), [data-tick][name=seen], [form]')];
    return {
      path,
      status: answer.status,
      title: read.querySelector('h1').textContent,
      decides: decides.map((each) => each.outerHTML.slice(0, 200)),
    };
  }))`);
}

/** Sends a form as a script in the page does: with the session, the origin and the token of this person. */
function sendCrafted(page: Page, action: string, fields: Readonly<Record<string, string>>) {
  return page.evaluate<{ readonly status: number; readonly text: string }>(`(async () => {
    const token = document.querySelector('form[action="/logout"] input[name=token]').value;
    const body = new URLSearchParams({ ...${JSON.stringify(fields)}, token });
    const answer = await fetch('/do/${action}', { method: 'POST', body, redirect: 'manual' });
    return { status: answer.status, text: await answer.text() };
  })()`);
}

/** The hidden fields of the form that an operator gets for the conflict. */
async function formOfOperator(url: string): Promise<Readonly<Record<string, string>>> {
  const browser = createBrowser(url);
  await browser.logIn(ann);
  const [form = ''] =
    /<form method="post" action="\/do\/resolve"[^]*?<\/form>/.exec(await browser.page('/conflicts')) ?? [];
  const hidden = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const fields = hidden.map(([, name, value]) => [name!, value!.replaceAll('&quot;', '"').replaceAll('&amp;', '&')]);
  return Object.fromEntries(fields) as Record<string, string>;
}

// The browser is a package that holds a Linux binary.
describe.runIf(hasBrowser)('each role, in a browser', () => {
  test('a viewer reads all and decides nothing, an operator decides, a user of one account sees it alone; a login leads to where one wanted to go', async () => {
    const { trial, url, run, page, logIn } = await begin();
    const forms = await formOfOperator(url);
    expect(JSON.parse(forms['seen'] ?? '{}')).toMatchObject({ sync: 'prospects', digest: expect.any(String) });

    // Nobody yet: to the login, and after it to the page that was asked for.
    await page.goto(`${url}/conflicts?job=prospects`);
    expect(new URL(page.url()).pathname).toBe('/login');
    expect(await page.locator('nav, form:not(.login)').count()).toBe(0);
    await logIn(bob);
    expect(page.url()).toBe(`${url}/conflicts?job=prospects`);

    // A viewer sees the values, and nothing that decides; a form that a script sends is refused.
    expect(await page.locator('nav#pages').innerText()).not.toContain('Audit');
    const row = page.getByRole('row').filter({ hasText: 'dan@firm.io' });
    expect(await row.innerText()).toMatch(/Firm\s+Service Ltd\s+Sheet Ltd/);
    const lastRun = trial.said('run ended', 'prospects').at(-1)!['run'] as string;
    const paths = everyPath({ job: 'prospects', run: lastRun, record: 'dan@firm.io' });
    const seen = await lookAt(page, paths);
    expect(seen.map(({ path, status }) => ({ path, status }))).toEqual(paths.map((path) => ({ path, status: 200 })));
    expect(seen.filter(({ title, decides }) => title === '' || decides.length > 0)).toEqual([]);
    for (const action of Object.keys(actions)) {
      const fields = { ...forms, choice: 'crm', job: 'prospects', run: lastRun, sure: 'yes' };
      const { status, text } = await sendCrafted(page, action, fields);
      expect({ action, status, text }).toEqual({
        action,
        status: 403,
        text: expect.stringContaining('Nothing has happened'),
      });
    }
    expect(await run()).toMatchObject({ counts: { conflicts: 1 } });
    expect(trial.rowOf('dan@firm.io')['Company']).toBe('Sheet Ltd');
    expect(trial.contactOf('dan@firm.io').company_name).toBe('Service Ltd');
    await page.click('text=Log out');
    await page.waitForURL(`${url}/login`);

    // An operator decides under the own name; the same form, sent by the page, counts.
    await logIn(ann);
    expect(page.url()).toBe(`${url}/`);
    expect((await lookAt(page, ['/conflicts']))[0]!.decides).not.toEqual([]);
    await page.goto(`${url}/conflicts`);
    await page.getByRole('button', { name: 'Keep "Service Ltd" (service)' }).click();
    await page.getByText('The next run carries it out.').first().waitFor();
    await run();
    await until(() => trial.rowOf('dan@firm.io')['Company'] === 'Service Ltd');
    await page.goto(`${url}/audit`);
    const decisions = await page.locator('main table').innerText();
    expect(decisions).toMatch(/ann\s+console\s+prospects\s+company_name keeps "Service Ltd" of the service/);
    expect(decisions).not.toContain('bob');
    await page.click('text=Log out');
    await page.waitForURL(`${url}/login`);

    // A user of one account: the job of the other one is a name that nobody gave.
    await page.goto(`${url}/jobs/leads`);
    await logIn(cyd);
    expect(page.url()).toBe(`${url}/jobs/leads`);
    const [ofOther, ofNobody] = await lookAt(page, ['/jobs/leads', '/jobs/nobody']);
    expect([ofOther!.status, ofOther!.title]).toEqual([ofNobody!.status, ofNobody!.title]);
    expect(ofOther!.status).toBe(404);
    await page.goto(url);
    expect(await page.locator('main').innerText()).toContain('prospects');
    for (const path of ['/', '/runs', '/log', '/config', '/budgets', '/records?of=zoe@beta.io']) {
      await page.goto(url + path);
      // What is typed is shown again.
      const text = (await page.locator('main').innerText()).replaceAll('zoe@beta.io', '');
      expect({ path, isForeign: /\bleads\b|beta|zoe/i.test(text) }).toEqual({ path, isForeign: false });
    }
    expect((await sendCrafted(page, 'pause', { job: 'leads' })).status).toBe(404);
    expect(trial.said('run ended', 'leads')).not.toEqual([]);

    // A link on another site: localhost and 127.0.0.1 are two sites, so that the browser keeps the cookie back at first.
    await page.route('http://localhost/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${url}/runs">to the runs</a>` }),
    );
    await page.goto('http://localhost/');
    await page.click('a');
    await page.waitForURL(`${url}/runs`);
    await page.waitForSelector('h1:has-text("Runs")');
  });
});
