// A process that takes the lease of sync "s", commits, prints that, and holds it until it is killed. It commits once more
// for each line that it reads, and prints what came of that.
import { createInterface } from 'node:readline';
import { openRealStore, readOptions } from './real-store.ts';

const options = readOptions();
const commitPid = { facts: { put: new Map([['pid', process.pid]]) } };
try {
  const lease = await openRealStore(options).sync('s').acquireLease({ waitMs: options.waitMs });
  await lease.load();
  await lease.commit(commitPid);
  console.log('held');
  for await (const line of createInterface({ input: process.stdin })) {
    await lease.commit({ facts: { put: new Map([['said', line]]) } });
    console.log('committed');
  }
} catch (error) {
  console.log(String(error));
}
