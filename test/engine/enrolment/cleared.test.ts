// Many wishes that leave their cells at once: a column that was cleared, or sorted alone (G2, E5).
import { describe, expect, it } from 'vitest';
import { createEnrolmentTrial } from './support.ts';

/** Ten contacts in Welcome, which their cells name, among twenty. */
async function tenEnrolled(more: Parameters<typeof createEnrolmentTrial>[0] = {}) {
  const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel' }, ...more });
  const emails = Array.from({ length: 20 }, (_, index) => `p${index}@firm.io`);
  await trial.linked(...emails);
  const wished = emails.slice(0, 10);
  for (const email of wished) trial.type(email, 'Automation', 'Welcome');
  expect(await trial.run()).toMatchObject({ counts: { enrolled: 10 } });
  return {
    ...trial,
    wished,
    clear: (count: number) => wished.slice(0, count).forEach((email) => trial.type(email, 'Automation', '')),
    putBack: () => wished.forEach((email) => trial.type(email, 'Automation', 'Welcome')),
    active: () => trial.enrolled().filter((text) => text.endsWith('active')).length,
  };
}

type Trial = Awaited<ReturnType<typeof tenEnrolled>>;

const reason =
  '3 enrolments to cancel, because their wishes left the cells, are more than the limit of 20% of 10, that is 2: look at the plan, then approve it';

async function approve(trial: Trial): Promise<void> {
  expect(await trial.cli('approve', 'prospects', '--yes')).toMatchObject({ code: 0 });
}

describe('G2, E5: wishes that leave their cells', () => {
  it('as many as the limit are cancelled by themselves, and one more holds the run until the cells are back', async () => {
    const trial = await tenEnrolled();
    trial.clear(3);
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G2', reason, fails: false }] });
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'held' });
    trial.putBack();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { cancelled: 0 } });
    expect([trial.callsOf('automations.cancel'), trial.active()]).toEqual([0, 10]);
    trial.clear(2);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { cancelled: 2 } });
    expect(trial.active()).toBe(8);
  });

  it('the share is one of those that are in an automation, not of all links; of fewer than five there is none', async () => {
    const trial = await tenEnrolled();
    for (const left of [8, 7, 6, 5, 4]) {
      trial.clear(10 - left);
      await trial.run();
      expect(trial.active()).toBe(left);
    }
    trial.clear(10);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { cancelled: 4 } });
  });

  it('an approval lets through exactly these, once', async () => {
    const trial = await tenEnrolled();
    trial.clear(3);
    await trial.run();
    await approve(trial);
    trial.clear(4);
    expect(await trial.run()).toMatchObject({ status: 'held' });
    expect(trial.callsOf('automations.cancel')).toBe(0);
    await approve(trial);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { cancelled: 4 } });
    expect(trial.active()).toBe(6);
    trial.clear(7);
    expect(await trial.run()).toMatchObject({ status: 'held' });
  });

  it('G4, L10: what is left of an approval whose run was killed needs no other one', async () => {
    const trial = await tenEnrolled();
    trial.clear(10);
    await trial.run();
    await approve(trial);
    let calls = 0;
    trial.atEachInstant((what) => {
      if (!(what instanceof Request) || !what.url.includes('/cancel')) return;
      calls += 1;
      if (calls === 4) trial.kill();
    });
    await trial.attempt();
    expect(trial.active()).toBeGreaterThan(0);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [] });
    expect(trial.active()).toBe(0);
  });

  it('G2, E5: cancels without an answer were counted, and are made again without another approval', async () => {
    const trial = await tenEnrolled();
    trial.clear(3);
    await trial.run();
    await approve(trial);
    trial.service.faults.inject({ kind: 'lost', operation: 'automations.cancel', when: 'after', times: 99 });
    await trial.run();
    trial.service.faults.clear();
    expect(await trial.run()).toMatchObject({ holds: [], counts: { cancelled: 3 } });
    expect(trial.active()).toBe(7);
  });

  it('G6: records of it that are approved one by one are cancelled, and do not bring the rest below the limit', async () => {
    const trial = await tenEnrolled();
    trial.clear(3);
    await trial.run();
    const uuid = trial.contacts().find((each) => each.work_email === 'p0@firm.io')!.uuid;
    expect(await trial.cli('approve', 'prospects', '--only', uuid)).toMatchObject({ code: 0 });
    expect(await trial.run()).toMatchObject({ status: 'held', counts: { cancelled: 1 } });
    expect(trial.active()).toBe(9);
    const rest =
      '2 enrolments to cancel, because their wishes left the cells, and 1 that were approved one by one, are more than the limit of 20% of 9, that is 1: look at the plan, then approve it';
    expect(await trial.run()).toMatchObject({ holds: [{ rule: 'G2', reason: rest }] });
  });

  it('E5: with on_clear: ignore nothing is cancelled, and nothing is held', async () => {
    const trial = await tenEnrolled({ automation: { on_clear: 'ignore' } });
    trial.clear(10);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { cancelled: 0 } });
  });

  it.each([
    { it: 'somebody with a wish, over one without', from: 'p0@firm.io', over: 'p11@firm.io' },
    { it: 'somebody without a wish, over one with it', from: 'p11@firm.io', over: 'p1@firm.io' },
  ])('E1, E5, I2: $it who was filled down: nobody is put into an automation or taken out', async ({ from, over }) => {
    const trial = await tenEnrolled();
    const rowOf = (email: string) => trial.grid().findIndex((row) => row['Email'] === email) + 2;
    const target = rowOf(over);
    trial.person.paste(`'Prospects'!A${target}`, trial.person.read(`'Prospects'!A${rowOf(from)}:F${rowOf(from)}`));
    for (const isFull of [false, true, false]) {
      expect(await trial.run({ isFull })).toMatchObject({
        status: 'partial',
        counts: { enrolled: 0, cancelled: 0, updated: 0, quarantined: 1 },
      });
    }
    expect([trial.callsOf('automations.cancel'), trial.active()]).toEqual([0, 10]);
  });
});
