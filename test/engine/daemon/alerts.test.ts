import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Secret } from '../../../src/lib/secret.ts';
import { createAlerts, type Told } from '../../../src/daemon/alerts.ts';
import { type LastRun, standingOf } from '../../../src/engine/last-run.ts';
import type { JobKind } from '../../../src/engine/kind.ts';
import { createMask, hideAddresses } from '../../../src/log/mask.ts';

/* One message for each change of state. An unreachable receiver stops nothing. */

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-21T09:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const counts = { ...standingOf(), linked: 3 };

function ran(status: LastRun['status'], problems: Record<string, number> = {}, reason?: string): LastRun {
  const at = '2026-11-21T09:00:00.000Z';
  const about = {
    run: 'r1',
    status,
    startedAt: at,
    endedAt: at,
    isFull: false,
    counts,
    problems,
  };
  return { ...about, ...(reason !== undefined && { reason }) };
}

interface Given {
  readonly post?: (calls: number, signal: AbortSignal) => Response | Promise<Response>;
  readonly told?: ReadonlyMap<string, Told>;
  /** By job. */
  readonly accounts?: ReadonlyMap<string, string>;
  readonly onHeard?: () => void;
  readonly urlOf?: () => Secret;
}

const kindByJob = new Map<string, JobKind>([
  ['emails', 'feed'],
  ['letters', 'outbox'],
]);

function open({
  post = () => new Response(),
  told = new Map<string, Told>(),
  accounts,
  onHeard = () => {},
  urlOf = () => new Secret('https://alerts.test/key-of-the-hook'),
}: Given = {}) {
  const bodies: Record<string, unknown>[] = [];
  const lost: string[] = [];
  const redirects: unknown[] = [];
  const secret = new Secret('the-token-of-the-tests');
  const alerts = createAlerts({
    urlOf,
    post: (_url, init) => {
      bodies.push(JSON.parse(init.body as string) as Record<string, unknown>);
      redirects.push(init.redirect);
      return post(bodies.length, init.signal!);
    },
    clean: (text) => hideAddresses(createMask([secret])(text)),
    told,
    siblingsOf: (sync) =>
      accounts
        ? [...accounts.keys()].filter((job) => accounts.get(job) === accounts.get(sync))
        : ['leads', 'prospects'],
    accountOf: (sync) => accounts?.get(sync),
    kindOf: (sync) => kindByJob.get(sync) ?? 'sync',
    onLost: (_alert, why) => lost.push(why),
    onHeard,
  });
  return { alerts, bodies, lost, redirects };
}

test('a lasting success and a lasting failure send no second alert', async () => {
  const { alerts, bodies } = open();
  for (const status of ['succeeded', 'succeeded', 'failed', 'failed', 'held', 'succeeded', 'succeeded'] as const) {
    alerts.observe('prospects', ran(status), false);
  }
  await alerts.settled();
  expect(bodies.map(({ event, previous }) => [event, previous])).toEqual([
    ['failed', 'succeeded'],
    ['held', 'failed'],
    ['recovered', 'held'],
  ]);
});

test('a partial run is news when it has a new kind of problem; waiting and ignored records are none', async () => {
  const { alerts, bodies } = open();
  const partial = [{ conflict: 1 }, { conflict: 2, waiting: 4 }, { conflict: 1, quarantined: 1 }, { quarantined: 1 }];
  for (const problems of partial) alerts.observe('prospects', ran('partial', problems), false);
  await alerts.settled();
  expect(bodies.map(({ problems }) => problems)).toEqual([{ conflict: 1 }, { conflict: 1, quarantined: 1 }]);
  expect(bodies[0]).toMatchObject({
    version: 1,
    event: 'partial',
    sync: 'prospects',
    run: 'r1',
    time: '2026-11-21T09:00:00.000Z',
    text: 'leadsheet: prospects goes on, and a person is needed: 1 conflict. See leadsheet status',
    counts: { linked: 3 },
    reason: null,
  });
});

test('a message has neither secrets nor addresses of contacts, but the account to share with', async () => {
  const { alerts, bodies } = open();
  const reason = 'ann@firm.io and the-token-of-the-tests; share it with robot@demo.iam.gserviceaccount.com';
  alerts.observe('prospects', ran('failed', {}, reason), true);
  await alerts.settled();
  expect(bodies[0]?.['reason']).toBe('[e-mail] and [secret]; share it with robot@demo.iam.gserviceaccount.com');
  expect(bodies[0]).toMatchObject({ event: 'stopped' });
});

