// Appends lines to the history of a sync in a process of its own, and indexes them: root, sync, rounds, lines a round.
import { historyLine, openTrial } from '../../support/state.ts';

const [, , root = '', sync = '', rounds = '0', count = '0'] = process.argv;
const { store, warnings } = openTrial(root, { pid: process.pid });
for (let round = 0; round < Number(rounds); round += 1) {
  await using lease = await store.sync(sync).acquireLease();
  const time = (index: number) => new Date(Date.UTC(2026, 0, 31, 13, 0, round, index)).toISOString();
  await lease.appendHistory(Array.from({ length: Number(count) }, (_, index) => historyLine(time(index), { sync })));
  await store.keepIndex();
}
process.exitCode = warnings.length;
