// A user of one account: jobs of other accounts are, in every answer of the server, what a job is that never was.
import { expect, test } from 'vitest';
import { connectState } from '../../../src/app-state.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { createWeb } from '../../../src/web/app.ts';
import { actions } from '../../../src/web/console/actions/actions.ts';
import { createConsole } from '../../../src/web/console/console.ts';
import { createPageFeed } from '../../../src/web/console/live/feed.ts';
import { createAgencyTrial } from '../../support/agency.ts';
import { until } from '../../support/daemon.ts';
import { createBrowser, openLogins, type Person, userEntry } from '../../support/logins.ts';

const boss: Person = { name: 'chief', role: 'operator', password: 'four words of the boss' };
const ann: Person = { name: 'ann', role: 'operator', password: 'four words of ann' };
/** All that is of the other account has this word, and nothing else has it. */
const foreign = /zebra/i;
const hookSecret = 'a-secret-of-hooks-0123456789abcdef';
const names = ['Zebrina', 'Zebrawl', 'Zebraxa', 'Zebrane', 'Zebrado', 'Zebraki'];

/** Two accounts with one sync each; that of `zebra` is held, enrolled a contact, and was paused by its operator. */
async function begin() {
  const server = {
    listen: '127.0.0.1:0',
    console: 'write',
    hook_secret: hookSecret,
    users: [userEntry(boss), { ...userEntry(ann), accounts: ['acme'] }],
  };
  const trial = createAgencyTrial({ file: { server } });
  trial.edit(({ accounts, syncs, ...file }) => {
    const { leads, ...others } = syncs;
    const { beta, ...rest } = accounts;
    const zebra = {
      ...leads,
      account: 'zebra',
      columns: { 'First name': 'first_name', Email: 'email' },
      automation: { column: 'Automation' },
      on_row_deleted: 'delete_contact',
      limits: { deletes: '20%' },
    };
    // Of each account one job is left out; both are to write one tab, so that the fault of each names the other.
    const ownBroken = { ...others['prospects'], sheet: { spreadsheet: '1AbCdEfGhIj', tab: 'X' } };
    const broken = { 'own-broken': ownBroken, 'zebra-broken': { ...ownBroken, account: 'zebra' } };
    return {
      ...file,
      accounts: { ...rest, zebra: beta },
      syncs: { ...others, ...broken, 'zebra-people': zebra },
    };
  });
  trial.beta.model.automations.add({ name: 'Zebra welcome', status: 'active' });
  for (const name of names) trial.addBetaContact(name, `${name.toLowerCase()}@zebra.io`);
  trial.addContact({ first_name: 'Bea', email: 'bea@acme.io' });
  const running = await trial.begin();
  await until(() => trial.betaRows().length >= names.length && trial.grid().length === 1);
  return { ...trial, ...running, url: running.url! };
}

async function routesOf(trial: Awaited<ReturnType<typeof begin>>) {
  using feed = createPageFeed(() => 'p');
  const access = await openLogins({ password: new Secret('x'.repeat(20)) });
  const [trigger, version] = [async () => undefined, '0'];
  const [config, now] = [trial.config(), () => Date.now()];
  const process = { pid: 999, probe: () => {} };
  const clock = { now, elapsed: () => performance.now(), random: () => 0.5, randomId: () => 'id' };
  const operator = { config, store: connectState(config, { ...clock, process }, () => {}), now };
  const pages = createConsole({ operator, access, trigger, version, feed });
  const web = createWeb({
    access,
    host: '127.0.0.1',
    metrics: { render: async () => '', contentType: 'text/plain' },
    status: () => [],
    isDraining: () => false,
    stalledMs: () => 0,
    pages,
    hooks: {
      secret: new Secret(hookSecret),
      trigger,
      nextRun: () => undefined,
      observe: () => {},
      elapsed: () => 0,
    },
  });
  return web.routes;
}

interface Pair {
  readonly foreign: string;
  readonly unknown: string;
}

/** What a person can type: a name of the other account, and one of the same form that never was. */
interface Pairs {
  readonly job: Pair;
  readonly run: Pair;
  readonly contact: Pair;
  readonly email: Pair;
  readonly plan: Pair;
  readonly session: Pair;
}

