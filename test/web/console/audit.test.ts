import { expect, test, vi } from 'vitest';
import { decisionsPage } from '../../../src/operator/answers/audit.ts';
import { takeUpNow } from '../../../src/engine/at-once.ts';
import { readDecisionsPage } from '../../../src/operator/audit.ts';
import type { Operator } from '../../../src/operator/operator.ts';
import { pause } from '../../../src/operator/pause.ts';
import type { HistoryPageQuery, Wanted } from '../../../src/state/port.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';
import { createBrowser, userEntry } from '../../support/logins.ts';
import { createSyncTrial } from '../../support/app.ts';
import { operatorOf } from '../../operator/support.ts';

/* The audit: who decided what and saw what, who logged in from where, and which sessions are open. */

const ann = { name: 'ann', role: 'operator', password: 'four words of ann' } as const;
const bob = { name: 'bob', role: 'viewer', password: 'four words of bob' } as const;

async function begin(server: Readonly<Record<string, unknown>> = {}) {
  const trial = createDaemonTrial({
    file: { server: { listen: '127.0.0.1:0', console: 'write', users: [ann, bob].map(userEntry), ...server } },
  });
  const { url } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  return { ...trial, url: url!, browser: () => createBrowser(url!) };
}

test('decisions, logins and failures are listed for operators alone, with person, address and what was seen', async () => {
  const { browser } = await begin();
  const [ofAnn, ofBob] = [browser(), browser()];
  await Promise.all([
    ofBob.logIn({ name: 'bob', password: 'a wrong one' }),
    ofBob.logIn({ name: 'my secret', password: 'x' }),
  ]);
  await ofBob.logIn(bob);
  await ofAnn.logIn(ann);
  await ofAnn.post('/do/pause', { token: await ofAnn.token(), job: 'prospects', reason: 'lunch' });
  // A run that was under way when it was recorded leaves it to the next one.
  await vi.waitFor(async () => expect(await ofAnn.page('/audit')).toContain('taken up'), { timeout: 100_000 });
  const decisions = await ofAnn.page('/audit');
  expect(decisions).toMatch(/<th scope="row">ann<\/th>\s*<td>console<\/td>/);
  expect(decisions).toContain('last run succeeded');
  expect(await ofAnn.page('/audit?by=ANN')).toContain('<td>console</td>');
  expect(await ofAnn.page('/audit?by=bob')).not.toContain('<td>console</td>');
  // Each list is a file, too: of one person if the page is.
  const file = await ofAnn.page('/audit?by=ann&format=csv');
  expect(file.split('\r\n').map((line) => line.split(',').slice(1, 5).join(','))).toEqual([
    'by,through,job,decision',
    'ann,console,prospects,pause',
    '',
  ]);
  expect((await ofAnn.page('/audit/logins?name=ann&format=csv')).split('\r\n')[1]).toContain(
    ',ann,127.0.0.1,logged in,1,',
  );
  expect(await ofBob.page('/audit?format=csv')).toContain('Only operators see who did what.');
  const logins = await ofAnn.page('/audit/logins');
  expect(logins.match(/<td>logged in<\/td>/g)).toHaveLength(2);
  expect(logins.match(/<td>failed<\/td>/g)).toHaveLength(2);
  expect(logins).toContain('<td>127.0.0.1</td>');
  // A person may have typed the password into the wrong field.
  expect(logins).not.toContain('my secret');
  expect(logins).toContain('unknown name');
  const ofOne = await ofAnn.page('/audit/logins?name=ann');
  expect(ofOne.match(/<td>logged in<\/td>/g)).toHaveLength(1);
  for (const path of ['/audit', '/audit/logins', '/audit/sessions']) {
    const page = await ofBob.page(path);
    expect(page).toContain('Only operators see who did what.');
    expect(page).not.toContain('<table');
  }
  expect(await ofBob.page('/')).not.toContain('href="/audit"');
});

