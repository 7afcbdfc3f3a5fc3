// Two workers as processes on a real PostgreSQL: one is killed, one is stopped, the database is restarted, and people edit on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import delay from 'delay';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createRandom } from '../../src/standin/service/random.ts';
import { servePostgres } from '../support/postgres.ts';
import { programOf } from '../support/program.ts';
import { atOnce, enrolments, highestOf } from './judge.ts';
import { findLost } from './lost.ts';
import { createFleetSides } from './sides.ts';
import { createWorkers } from './workers.ts';

const server = servePostgres();
const syncs = 2;
const budget = 300;
/** The lease of a killed worker lasts a minute. The test ends as soon as all is settled. */
const limitMs = 300_000;

test(
  'S1, H1, E1: workers die, sleep and lose the database, and nothing runs at once, is done twice, or is lost',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leadsheet-chaos-'));
    const told: string[] = [];
    const say = (what: string) => void told.push(what);
    const stateUrl = await server().createDatabase();
    const sides = await createFleetSides({ folder, stateUrl, syncs, accounts: 2, requestsPerMinute: budget });
    const workers = createWorkers({
      main: inject('builtProgram'),
      // With the compiled code that other tests leave.
      env: programOf([]).env,
      folder,
      configFile: sides.configFile,
      say,
    });
    onTestFinished(async () => {
      workers.killAll();
      await sides.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const random = createRandom(1);
    const act = (times: number) => {
      for (let n = 0; n < times; n += 1) sides.act(random);
    };
    /** Every job has had so many runs that began later and did not fail. */
    const haveRun = (since: number, times: number) => {
      const whole = workers.runs.filter(({ from, to, isFailed }) => from > since && to < Infinity && !isFailed);
      const byJob = Map.groupBy(whole, ({ job }) => job);
      return byJob.size === syncs && [...byJob.values()].every(({ length }) => length >= times);
    };
    workers.start();
    workers.start();
    await until(() => sides.isLinked());
    const linkedAt = Date.now();
    await until(() => haveRun(linkedAt, 1));

    act(10);
    const [first, second] = workers.all as [(typeof workers.all)[0], (typeof workers.all)[0]];
    await until(() => workers.runs.some(({ worker, to }) => worker === first.name && to === Infinity));
    await workers.kill(first);
    act(10);
    await workers.stopFor(second, 2_000, new AbortController().signal);
    act(10);
    await server().stop();
    act(10);
    await server().start();
    const restedAt = Date.now();
    await until(() => haveRun(restedAt, 2));
    await until(() => sides.missing().length === 0 || haveRun(restedAt, 4));

    const { lost } = await findLost(sides.missing(), (...words) => workers.ask(...words), say);
    const late = await workers.endAll();
    const twice = [...enrolments(sides.service.received.entries, sides.emails())].filter(([, times]) => times > 1);
    const over = highestOf(sides.calls).filter(({ most }) => most > budget);
    expect(
      { lost, late, twice, over, atOnce: atOnce(workers.runs, sides.calls), faults: workers.counts().faults },
      `what happened:\n${told.join('\n')}`,
    ).toEqual({
      lost: [],
      late: [],
      twice: [],
      over: [],
      atOnce: [],
      faults: 0,
    });
    expect(workers.counts()).toMatchObject({ killed: 1, stopped: 1 });
  },
  limitMs,
);

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(100);
}