test.each([
  ['prospects', 'prospects is well again, 3 linked'],
  ['emails', 'emails is well again, 3 linked'],
  ['letters', 'letters is well again, 3 rows sent'],
])('the count of %s that is well again is named as its kind names it', async (name, text) => {
  const { alerts, bodies } = open();
  for (const status of ['failed', 'succeeded'] as const) alerts.observe(name, ran(status), false);
  await alerts.settled();
  expect(bodies.at(-1)).toMatchObject({ event: 'recovered', text: `leadsheet: ${text}` });
});

test('a held run says how to let it through', async () => {
  const { alerts, bodies } = open();
  const reason = '9 deletions are more than the limit of 20% of 10, that is 2';
  alerts.observe('prospects', { ...ran('held', {}, reason), run: 'r2', approvable: 'r1' }, false);
  await alerts.settled();
  expect(bodies[0]).toMatchObject({
    event: 'held',
    approve: 'r1',
    text: `leadsheet: prospects is held: ${reason}. To let it through: leadsheet approve prospects --run r1`,
  });
});

test('an alert of an earlier process is not repeated', async () => {
  const { alerts, bodies } = open({ told: new Map([['prospects', { state: 'failed', kinds: [] }]]) });
  alerts.observe('prospects', ran('failed'), false);
  alerts.observe('prospects', ran('succeeded'), false);
  await alerts.settled();
  expect(bodies.map(({ event }) => event)).toEqual(['recovered']);
});

test('a receiver that is down is asked three times, and then that one message is given up', async () => {
  const { alerts, bodies, lost } = open({ post: () => Promise.reject(new TypeError('fetch failed')) });
  alerts.observe('prospects', ran('failed'), false);
  await vi.advanceTimersByTimeAsync(10_000);
  await alerts.settled();
  expect(bodies).toHaveLength(3);
  expect(lost).toEqual(['fetch failed']);
});

test('a receiver that does not answer is waited for ten seconds each time', async () => {
  const hang = (_calls: number, signal: AbortSignal) =>
    new Promise<Response>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const { alerts, lost } = open({ post: hang });
  alerts.observe('prospects', ran('failed'), false);
  await vi.advanceTimersByTimeAsync(37_000);
  expect(lost).toEqual(['no answer within 10 s']);
});

