// Processes of one machine share the budget of the token. The stand-in counts what arrives, by its own clock.
import { expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../support/program.ts';
import { createSides } from '../support/sides.ts';

const headers = ['First name', 'Email'];
const people = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => [`${name}${index}`, `${name}${index}@budget.test`] as const);

test('W6: two syncs and commands beside them, at once, never exceed the budget together', async () => {
  // Ten calls a slot of about a second.
  const requestsPerMinute = 600;
  const startsMax = 10;
  const slotMs = 1_010;
  const it = await createSides({
    values: [headers, ...people('a', 25)],
    second: { name: 'Second', values: [headers, ...people('b', 25)] },
    rowCount: 100,
    requestsPerMinute,
    sync: {
      match: ['email'],
      columns: { 'First name': 'first_name', Email: 'email' },
      limits: { creates: 1_000 },
    },
  });
  onTestFinished(it.close);
  const env = { OUTREACH_BASE_URL: it.serviceUrl, OUTREACH_TOKEN: it.token };
  const start = (...args: string[]) =>
    startProgram([...args, '--config', it.configFile], { cwd: it.folder, env }).ended;
  /** A machine that stands still may lose an answer; the next run then looks (W4). */
  const settled = async (name: string) => {
    const first = await start('sync', name);
    return first.code === 3 && first.stdout.includes('unknown') ? start('sync', name) : first;
  };
  const syncs = Promise.all([settled('prospects'), settled('Second')]);
  const codes: (number | null)[] = [];
  for (let call = 0; call < 4; call += 1) codes.push((await start('api', 'lists.list')).code);
  expect(await syncs).toEqual([expect.objectContaining({ code: 0 }), expect.objectContaining({ code: 0 })]);
  expect(codes).toEqual([0, 0, 0, 0]);

  const times = it.service.received.entries.map(({ time }) => time);
  expect(times.length).toBeGreaterThan(50);
  for (const from of times) {
    expect(times.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(requestsPerMinute);
  }
  // Calls arrive a little early or late: a second of the whole time is left to that. A slow machine takes longer.
  const tookMs = Math.max(...times) - Math.min(...times);
  expect(tookMs).toBeGreaterThanOrEqual((Math.ceil(times.length / startsMax) - 1) * slotMs - 1_000);
});
