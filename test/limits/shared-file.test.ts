import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { budgetName, createMeter } from '../../src/limits/meter.ts';
import { createSharedFile } from '../../src/limits/shared-file.ts';

const limit = { startsMax: 4, lengthMs: 1_000 };
const budget = budgetName('crm', 'https://service.test', 'the token');

/** Processes of one machine on one folder, with a clock that the test moves. */
function createMachine(uptime = 1_000_000) {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-budget-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = { uptime };
  const warnings: string[] = [];
  let pid = 0;
  const start = () => {
    pid += 1;
    const file = createSharedFile({
      folder,
      uptime: () => clock.uptime,
      pid,
      warn: (message) => warnings.push(message),
    });
    onTestFinished(() => file[Symbol.dispose]());
    return file;
  };
  return { folder, path: join(folder, '.budget.db'), clock, warnings, start };
}

describe('starts that processes share', () => {
  test('together they are no more than the limit, and the wait is until the next one leaves', () => {
    const { clock, start } = createMachine();
    const [a, b] = [start(), start()];
    expect([a, b, a, b].map((each) => each.take(budget, limit))).toEqual([0, 0, 0, 0]);
    clock.uptime += 400;
    expect([a, b].map((each) => each.take(budget, limit))).toEqual([600, 600]);
    clock.uptime += 600;
    expect(a.take(budget, limit)).toBe(0);
    expect(b.lastMinute(budget)).toBe(5);
    clock.uptime += 60_000;
    expect(b.lastMinute(budget)).toBe(0);
  });

  test('in no time of that length are more starts, whoever asks when', () => {
    const asks = fc.array(
      fc.record({ by: fc.integer({ min: 0, max: 2 }), afterMs: fc.integer({ min: 0, max: 700 }) }),
      {
        minLength: 50,
        maxLength: 120,
      },
    );
    fc.assert(
      fc.property(asks, (asked) => {
        const { clock, start, warnings } = createMachine();
        const files = [start(), start(), start()];
        const starts: number[] = [];
        for (const { by, afterMs } of asked) {
          clock.uptime += afterMs;
          if (files[by]!.take(budget, limit) === 0) starts.push(clock.uptime);
        }
        for (const from of starts) {
          const inside = starts.filter((at) => at >= from && at < from + limit.lengthMs);
          expect(inside.length).toBeLessThanOrEqual(limit.startsMax);
        }
        expect(starts.length).toBeGreaterThan(0);
        expect(warnings).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test('each process keeps its own limit when they differ', () => {
    const { start } = createMachine();
    const [strict, loose] = [start(), start()];
    const few = { startsMax: 2, lengthMs: 1_000 };
    expect([loose.take(budget, limit), loose.take(budget, limit)]).toEqual([0, 0]);
    expect(strict.take(budget, few)).toBe(1_000);
  });

  test('budgets of other credentials are counted apart', () => {
    const { start } = createMachine();
    const [a, b] = [start(), start()];
    for (let n = 0; n < 4; n += 1) a.take(budget, limit);
    expect(b.take(budgetName('crm', 'https://service.test', 'another token'), limit)).toBe(0);
    expect(b.take(budget, limit)).toBeGreaterThan(0);
  });

  test('a process that begins to wait beside one at full speed gets the next start', () => {
    const { clock, start } = createMachine();
    const [daemon, command] = [start(), start()];
    for (let n = 0; n < 4; n += 1) daemon.take(budget, limit);
    const waitMs = command.take(budget, limit)!;
    daemon.take(budget, limit);
    clock.uptime += waitMs + 1;
    // Four are free, and the daemon asks first.
    const got = [0, 0, 0, 0, 0].map(() => daemon.take(budget, limit));
    expect(got.filter((ms) => ms === 0)).toHaveLength(3);
    expect(command.take(budget, limit)).toBe(0);
  });

  test('a process that died while it waited holds nobody up for long', () => {
    const { clock, start } = createMachine();
    const [daemon, dead] = [start(), start()];
    for (let n = 0; n < 4; n += 1) daemon.take(budget, limit);
    clock.uptime += dead.take(budget, limit)! + 301;
    expect([0, 0, 0, 0].map(() => daemon.take(budget, limit))).toEqual([0, 0, 0, 0]);
  });

  test('W6: a pause that one is told holds for all, and the longest counts', () => {
    const { clock, start } = createMachine();
    const [told, other] = [start(), start()];
    told.pause(budget, 5_000);
    told.pause(budget, 2_000);
    expect(other.pausedMs(budget)).toBe(5_000);
    expect(other.take(budget, limit)).toBe(5_000);
    clock.uptime += 5_000;
    expect(other.pausedMs(budget)).toBe(0);
    expect(other.take(budget, limit)).toBe(0);
  });

  test('what was written before the machine was started again counts for nothing', () => {
    const { clock, start } = createMachine(9_000_000);
    const before = start();
    for (let n = 0; n < 4; n += 1) before.take(budget, limit);
    before.pause(budget, 3_600_000);
    clock.uptime = 20_000;
    const after = start();
    expect(after.pausedMs(budget)).toBe(0);
    expect(after.lastMinute(budget)).toBe(0);
    expect([0, 0, 0, 0].map(() => after.take(budget, limit))).toEqual([0, 0, 0, 0]);
  });
});

describe('a file that cannot be used', () => {
  const own = (starts: ReturnType<typeof createSharedFile>, clock: { uptime: number }) =>
    createMeter({ ...limit, elapsed: () => clock.uptime, shared: { starts, budget } });

  test('only this account reads it, and no credential is in it', () => {
    const { path, start } = createMachine();
    start().take(budget, limit);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(budget).toMatch(/^crm [0-9a-f]{16}$/);
  });

  test('without a folder of the state none is made, and nothing is said', () => {
    const { folder, path, start, warnings } = createMachine();
    rmSync(folder, { recursive: true });
    expect(start().take(budget, limit)).toBeUndefined();
    expect(() => readdirSync(path)).toThrow('ENOENT');
    expect(warnings).toEqual([]);
  });

  test('one that is deleted is made anew by all, and the own starts still count', () => {
    const { folder, clock, start, warnings } = createMachine();
    const [a, b] = [own(start(), clock), own(start(), clock)];
    for (let n = 0; n < 3; n += 1) a.take();
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    expect([a.take(), b.take(), b.take(), b.take(), b.take()].map((ms) => ms > 0)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(a.take()).toBeGreaterThan(0);
    expect(warnings).toEqual([]);
  });

  test.each([
    { it: 'is damaged', spoil: (path: string) => writeFileSync(path, 'no database '.repeat(1_000)) },
    {
      it: 'has other tables',
      spoil(path: string) {
        using database = new DatabaseSync(path);
        database.exec('CREATE TABLE starts (other TEXT)');
      },
    },
    {
      it: 'is held by another program',
      spoil(path: string) {
        const database = new DatabaseSync(path);
        onTestFinished(() => database.close());
        database.exec('CREATE TABLE x (y); BEGIN EXCLUSIVE');
      },
    },
  ])('if it $it, the process counts alone, keeps the budget, and says so once', ({ spoil }) => {
    const { path, clock, start, warnings } = createMachine();
    spoil(path);
    const meter = own(start(), clock);
    expect([0, 0, 0, 0, 0].map(() => meter.take() > 0)).toEqual([false, false, false, false, true]);
    expect(meter.lastMinute()).toBe(4);
    clock.uptime += 20_000;
    meter.take();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/\.budget\.db: calls of other processes of this machine are not counted for now/);
  });

  test('a damaged one is made anew and shared again', () => {
    const { path, clock, start } = createMachine();
    writeFileSync(path, 'no database '.repeat(1_000));
    const [a, b] = [start(), start()];
    expect(a.take(budget, limit)).toBeUndefined();
    clock.uptime += 10_001;
    for (let n = 0; n < 4; n += 1) a.take(budget, limit);
    expect(b.take(budget, limit)).toBeGreaterThan(0);
  });
});
