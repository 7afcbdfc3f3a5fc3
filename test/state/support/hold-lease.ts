// A process that takes the lease of sync "s" under the given folder, prints that, and holds it until it is killed.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { openStore } from '../../../src/state/open.ts';

const [folder = '', waitMs = '0'] = process.argv.slice(2);
const store = openStore(`file:${folder}`, {
  process: { pid: process.pid, probe: (pid) => process.kill(pid, 0) },
  now: () => Date.now(),
  randomId: () => randomUUID(),
  warn: () => {},
});
try {
  const lease = await store.sync('s').acquireLease({ waitMs: Number(waitMs) });
  await lease.load();
  await lease.commit({ facts: { put: new Map([['pid', process.pid]]) } });
  console.log('held');
  await setTimeout(60_000);
} catch (error) {
  console.log(String(error));
}