test('a receiver that refuses gets no second try; an overloaded one does', async () => {
  const refusing = open({ post: () => new Response('', { status: 404 }) });
  const [overloaded, busy] = [503, 429].map((status) =>
    open({ post: (calls) => new Response('', { status: calls === 1 ? status : 200 }) }),
  );
  for (const { alerts } of [refusing, overloaded!, busy!]) alerts.observe('prospects', ran('failed'), false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([refusing.bodies.length, refusing.lost]).toEqual([1, ['it answered 404']]);
  for (const { bodies, lost } of [overloaded!, busy!]) expect([bodies.length, lost]).toEqual([2, []]);
});

test('a redirect is not followed: the message may go to another host', async () => {
  const { alerts, lost, redirects } = open({ post: () => new Response('', { status: 302 }) });
  alerts.observe('prospects', ran('failed'), false);
  await alerts.settled();
  expect([redirects, lost]).toEqual([['manual'], ['it answered 302']]);
});

test('G7: a refused held plan is no news, whatever came before; another plan is, and once', async () => {
  const { alerts, bodies } = open();
  const held = ran('held', {}, 'three are too many');
  const no: LastRun = { ...held, isRefused: true };
  for (const run of [held, no, no, ran('failed'), no, held, held, no, ran('succeeded'), no, held])
    alerts.observe('prospects', run, false);
  await alerts.settled();
  expect(bodies.map(({ event, previous }) => [event, previous])).toEqual([
    ['held', 'succeeded'],
    ['failed', 'held'],
    ['held', 'held'],
    ['recovered', 'held'],
    ['held', 'held'],
  ]);
});

test('G7: whether a refusal was heard outlives the process', async () => {
  const first = open();
  const held = ran('held', {}, 'three are too many');
  first.alerts.observe('prospects', held, false);
  expect(first.alerts.observe('prospects', { ...held, isRefused: true }, false)).toBe(true);
  const told = new Map([['prospects', first.alerts.told('prospects')!]]);
  const second = open({ told });
  expect(second.alerts.observe('prospects', { ...held, isRefused: true }, false)).toBe(false);
  second.alerts.observe('prospects', held, false);
  await second.alerts.settled();
  expect(second.bodies).toMatchObject([{ event: 'held', previous: 'held' }]);
});

const refused = (side: 'crm' | 'sheet'): LastRun => ({ ...ran('failed', {}, 'refused'), refused: side });

test('credentials that Google refuses are told once for all jobs of the account, and once when it takes them again', async () => {
  const { alerts, bodies } = open();
  for (const sync of ['prospects', 'leads', 'prospects']) alerts.observe(sync, refused('sheet'), false);
  alerts.observe('leads', ran('succeeded'), false);
  alerts.observe('prospects', ran('succeeded'), false);
  await alerts.settled();
  expect(bodies.map(({ event, text }) => [event, text])).toEqual([
    [
      'failed',
      'leadsheet: Google refuses the credentials: refused. This concerns 2 jobs, tried again without a reload',
    ],
    ['recovered', 'leadsheet: Google takes the credentials again (2 jobs)'],
  ]);
});

test('a job of a refused account that fails for another reason is told; the other side that refuses is told as well', async () => {
  const { alerts, bodies } = open();
  alerts.observe('prospects', refused('sheet'), false);
  alerts.observe('leads', ran('failed', {}, 'the service is down'), false);
  alerts.observe('leads', refused('crm'), true);
  alerts.observe('prospects', refused('crm'), true);
  await alerts.settled();
  expect(bodies.map(({ event, sync, jobs }) => [event, sync, jobs])).toEqual([
    ['failed', 'prospects', ['leads', 'prospects']],
    ['failed', 'leads', undefined],
    ['stopped', 'leads', ['leads', 'prospects']],
  ]);
});

test('what was told of a job that a reload removes or moves says nothing of an account that has taken the credentials since', async () => {
  const accounts = new Map([
    ['prospects', 'acme'],
    ['leads', 'acme'],
    ['twins', 'beta'],
  ]);
  const { alerts, bodies } = open({ accounts });
  alerts.observe('prospects', refused('crm'), true);
  accounts.delete('prospects');
  alerts.observe('leads', ran('succeeded'), false);
  // It is added back, and the next token is refused as well.
  accounts.set('prospects', 'acme');
  alerts.observe('prospects', refused('crm'), true);
  accounts.set('prospects', 'beta');
  alerts.observe('twins', ran('succeeded'), false);
  alerts.observe('prospects', refused('crm'), true);
  await alerts.settled();
  expect(bodies.map(({ event, account, sync }) => [event, account, sync])).toEqual([
    ['stopped', 'acme', 'prospects'],
    ['recovered', 'acme', 'leads'],
    ['stopped', 'acme', 'prospects'],
    ['stopped', 'beta', 'prospects'],
  ]);
});

test('L12: a message that is not delivered yet does not count as told for the next process; one that was given up does', async () => {
  const gates: ((response: Response) => void)[] = [];
  let heard = 0;
  const post = () => new Promise<Response>((resolve) => void gates.push(resolve));
  const { alerts, lost } = open({ post, onHeard: () => (heard += 1) });
  const answer = async (status: number) => {
    await vi.waitFor(() => expect(gates).toHaveLength(1), { timeout: 100_000 });
    gates.shift()!(new Response(null, { status }));
    await vi.advanceTimersByTimeAsync(1);
  };
  alerts.observe('leads', ran('failed'), false);
  alerts.observe('prospects', refused('sheet'), false);
  alerts.observe('leads', refused('sheet'), false);
  alerts.observe('prospects', ran('succeeded'), false);
  const surelyTold = () => ['leads', 'prospects'].map((job) => alerts.surelyTold(job));
  expect(surelyTold()).toEqual([undefined, undefined]);
  await answer(200);
  expect(surelyTold()).toEqual([{ state: 'failed', kinds: [] }, undefined]);
  await answer(404);
  expect(lost).toHaveLength(1);
  const isRefused = { kinds: [], refused: 'sheet' };
  expect(surelyTold()).toEqual([
    { state: 'failed', ...isRefused },
    { state: 'succeeded', ...isRefused },
  ]);
  await answer(200);
  await alerts.settled();
  expect(surelyTold()).toEqual([
    { state: 'failed', kinds: [] },
    { state: 'succeeded', kinds: [] },
  ]);
  expect(surelyTold()).toEqual(['leads', 'prospects'].map((job) => alerts.told(job)));
  expect(heard).toBe(3);
});

test('L12: a message to a slow receiver does not count as told because one to the receiver of a later reload was delivered', async () => {
  const { promise: slow, resolve: answer } = Promise.withResolvers<Response>();
  let url = 'https://slow.test/hook';
  const { alerts, bodies } = open({
    urlOf: () => new Secret(url),
    post: (calls) => (calls === 1 ? slow : new Response()),
  });
  alerts.observe('leads', ran('failed'), false);
  url = 'https://quick.test/hook';
  alerts.observe('prospects', ran('failed'), false);
  await vi.waitFor(() => expect(bodies).toHaveLength(2), { timeout: 100_000 });
  await vi.advanceTimersByTimeAsync(1);
  expect(alerts.surelyTold('leads')).toBeUndefined();
  answer(new Response());
  await alerts.settled();
  for (const job of ['leads', 'prospects']) expect(alerts.surelyTold(job)).toEqual({ state: 'failed', kinds: [] });
});
