import { onTestFinished, expect, test, vi } from 'vitest';
import { createMemoryRelease } from '../../../src/daemon/memory-release.ts';
import { createDaemonTrial, until } from '../../support/daemon.ts';

/* Memory that the process keeps and does not use goes back to the system. Figures are in megabytes. */

const collectionFails = new Error('gc is not defined');

interface Figures {
  readonly rss: number;
  readonly used: number;
}

/** A process that takes so much, and so much after a collection. */
function begin({ rss, used }: Figures, left = 100) {
  vi.useFakeTimers();
  let now = { rss, used };
  let fails = false;
  const seen = { collections: 0, released: [] as string[], failures: [] as unknown[] };
  const release = createMemoryRelease({
    usage: () => ({ rss: now.rss * 1e6, heapUsed: now.used * 0.75e6, external: now.used * 0.25e6 }),
    async collect() {
      seen.collections += 1;
      if (fails) throw collectionFails;
      now = { ...now, rss: left };
    },
    onReleased: (mb) => seen.released.push(`${mb.before_mb} -> ${mb.after_mb}`),
    onFailure: (error) => seen.failures.push(error),
  });
  const end = () => release[Symbol.dispose]();
  onTestFinished(() => {
    end();
    vi.useRealTimers();
  });
  return {
    seen,
    end,
    fail: () => void (fails = true),
    /** It takes so much from now on; 30 s go by. */
    look: async (next: Figures = now) => {
      now = next;
      await vi.advanceTimersByTimeAsync(30_000);
    },
  };
}

test.each([
  { what: 'most of it is not in use', rss: 800, used: 200, collections: 1 },
  { what: 'half of it is in use', rss: 800, used: 410, collections: 0 },
  { what: 'it is little', rss: 500, used: 100, collections: 0 },
])('$rss MB resident, $used MB in use: $what', async ({ rss, used, collections }) => {
  const { look, seen } = begin({ rss, used });
  await look();
  expect(seen.collections).toBe(collections);
});

test('what was resident before and after a collection is told', async () => {
  const { look, seen } = begin({ rss: 800, used: 200 }, 350);
  await look();
  expect(seen.released).toEqual(['800 -> 350']);
});

test('memory that stays after a collection is left alone until a quarter more is taken', async () => {
  const { look, seen } = begin({ rss: 1_000, used: 200 }, 800);
  await look();
  await look();
  await look({ rss: 990, used: 200 });
  expect(seen.collections).toBe(1);
  await look({ rss: 1_010, used: 200 });
  expect(seen.collections).toBe(2);
});

test('a collection that fails is told once and not tried again', async () => {
  const { look, seen, fail } = begin({ rss: 800, used: 200 });
  fail();
  await look();
  await look();
  expect(seen).toMatchObject({ collections: 1, released: [], failures: [collectionFails] });
});

test('nothing is collected after the end', async () => {
  const { look, seen, end } = begin({ rss: 800, used: 200 });
  end();
  await look();
  expect(seen.collections).toBe(0);
});

test('a daemon looks at its memory, and writes what it returned to its log', async () => {
  const { begin: start, said } = createDaemonTrial({ sync: { schedule: '0 0 1 1 *' } });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const taken = [800e6, 300e6];
  const memoryUsage = () => ({ ...process.memoryUsage(), rss: taken.shift() ?? 0, heapUsed: 1e6, external: 0 });
  const { stop } = await start({ memoryUsage });
  vi.advanceTimersByTime(30_000);
  await until(() => said('memory was returned to the system').length > 0);
  expect(said('memory was returned to the system')).toMatchObject([{ before_mb: 800, after_mb: 300 }]);
  await stop();
});
