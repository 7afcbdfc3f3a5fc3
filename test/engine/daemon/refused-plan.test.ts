import { expect, test, vi } from 'vitest';
import { approve, refuse } from '../../../src/operator/approve.ts';
import { readHeld } from '../../../src/operator/held.ts';
import { ann, header, operatorOf } from '../../operator/support.ts';
import { createDaemonTrial, until, webhookUrl } from '../../support/daemon.ts';

/* G7: the alerts about a held plan that a person refused, in a daemon on the real clock. */

const name = 'prospects';
const people = ['ann', 'bob', 'cyd', 'dan', 'eve'];
const row = (first: string) => [first, '', 'Firm', `${first}@firm.io`];

/** A daemon whose first run is held: five new contacts, and two are allowed. */
async function createHeldDaemon() {
  const trial = createDaemonTrial({
    values: [header, ...people.map(row)],
    sync: { limits: { creates: 2 } },
    file: { alerts: { webhook_url: webhookUrl } },
  });
  const operator = operatorOf(trial);
  const running = await trial.begin();
  await until(() => trial.alerts.length === 1);
  expect(trial.alerts).toMatchObject([{ event: 'held', previous: 'succeeded' }]);
  const events = () => trial.alerts.map(({ event }) => event);
  const runs = () => trial.said('run ended').length;
  /** So many further runs. */
  const more = async (count: number) => {
    const before = runs();
    await until(() => runs() >= before + count);
  };
  const no = async () => refuse(operator, ann, { name, run: (await readHeld(operator, name)).run });
  return { ...trial, operator, running, events, more, no };
}

test('G7: a refused plan is not told again, by later runs and after a restart', async () => {
  const trial = await createHeldDaemon();
  await trial.no();
  await trial.more(2);
  expect(trial.events()).toEqual(['held']);
  await trial.running.stop();
  await trial.begin();
  await trial.more(2);
  expect(trial.events()).toEqual(['held']);
});

test('G7: a refused plan that becomes another one is told, and that one once', async () => {
  const trial = await createHeldDaemon();
  await trial.no();
  await trial.more(2);
  trial.person.paste('Prospects!A7', [row('fay')]);
  await until(() => trial.events().length === 2);
  expect(trial.alerts[1]).toMatchObject({
    event: 'held',
    previous: 'held',
    reason: expect.stringContaining('6 new contacts are more than the limit of 2'),
    approve: (await readHeld(trial.operator, name)).run,
  });
  await trial.more(2);
  expect(trial.events()).toEqual(['held', 'held']);
});

test('G7: another plan after a restart is told, though the refusal was heard by the daemon before', async () => {
  const trial = await createHeldDaemon();
  await trial.no();
  await trial.more(2);
  await trial.running.stop();
  trial.person.deleteRows('Prospects', 2, 1);
  await trial.begin();
  await until(() => trial.events().length === 2);
  expect(trial.alerts[1]).toMatchObject({ event: 'held', reason: expect.stringContaining('4 new contacts') });
});

test('G7: after a refusal an approval still counts, and the end of the hold is told', async () => {
  const trial = await createHeldDaemon();
  await trial.no();
  await trial.more(1);
  await approve(trial.operator, ann, { name });
  await until(() => trial.contacts().length === people.length);
  await until(() => trial.events().length === 2);
  expect(trial.events()).toEqual(['held', 'recovered']);
});

test('a held plan that nobody refused and that becomes another one is the same news', async () => {
  const trial = await createHeldDaemon();
  trial.person.paste('Prospects!A7', [row('fay')]);
  await vi.waitFor(async () => expect((await readHeld(trial.operator, name)).counts.creates).toBe(6), {
    timeout: 100_000,
  });
  await trial.more(2);
  expect(trial.events()).toEqual(['held']);
});
