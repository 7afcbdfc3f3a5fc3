// A process that adds one to a number in the state, again and again, each time under a lease of its own. It prints how
// often that was confirmed.
import { LeaseLostError, LeaseTakenError } from '../../../src/state/errors.ts';
import { openRealStore, readOptions } from './real-store.ts';

const options = readOptions();
const state = openRealStore(options).sync('s');
const times = 60;
let confirmed = 0;
while (confirmed < times) {
  try {
    await using lease = await state.acquireLease({ waitMs: options.waitMs });
    const { facts } = await lease.load();
    await lease.commit({ facts: { put: new Map([['n', Number(facts.get('n') ?? 0) + 1]]) } });
    confirmed += 1;
  } catch (error) {
    if (!(error instanceof LeaseTakenError) && !(error instanceof LeaseLostError)) throw error;
  }
}
console.log(`confirmed ${confirmed}`);
