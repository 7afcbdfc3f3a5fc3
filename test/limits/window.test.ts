import { expect, test } from 'vitest';
import { createWindow } from '../../src/limits/window.ts';

test('a full window asks to wait until its oldest start has left it', () => {
  let at = 100;
  const window = createWindow({ startsMax: 2, lengthMs: 1_000, elapsed: () => at });
  expect(window.waitMs()).toBe(0);
  window.start();
  at = 400;
  window.start();
  expect([window.count(), window.waitMs()]).toEqual([2, 700]);
  at = 1_100;
  expect([window.count(), window.waitMs()]).toEqual([1, 0]);
});

test('an overrun window waits until enough starts have left it', () => {
  let at = 0;
  const window = createWindow({ startsMax: 1, lengthMs: 1_000, elapsed: () => at });
  window.start();
  at = 600;
  window.start();
  expect(window.waitMs()).toBe(1_000);
});
