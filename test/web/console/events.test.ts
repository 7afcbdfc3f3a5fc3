import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Viewer } from '../../../src/web/console/access/viewer.ts';
import { createPageFeed, type FeedMessage } from '../../../src/web/console/live/feed.ts';
import { createStreams } from '../../../src/web/console/live/streams.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';

/* The event stream of open pages over HTTP: what it tells, to whom, how it goes on after a break, and what it costs. */

afterEach(() => void vi.useRealTimers());

const password = 'correct horse battery staple';
const withPassword = { authorization: `Basic ${btoa(`anybody:${password}`)}` };
const ann: Viewer = { name: 'ann', role: 'operator', mayDecide: true, areDetailsShown: true, formToken: 'a' };

/** Opens a stream; `text` grows as it comes. The end of the test closes it. */
async function follow(url: string, headers: Readonly<Record<string, string>> = {}) {
  const stop = new AbortController();
  const answer = await fetch(url, { headers, signal: stop.signal });
  const stream = { status: answer.status, text: '', isOver: false, stop: () => stop.abort() };
  onTestFinished(() => stop.abort());
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body!) stream.text += decoder.decode(chunk, { stream: true });
  })()
    .catch(() => undefined)
    .finally(() => (stream.isOver = true));
  return stream;
}

async function begin(server: Readonly<Record<string, unknown>> = {}) {
  const trial = createDaemonTrial({ file: { server: { listen: '127.0.0.1:0', ...server } } });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', company_name: 'Firm' });
  const { url } = await trial.begin();
  await until(() => trial.said('change done').length > 0);
  return { ...trial, url: url! };
}

const positions = (text: string) => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id!);

test('a stream tells which job has something new, and holds no value of a contact', async () => {
  const { url, change, said } = await begin();
  const stream = await follow(`${url}/events`);
  change('ann@firm.io', { company_name: 'Service Ltd' });
  const before = said('change done').length;
  await until(() => said('change done').length > before);
  await until(() => /"prospects":\[[^\]]*"changes"/.test(stream.text));
  await until(() => /"prospects":\[[^\]]*"runs"/.test(stream.text));
  expect(stream.text).not.toMatch(/ann|firm|Service Ltd/i);
});

test('a stream that goes on where the page was made tells nothing twice; another one has the page loaded anew', async () => {
  const { url } = await begin();
  const first = await follow(`${url}/events`);
  expect(first.status).toBe(200);
  await until(() => first.text.includes('event: look'));
  const position = () => positions(first.text).at(-1)!;
  const old = position();
  await until(() => position() !== old);
  const page = await (await fetch(url)).text();
  const [, made = ''] = /data-position="([^"]+)"/.exec(page)!;
  expect(made.split('.')[0]).toBe(old.split('.')[0]);
  for (const headers of [{ 'last-event-id': old }, { 'last-event-id': '<x>\n'.trim() }]) {
    const late = await follow(`${url}/events?since=${position()}`, headers);
    await until(() => late.text.includes('event: look'));
  }
});

test('resumed at its position, a stream has nothing to tell', async () => {
  using feed = createPageFeed(() => 'p');
  const app = createStreams({
    feed,
    access: { viewerOf: async () => ann, viewerNow: async () => ann },
    part: (_viewer, message) => message,
  });
  const stop = new AbortController();
  const answer = await app.request('/', { headers: { 'last-event-id': feed.position() }, signal: stop.signal });
  const reader = answer.body!.getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toBe('retry: 2000\nid: p.0\ndata: {}\n\n');
  await reader.cancel();
});

test('a person without the password has no stream', async () => {
  const { url } = await begin({ password });
  expect((await fetch(`${url}/events`)).status).toBe(401);
  expect((await follow(`${url}/events`, withPassword)).status).toBe(200);
});

test('a stream ends when its session has ended, or when its viewer may do something else', async () => {
  using feed = createPageFeed(() => 'p');
  const gone = async (now: Viewer | Response) => {
    let viewer: Viewer | Response = ann;
    const app = createStreams({
      feed,
      access: { viewerOf: async () => viewer, viewerNow: async () => viewer },
      part: (_viewer, message) => message,
      checkEveryMs: 5,
    });
    const answer = await app.request('/');
    viewer = now;
    return answer.text();
  };
  expect(await gone(new Response(null, { status: 302 }))).toMatch(/event: over\ndata: \{\}\n\n$/);
  expect(await gone({ ...ann, areDetailsShown: false })).toMatch(/event: over\ndata: \{\}\n\n$/);
  expect(await gone({ ...ann, formToken: 'b' })).toMatch(/event: over\ndata: \{\}\n\n$/);
});

test('a viewer that is still the same hears that the stream lives', async () => {
  using feed = createPageFeed(() => 'p');
  const app = createStreams({
    feed,
    access: { viewerOf: async () => ann, viewerNow: async () => ann },
    part: (_viewer, message) => message,
    checkEveryMs: 5,
  });
  const reader = (await app.request('/')).body!.getReader();
  let text = '';
  while (!text.includes(': alive')) text += new TextDecoder().decode((await reader.read()).value);
  expect(text).not.toContain('event: over');
  await reader.cancel();
});

test('a reader that takes nothing is let go', async () => {
  vi.useFakeTimers();
  using feed = createPageFeed(() => 'p');
  const app = createStreams({
    feed,
    access: { viewerOf: async () => ann, viewerNow: async () => ann },
    part: (_viewer, message) => message,
  });
  const answer = await app.request('/');
  for (let round = 0; round < 100; round += 1) {
    feed.decided();
    vi.advanceTimersByTime(1_000);
  }
  const text = await answer.text();
  expect(positions(text).length).toBeLessThan(20);
});

test('ten thousand changes of a second are one message', () => {
  vi.useFakeTimers();
  using feed = createPageFeed(() => 'p');
  const told: FeedMessage[] = [];
  feed.subscribe((message) => told.push(message));
  for (let done = 1; done <= 10_000; done += 1) {
    feed.observe({ type: 'progress', sync: 'prospects', step: 'crm', done, total: 10_000 });
  }
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual([{ jobs: {}, progress: { prospects: 'crm 10,000 of 10,000' } }]);
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(1);
});

/** docs/console.md. */
const streamsMax = 256;

test('streams have a limit with a clear answer, and one that ends makes room', async () => {
  const { url } = await begin();
  /** A server that stood still for long has no patience with what came meanwhile. */
  const followed = async (): ReturnType<typeof follow> => {
    const stream = await follow(`${url}/events`);
    return stream.status === 408 ? followed() : stream;
  };
  const streams = await Promise.all(Array.from({ length: streamsMax }, followed));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await fetch(`${url}/events`);
  expect({ status: refused.status, after: refused.headers.get('retry-after') }).toEqual({ status: 503, after: '60' });
  expect(await refused.text()).toContain(`${streamsMax} pages follow what happens`);
  expect((await fetch(url)).status).toBe(200);
  streams[0]!.stop();
  await vi.waitFor(async () => expect((await follow(`${url}/events`)).status).toBe(200), { timeout: 100_000 });
});

test('200 streams that are idle are cheap, and the server answers beside them', async () => {
  const { url } = await begin();
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const heap = () => {
    gc();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  const streams = await Promise.all(Array.from({ length: 200 }, () => follow(`${url}/events`)));
  await until(() => streams.every(({ text }) => text.includes('event: look')));
  expect(await (await fetch(`${url}/healthz`)).text()).toBe('ok\n');
  // Both ends of each connection are in this process.
  expect((heap() - before) / 200).toBeLessThan(100_000);
  expect(streams.filter(({ isOver }) => isOver)).toEqual([]);
});