type Side = keyof Pair;

/** Without what was typed and the clock. */
function plain(text: string, pairs: Pairs): string {
  const typed = Object.values(pairs).flatMap(({ foreign: known, unknown }) => [known, unknown]);
  const escaped = [...typed, ...typed.map(encodeURIComponent)].toSorted((a, b) => b.length - a.length);
  return (
    escaped
      .reduce((rest, each) => rest.replaceAll(each, 'TYPED'), text)
      // Time goes on between two answers, and calls leave the last minute.
      .replaceAll(
        /\d+ (?:s|min) ago|(?<=>)now(?=<\/time>)|In\s+the last minute:[^<]*|<td class="number">[\d,.]+<\/td>|<meter[^]*?<\/meter> \d+ %/g,
        '',
      )
      // `lag_secs` of a job, after its last and next run.
      .replaceAll(/(?<=\dZ,[^,\n]*,)\d+(?=,)/g, '')
      .replaceAll(/"points":\[[^"]*\]/g, '')
      .replaceAll(
        /data-(?:made-at|position)="[^"]*"|<time[^>]*>[^<]*<\/time>|notice=[\w-]+|[:,] did you mean [^<]*/g,
        '',
      )
  );
}

/** What each action says that was seen; an action that is not here is one that no story looks at. */
const seenBy: Readonly<Record<string, (job: string, id: string) => Readonly<Record<string, unknown>>>> = {
  run: () => ({}),
  pause: () => ({}),
  resume: () => ({}),
  resolve: (sync, id) => ({ sync, id, digest: 'x' }),
  'approve-all': () => ({}),
  'approve-ticked': (_job, id) => ({ id }),
  refuse: () => ({}),
  retry: (job, id) => ({ job, id, digest: 'x' }),
  'send-again': (job, id) => ({ job, id, digest: 'x' }),
  cancel: (job, id) => ({ job, id, row: 2, digest: 'x' }),
  'plan-undo': () => ({}),
  undo: () => ({}),
  'end-session': () => ({}),
};

test('no route and no form tells a user of one account of another one: its jobs are unknown', async () => {
  const trial = await begin();
  const { url, said } = trial;
  const [ofBoss, ofAnn] = [createBrowser(url), createBrowser(url)];
  expect([(await ofBoss.logIn(boss)).status, (await ofAnn.logIn(ann)).status]).toEqual([303, 303]);
  const stream = await follow(ofAnn);

  // An enrolment, a run that is held, and a decision of the other account.
  const { spreadsheet } = trial.edit((file) => file).syncs['zebra-people']!['sheet'] as { spreadsheet: string };
  const person = trial.sheets.person(spreadsheet);
  const automation = () => person.read('Leads')[0]!.indexOf('Automation');
  await until(() => automation() >= 0);
  person.paste(`'Leads'!${'ABCDEFGH'[automation()]}2`, [['Zebra welcome']]);
  const endOf = (sync: string, what: (line: Readonly<Record<string, unknown>>) => boolean) =>
    until(() => said('run ended', sync).some(what));
  await endOf('zebra-people', ({ counts }) => (counts as { enrolled?: number }).enrolled === 1);
  person.deleteRows('Leads', 3, 4);
  await endOf('zebra-people', ({ status }) => status === 'held');
  trial.type('bea@acme.io', 'First name', 'Beatrice');
  await endOf('prospects', ({ counts }) => (counts as { updated?: number }).updated === 1);
  await until(() => stream.text().includes('prospects'));
  const bossToken = await ofBoss.token('/jobs/zebra-people');
  for (const job of ['zebra-people', 'prospects']) {
    expect((await ofBoss.post('/do/pause', { token: bossToken, job, reason: 'lunch' })).status).toBe(303);
  }
  await until(() => trial.daemon.status().every(({ phase }) => phase === 'paused'));
  const run = said('change done', 'zebra-people').find((line) => line['op'] === 'append')!['run'] as string;
  const ownRun = said('change done', 'prospects')[0]!['run'] as string;
  const planned = await ofBoss.post('/do/plan-undo', { token: bossToken, run });
  const plan = new URL(planned.headers.get('location')!, url).searchParams.get('plan')!;
  // Waits until both sides were read.
  expect(await ofBoss.page(planned.headers.get('location')!)).toContain('Put back');
  const [, session = ''] = /name="session" value="([^"]+)"/.exec(await ofBoss.page('/audit/sessions')) ?? [];
  const contact = trial.betaRows()[0]![person.read('Leads')[0]!.indexOf('Contact ID')] as string;
  expect([plan, session, contact].every((each) => typeof each === 'string' && each !== '')).toBe(true);
  const pairs: Pairs = {
    job: { foreign: 'zebra-people', unknown: 'quagga-people' },
    run: { foreign: run, unknown: `${run.slice(0, 16)}zzzzzz` },
    contact: { foreign: contact, unknown: '00000000-0000-4000-8000-000000000000' },
    email: { foreign: 'zebrina@zebra.io', unknown: 'quagga@quagga.io' },
    plan: { foreign: plan, unknown: `${plan.slice(0, -4)}zzzz` },
    session: { foreign: session, unknown: 'zzzz' },
  };

  const callsBefore = trial.beta.received.entries.length;
  const answerOf = async (answer: Response) => {
    const text = `${answer.status} ${answer.headers.get('location') ?? ''} ${await answer.text()}`;
    const left = plain(text, pairs);
    expect(left).not.toMatch(foreign);
    return left;
  };
  const look = async (path: string) => ({ path: plain(path, pairs), text: await answerOf(await ofAnn.ask(path)) });
  /** Of parts of a path. */
  const given = (side: Side): Readonly<Record<string, readonly string[]>> => ({
    name: [side === 'foreign' ? 'prospects' : pairs.job.unknown, pairs.job[side]],
    run: [side === 'foreign' ? ownRun : pairs.run.unknown, pairs.run[side]],
    digest: ['0'],
    action: ['nothing'],
  });
  const queriesOf = (side: Side) => [
    '',
    `?job=${pairs.job[side]}`,
    `?format=csv&job=${pairs.job[side]}`,
    `?${new URLSearchParams({
      of: pairs.email[side],
      contact: pairs.contact[side],
      run: pairs.run[side],
      search: pairs.job[side],
      plan: pairs.plan[side],
      name: boss.name,
      by: boss.name,
      since: '1d',
    }).toString()}`,
  ];
  const routes = (await routesOf(trial)).filter(({ path }) => !path.includes('*'));
  const paths = (side: Side) =>
    [...new Set(routes.flatMap(({ method, path }) => (method === 'POST' || path === '/events' ? [] : [path])))].flatMap(
      (path) => {
        const param = /:(\w+)/.exec(path)?.[1];
        const values = param === undefined ? [''] : given(side)[param];
        if (!values) throw new Error(`${path}: no story has a value for ${param}`);
        const filled = values.map((value) => path.replace(/:\w+/, value).replaceAll(/:\w+/g, 'x'));
        return filled.flatMap((each) => queriesOf(side).map((query) => each + query));
      },
    );
  const [asForeign, asUnknown] = [paths('foreign'), paths('unknown')];
  expect(asForeign.length).toBeGreaterThan(100);
  for (const [index, path] of asForeign.entries()) {
    const answer = await look(path);
    // A path of an own job has nothing to compare with.
    if (/prospects|nothing/.test(path) || path.includes(ownRun)) continue;
    expect(answer).toEqual(await look(asUnknown[index]!));
  }

  // Each form, with all that it may name.
  const token = await ofAnn.token();
  expect(token).not.toBe('');
  const posts = [...new Set(routes.flatMap(({ method, path }) => (method === 'POST' ? [path] : [])))];
  expect(posts).toContain('/do/:action');
  const forms = posts.flatMap((path) =>
    path === '/do/:action' ? Object.keys(actions).map((name) => `/do/${name}`) : [path.replace(':name', 'NAME')],
  );
  for (const path of forms) {
    const action = path.replace('/do/', '');
    if (path.startsWith('/do/') && !Object.hasOwn(seenBy, action)) throw new Error(`no story has a form for ${path}`);
    const send = async (side: Side) => {
      const [job, id] = [pairs.job[side], pairs.contact[side]];
      return answerOf(
        await ofAnn.post(path.replace('NAME', job), {
          token: path.startsWith('/do/') ? token : 'wrong',
          job,
          run: pairs.run[side],
          digest: 'x',
          seen: JSON.stringify(seenBy[action]?.(job, id) ?? {}),
          contact: id,
          plan: pairs.plan[side],
          session: pairs.session[side],
          choice: 'crm',
          sure: 'yes',
          typed: 'Zebrina',
          name: pairs.job[side],
          password: 'a wrong one',
          code: 'x',
        }),
      );
    };
    expect({ path, text: await send('foreign') }).toEqual({ path, text: await send('unknown') });
  }
  expect(trial.beta.received.entries.length).toBe(callsBefore);
  expect(await ofBoss.page('/jobs/zebra-people')).toMatch(/Paused by chief/i);
  // Of people, their decisions on own jobs alone.
  expect(await ofAnn.page('/audit')).toContain('chief');
  for (const path of ['/audit/logins', '/audit/sessions']) {
    expect(await ofAnn.page(path)).not.toContain('chief');
    expect(await ofBoss.page(path)).toContain('ann');
  }

  expect((await ofAnn.ask('/metrics')).status).toBe(403);
  const own = await ofAnn.page('/');
  expect(own).toContain('prospects');
  expect(own).toMatch(/own-broken<\/strong> is left out: its part of the configuration has a fault/);
  stream.end();
  expect(stream.text()).toMatch(/"prospects"/);
  expect(stream.text()).not.toMatch(foreign);
  // The same look finds the other account where a person sees all of it.
  for (const path of [
    '/',
    '/runs',
    '/log',
    '/enrolments',
    '/config',
    '/budgets',
    '/audit',
    '/metrics',
    '/jobs/zebra-people/held',
  ]) {
    expect({ path, isForeign: foreign.test(await ofBoss.page(path)) }).toEqual({ path, isForeign: true });
  }
});