test('an operator ends the session of another person, who has to log in again', async () => {
  const { browser } = await begin();
  const [ofAnn, ofBob] = [browser(), browser()];
  await ofBob.logIn(bob);
  await ofAnn.logIn(ann);
  const page = await ofAnn.page('/audit/sessions');
  expect(page).toContain('ann (this one)');
  const [, session = ''] = /name="session" value="([^"]+)"[^]{0,200}?of bob/.exec(page) ?? [];
  const token = await ofAnn.token('/audit/sessions');
  // A viewer ends none, not even with the id.
  expect((await ofBob.post('/do/end-session', { token: await ofBob.token('/'), session })).status).toBe(403);
  const done = await ofAnn.post('/do/end-session', { token, session });
  expect(await ofAnn.page(done.headers.get('location')!)).toContain('The session is ended.');
  expect((await ofBob.ask('/')).status).toBe(303);
  expect(await ofAnn.page('/audit/logins')).toContain('ended by ann');
  const twice = await ofAnn.post('/do/end-session', { token, session });
  expect(await ofAnn.page(twice.headers.get('location')!)).toContain('had ended before');
});

test('the pages of many decisions have each once, the latest first, also of one person', async () => {
  const trial = createSyncTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await trial.cli('sync');
  for (let index = 0; index < 12; index += 1) {
    await trial.cli(index % 2 === 0 ? 'pause' : 'resume', 'prospects');
  }
  const operator = operatorOf(trial);
  for (const by of [undefined, 'ann']) {
    const kinds: string[] = [];
    let after: string | undefined;
    do {
      const page = decisionsPage.parse(await readDecisionsPage(operator, { by }, { limit: 5, after }));
      kinds.push(...page.decisions.map(({ decision }) => decision));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(kinds).toEqual(Array.from({ length: 6 }, () => ['resume', 'pause']).flat());
  }
  const none = await readDecisionsPage(operator, { by: 'somebody else' }, { limit: 5 });
  expect([none.decisions, none.waiting, none.next]).toEqual([[], [], null]);
  await expect(readDecisionsPage(operator, {}, { limit: 5, after: 'made-up' })).rejects.toThrow('cursor');
});

/** The lease of a run is held, so that the decision waits. Returns what ends the run. */
async function pauseDuringRun(operator: Operator): Promise<() => PromiseLike<void>> {
  const lease = await operator.store.sync('prospects').acquireLease();
  await pause(operator, { by: 'ann', through: 'console' }, { name: 'prospects' });
  return () => lease[Symbol.asyncDispose]();
}

test.each(['history', 'requests'])(
  'a decision that is taken up after the %s was read is listed once',
  async (first) => {
    const trial = createSyncTrial();
    trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
    await trial.cli('sync');
    const operator = operatorOf(trial);
    const { store, now } = operator;
    const job = store.sync('prospects');
    await (
      await pauseDuringRun(operator)
    )();
    const takeUpAfter = async <Read>(what: string, read: Promise<Read>): Promise<Read> => {
      const answer = await read;
      if (what === first) await takeUpNow({ state: job, name: 'prospects', now });
      return answer;
    };
    const busy = {
      ...store,
      historyPage: (query: HistoryPageQuery) => takeUpAfter('history', store.historyPage(query)),
      loadSomeOf: (jobs: readonly string[], wanted: Wanted) => takeUpAfter('requests', store.loadSomeOf(jobs, wanted)),
    };
    const page = await readDecisionsPage({ ...operator, store: busy }, {}, { limit: 5 });
    expect([...page.waiting, ...page.decisions].map(({ decision }) => decision)).toEqual(['pause']);
  },
);

test('a pause that is decided during a run is listed at once', async () => {
  const trial = createSyncTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await trial.cli('sync');
  const operator = operatorOf(trial);
  const endRun = await pauseDuringRun(operator);
  const { waiting, decisions } = await readDecisionsPage(operator, {}, { limit: 5 });
  expect(waiting).toMatchObject([{ sync: 'prospects', decision: 'pause', by: 'ann', through: 'console' }]);
  expect(decisions).toEqual([]);
  await endRun();
});
