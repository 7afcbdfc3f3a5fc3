import { afterEach, expect, test, vi } from 'vitest';
import { createEventStream } from '../../src/web/events.ts';

/* The stream of what happens in runs, for readers of any speed. */

afterEach(() => void vi.useRealTimers());

const progress = (sync: string, done: number) => ({ type: 'progress', sync, step: 'crm', done, total: 5_000 }) as const;

test('each reader gets the events it wants, in order, from when it began', async () => {
  const stream = createEventStream();
  stream.observe(progress('a', 1));
  using all = stream.open(() => true);
  using ofB = stream.open(({ sync }) => sync === 'b');
  stream.observe(progress('a', 2));
  stream.observe(progress('b', 3));
  all.end();
  ofB.end();
  const done = async (reader: typeof all) =>
    (await Array.fromAsync(reader.events)).map((event) =>
      event === 'alive' || event.type !== 'progress' ? event : event.done,
    );
  expect([await done(all), await done(ofB)]).toEqual([[2, 3], [3]]);
});

test('a reader that takes nothing keeps a thousand events, the latest', async () => {
  const stream = createEventStream();
  using reader = stream.open(() => true);
  for (let done = 1; done <= 5_000; done += 1) stream.observe(progress('a', done));
  reader.end();
  const events = await Array.fromAsync(reader.events);
  expect(events).toHaveLength(1_000);
  expect(events.at(-1)).toEqual(progress('a', 5_000));
});

test('a reader hears every five seconds that the process is alive, and nothing after it is closed', async () => {
  vi.useFakeTimers();
  const stream = createEventStream();
  const reader = stream.open(() => true);
  const events = reader.events[Symbol.asyncIterator]();
  const next = events.next();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await next).toEqual({ done: false, value: 'alive' });
  reader[Symbol.dispose]();
  stream.observe(progress('a', 1));
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(vi.getTimerCount()).toBe(0);
});
