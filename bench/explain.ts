// Measures `explain` and the index under it: 100,000 linked contacts and 1,000,000 lines of history, each look in a fresh
// store, as a command has it.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { explain } from '../src/operator/explain.ts';
import type { Store } from '../src/state/port.ts';
import { contactCount, type LargeState, makeLargeState } from './support/large-state.ts';
import { type Bench, cpuMs, median, timed } from './support/measure.ts';

const rounds = 9;
const looksMax = 200;

export const bench: Bench = {
  name: 'explain',
  async run() {
    await using state = await makeLargeState({ smallJobs: 0, runs: 0, conflicts: 0, problems: 0 });
    return await measure(state);
  },
};

async function measure({ root, config, uuids, open: store }: LargeState) {
  const indexMs = await timed(() => store().keepIndex());
  const { size } = await stat(join(root, 'state', '.index.sqlite'));
  const place = (round: number) => (round * 7_919 + 13) % contactCount;
  const look = async (reference: (index: number) => string) => {
    const all: number[] = [];
    const cpu: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const operator = { config, store: store(), now: () => Date.now() };
      const index = place(round);
      const explainOne = async () => {
        const { records } = await explain(operator, { reference: reference(index) });
        if (records[0]?.id !== uuids[index]) throw new Error(`${reference(index)} is another contact`);
      };
      cpu.push(await cpuMs(async () => all.push(await timed(explainOne))));
    }
    const { ms, value } = figure(all);
    return { ms, value: `${value}, CPU ${median(cpu).toFixed(0)} ms` };
  };
  const page = async (query: (index: number) => Parameters<Store['historyPage']>[0]) => {
    const opened = store();
    await opened.historyPage({ limit: 1 });
    const all: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      all.push(await timed(() => opened.historyPage(query(place(round)))));
    }
    return figure(all);
  };
  const held = (name: string, { value, ms }: ReturnType<typeof figure>) => {
    return { name, value, target: `< ${looksMax} ms`, met: ms < looksMax };
  };
  return [
    held('explain by uuid, median of 9', await look((index) => uuids[index]!)),
    held('explain by e-mail address', await look((index) => `person.${index}@company.test`)),
    held('explain by name', await look((index) => `First${index} Last`)),
    held('explain by cell', await look((index) => `Bench!C${index + 2}`)),
    { name: 'page of a contact', value: (await page((index) => ({ contact: uuids[index]!, limit: 50 }))).value },
    {
      name: 'page of a contact and a field, newest first',
      value: (await page((index) => ({ contact: uuids[index]!, field: 'position', limit: 50, newestFirst: true })))
        .value,
    },
    { name: 'newest page of all', value: (await page(() => ({ limit: 50, newestFirst: true }))).value },
    { name: 'making the index of 1,000,000 lines', value: `${(indexMs / 1_000).toFixed(1)} s` },
    { name: 'size of the index', value: `${Math.round(size / 1e6)} MB` },
  ];
}

function figure(all: readonly number[]) {
  const ms = median(all);
  return { ms, value: `${ms.toFixed(0)} ms (most ${Math.max(...all).toFixed(0)} ms)` };
}
