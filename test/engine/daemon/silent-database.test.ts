// The end of a worker whose database does not answer (W8).
import { afterEach, expect, test, vi } from 'vitest';
import { createCutProxy } from '../../support/cut-proxy.ts';
import { createDaemonTrial, type DaemonTrialOptions, until } from '../../support/daemon.ts';
import { servePostgres } from '../../support/postgres.ts';

const postgres = servePostgres();
afterEach(() => void vi.useRealTimers());

async function begin(options: DaemonTrialOptions) {
  const proxy = await createCutProxy(postgres().port);
  const url = new URL(await postgres().createDatabase());
  url.port = String(proxy.port);
  const trial = createDaemonTrial({ ...options, state: url.href });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const { daemon, stop } = await trial.begin();
  await until(() => trial.grid().length === 1 && daemon.status()[0]?.phase === 'idle');
  /** The statements of tests have a hundred seconds. */
  const stopWithinTenSeconds = async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ending = stop();
    await vi.advanceTimersByTimeAsync(10_000);
    return ending;
  };
  return { ...trial, proxy, stopWithinTenSeconds };
}

const gaveUp = 'gave up on runs that did not come to their end; the next start settles what they had in flight';

test('W8: a worker whose database falls silent between two runs ends within ten seconds', async () => {
  const trial = await begin({ sync: { schedule: '0 0 1 1 *' } });
  trial.proxy.silence();
  expect(await trial.stopWithinTenSeconds()).toEqual([]);
  expect(trial.lines.at(-1)?.msg).toBe('leadsheet ended');
  // A database that is away is no fault of the program.
  expect(trial.lines.filter((line) => JSON.stringify(line).includes('"stack"'))).toEqual([]);
  expect(trial.said(gaveUp)).toEqual([]);
});

test('W8: a worker whose database falls silent during a run ends within ten seconds, and names it', async () => {
  const gate = Promise.withResolvers<void>();
  let held = 0;
  let isHeld = false;
  const trial = await begin({
    async around(request, next) {
      if (isHeld) {
        held += 1;
        await gate.promise;
      }
      return next(request);
    },
  });
  isHeld = true;
  await until(() => held > 0);
  trial.proxy.silence();
  gate.resolve();
  expect(await trial.stopWithinTenSeconds()).toEqual(['prospects']);
  expect(trial.lines.at(-1)?.msg).toBe('leadsheet ended');
  // A database that is away is no fault of the program.
  expect(trial.lines.filter((line) => JSON.stringify(line).includes('"stack"'))).toEqual([]);
  expect(trial.said(gaveUp)).toMatchObject([{ syncs: ['prospects'], waited_secs: 9 }]);
});
