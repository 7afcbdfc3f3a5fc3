import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const file = new URL('../../src/lib/collect-garbage.ts', import.meta.url).href;

/** In a process of its own: six lists of a million objects, of which one is needed at a time, and then none. */
const script = `
import { runInNewContext } from 'node:vm';
import { collectGarbage } from '${file}';
let list = [];
for (let round = 0; round < 6; round += 1) {
  const next = [];
  for (let index = 0; index < 1e6; index += 1) next.push({ index });
  list = next;
}
list = undefined;
const before = process.memoryUsage.rss();
await collectGarbage();
const after = process.memoryUsage.rss();
await collectGarbage();
console.log(JSON.stringify({ share: after / before, gc: typeof globalThis.gc, inContexts: runInNewContext('typeof gc') }));
`;

test('free pages of V8 go back to the system, and the process has no function for it afterwards', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  const { share, gc, inContexts } = JSON.parse(stdout) as { share: number; gc: string; inContexts: string };
  expect(share).toBeLessThan(0.5);
  expect([gc, inContexts]).toEqual(['undefined', 'undefined']);
});