test('the accounts of a user follow the file; a proxy that names people limits them by its own list', async () => {
  const entry = userEntry(ann);
  const users = (accounts: readonly string[]) => [{ ...entry, accounts }];
  const proxy = { from: ['127.0.0.1'], header: 'X-User', role: 'viewer', accounts: { 'Cy@firm.io': ['beta'] } };
  const server = { listen: '127.0.0.1:0', users: users(['acme']), trusted_proxy: proxy };
  const trial = createAgencyTrial({ file: { server } });
  const { url } = await trial.begin();
  const jobsSeenBy = async (browser: ReturnType<typeof createBrowser>) =>
    [...new Set((await browser.page('/')).match(/(?<=href="\/jobs\/)[\w-]+/g))].toSorted();
  const browser = createBrowser(url!);
  await browser.logIn(ann);
  expect(await jobsSeenBy(browser)).toEqual(['prospects']);
  const stream = await follow(browser);
  expect(await jobsSeenBy(createBrowser(url!, { 'x-user': 'cy@FIRM.io' }))).toEqual(['leads']);
  expect(await jobsSeenBy(createBrowser(url!, { 'x-user': 'dan@firm.io' }))).toEqual(['leads', 'prospects']);
  trial.edit((file) => ({ ...file, server: { ...server, users: users(['beta']) } }));
  await expect.poll(() => jobsSeenBy(browser)).toEqual(['leads']);
  // The stream of a page that was made for other accounts ends.
  await until(() => stream.text().includes('event: over'));
});

/** Reads the stream of a page until `end`. */
async function follow({ ask }: ReturnType<typeof createBrowser>) {
  const stop = new AbortController();
  const answer = await ask('/events', { signal: stop.signal });
  expect(answer.status).toBe(200);
  let text = '';
  const read = (async () => {
    for await (const part of answer.body!) text += new TextDecoder().decode(part as Uint8Array);
  })().catch(() => {});
  return { text: () => text, end: () => stop.abort(), read };
}
