import { describe, expect, it } from 'vitest';
import { cancel } from '../../../src/operator/cancel.ts';
import { ann, operatorError, operatorOf } from '../../operator/support.ts';
import { cancelAtEachInstant } from '../cancel-at-each-instant.ts';
import { createEnrolmentTrial } from './support.ts';

const today = '2026-11-21';
const cancelled = `cancelled ${today}: not put into Welcome`;

/** Ann is linked and wishes for Welcome. A run saw the wish while it settled; the next one that is asked for carries it out. */
async function waiting() {
  const trial = createEnrolmentTrial({ sync: { settle_secs: 600 } });
  const [uuid = ''] = await trial.linked('ann@firm.io');
  trial.type('ann@firm.io', 'Automation', 'Welcome');
  await trial.run({ isAsked: false });
  expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'waiting' });
  const id = `${uuid}/${trial.welcome.uuid}`;
  const cancelIt = (given = id) => cancel(operatorOf(trial), ann, { ids: [given] });
  return { ...trial, uuid, id, cancelIt };
}

describe('E8: a wish that a person cancels is not carried out', () => {
  it.each(['id', 'ann@firm.io/Welcome', 'ann@firm.io', 'row:2', 'ann/welcome'])(
    'E8: named by %s, it is never enrolled, the row says so, and the history has who decided',
    async (name) => {
      const trial = await waiting();
      const { cancels } = await trial.cancelIt(name === 'id' ? trial.id : name);
      expect(cancels).toMatchObject([{ id: trial.id, outcome: 'cancelled', by: 'ann', row: 2, through: 'cli' }]);
      expect(cancels[0]!.said).toContain('the enrolment of ann <ann@firm.io> in Welcome is cancelled');
      const report = await trial.run();
      expect(report).toMatchObject({ status: 'succeeded', counts: { enrolled: 0, ignored: 1 } });
      expect(trial.resultOf('ann@firm.io')).toBe(cancelled);
      for (const isFull of [false, true, false]) await trial.run({ isFull });
      await trial.start();
      await trial.run();
      expect(trial.enrolled()).toEqual([]);
      const lines = await trial.history();
      expect(lines.filter((line) => line['decision'] === 'cancel')).toMatchObject([
        { id: trial.id, by: 'ann', through: 'cli', outcome: 'taken', contact: trial.uuid, seen: { state: 'waiting' } },
      ]);
    },
  );

  it('E8, W9: a run that said nothing new before tells the row, and the one after it writes nothing', async () => {
    const trial = createEnrolmentTrial({ automation: { unless: { 'First name': ['ann'] } } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    for (let runs = 0; runs < 3; runs += 1) await trial.run();
    expect(trial.resultOf('ann@firm.io')).toBe('vetoed: First name is ann');
    await cancel(operatorOf(trial), ann, { ids: ['ann@firm.io'] });
    await trial.run();
    expect(trial.resultOf('ann@firm.io')).toBe(cancelled);
    await trial.run();
    const before = [trial.stateFiles(), trial.writes()];
    await trial.run();
    expect([trial.stateFiles(), trial.writes()]).toEqual(before);
  });

  it('E8, W3: a plan shows the wish as cancelled before any run took the decision up', async () => {
    const trial = await waiting();
    await trial.cancelIt();
    const { changes, problems } = await trial.plan();
    expect(changes.filter(({ op }) => op === 'enrol')).toEqual([]);
    expect(problems).toMatchObject([{ kind: 'ignored', rule: 'E8', reason: `enrolment ${cancelled}`, id: trial.id }]);
  });

  it('E8, I10: it stays cancelled where the contact is deleted and entered again', async () => {
    const trial = await waiting();
    await trial.cancelIt();
    await trial.run();
    trial.service.model.contacts.remove(trial.uuid);
    trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
    for (let runs = 0; runs < 3; runs += 1) await trial.run({ isFull: true });
    expect(trial.enrolled()).toEqual([]);
    expect(trial.resultOf('ann@firm.io')).toBe(cancelled);
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'cancelled' });
  });

  it.each([true, false])(
    'E8, I10: so it does where a person cancels it while a run finds that the contact was entered again (carried out by that run: %s)',
    async (isAsked) => {
      const trial = await waiting();
      trial.service.model.contacts.remove(trial.uuid);
      trial.addContact({ first_name: 'ann', email: 'ann@firm.io' });
      let answer = '';
      trial.atEachInstant(async (what) => {
        if (!(what instanceof Request) || answer !== '') return;
        answer = 'asked';
        answer = (await trial.cancelIt()).cancels[0]!.outcome;
      });
      await trial.attempt({ isFull: true, isAsked });
      trial.atEachInstant(() => {});
      expect(answer).toBe('cancelled');
      for (let runs = 0; runs < 2; runs += 1) await trial.run({ isFull: true });
      expect(trial.resultOf('ann@firm.io')).toBe(cancelled);
      expect(trial.enrolled()).not.toContain('ann@firm.io Welcome active');
      const lines = await trial.history();
      expect(lines.filter((line) => line['decision'] === 'cancel')).toMatchObject([{ id: trial.id, outcome: 'taken' }]);
    },
  );

  it('E8: a run has to see the cell without the wish before the same wish counts again', async () => {
    const trial = await waiting();
    await trial.cancelIt();
    await trial.run();
    trial.type('ann@firm.io', 'Automation', '');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.enrolled()).toEqual([]);
    trial.type('ann@firm.io', 'Automation', '');
    await trial.run();
    expect(trial.resultOf('ann@firm.io')).toBe('');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });

  it('E8, E5: a misspelt name in the cell takes nothing back, and the right one is then still cancelled', async () => {
    const trial = await waiting();
    await trial.cancelIt();
    for (const text of ['Wellcome', 'Welcome', '#REF!', 'Welcome, Nurture']) {
      trial.type('ann@firm.io', 'Automation', text);
      await trial.run();
    }
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Nurture active']);
    expect(trial.resultOf('ann@firm.io')).toBe(`${cancelled}; enrolled ${today} in Nurture`);
  });

  it('E8, E1: retry takes it up again; a cancel after the retry ends that', async () => {
    const trial = await waiting();
    await trial.cancelIt();
    await trial.run();
    await expect(trial.cancelIt()).rejects.toMatchObject(operatorError('nothing', /is cancelled already/));
    expect(await trial.cli('retry', trial.id)).toMatchObject({ code: 0 });
    expect((await trial.cancelIt()).cancels).toMatchObject([
      {
        outcome: 'cancelled',
        said: expect.stringMatching(/^the retry of the enrolment .*; it stays as it is: cancelled$/),
      },
    ]);
    await trial.run();
    expect([trial.enrolled(), trial.resultOf('ann@firm.io')]).toEqual([[], cancelled]);
    expect(await trial.cli('retry', trial.id)).toMatchObject({ code: 0 });
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome active']);
  });

  it('E8, E6: a wish that waits for an approval is cancelled, and the approval lets the others through', async () => {
    const trial = createEnrolmentTrial();
    const [annId = ''] = await trial.linked('ann@firm.io', 'bob@firm.io');
    for (const email of ['ann@firm.io', 'bob@firm.io']) trial.type(email, 'Automation', 'Welcome');
    await trial.loseState();
    const held = await trial.run();
    expect(held).toMatchObject({ planned: { enrolments: 2 } });
    const { cancels } = await cancel(operatorOf(trial), ann, { ids: ['ann@firm.io/Welcome'] });
    expect(cancels).toMatchObject([{ outcome: 'cancelled', id: `${annId}/${trial.welcome.uuid}` }]);
    expect(await trial.run()).toMatchObject({ planned: { enrolments: 1 } });
    await trial.approveWishes(await trial.run());
    await trial.run();
    expect(trial.enrolled()).toEqual(['bob@firm.io Welcome active']);
  });
});

describe('E8: what was done is never called cancelled', () => {
  it.each([
    ['cancel', 'to end it, take the automation out of its cell: on_clear is cancel'],
    ['ignore', 'to end it, take the contact out of the automation in the service'],
  ])('E8, E5: an enrolment that is there is refused with what ends it (on_clear: %s)', async (onClear, ends) => {
    const trial = createEnrolmentTrial({ automation: { on_clear: onClear } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    await trial.run();
    const answer = await trial.cli('cancel', 'ann@firm.io/Welcome');
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toContain('too late: the enrolment of ann <ann@firm.io> in Welcome was done at');
    expect(answer.stderr).toContain(ends);
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
  });

  it('E8, E3: an enrolment of unknown outcome is refused; a second try of it that waits goes back to unknown', async () => {
    const trial = await waiting();
    trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'automations.add-contact', times: 1 });
    await trial.run();
    await expect(trial.cancelIt()).rejects.toMatchObject(
      operatorError('nothing', /^too late: a call for .* what came of it is unknown. It is not made again by itself/),
    );
    await trial.cli('retry', trial.id, '--yes');
    expect((await trial.cancelIt()).cancels).toMatchObject([{ outcome: 'cancelled' }]);
    await trial.run();
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'unknown' });
    await trial.cli('retry', trial.id, '--yes');
    // The service does not take the call: the wish waits again.
    trial.service.faults.inject({ kind: 'rate_limited', operation: 'automations.add-contact', times: 20 });
    await trial.run();
    trial.service.faults.clear();
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'waiting' });
    expect((await trial.cancelIt()).cancels).toMatchObject([{ outcome: 'cancelled' }]);
    await trial.run();
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'unknown' });
    expect(trial.resultOf('ann@firm.io')).toBe('unknown: look in the service whether Welcome has it');
    expect(trial.enrolled()).toEqual([]);
  });

  it('E8, E5: the second try of an enrolment that was done goes back to enrolled; emptying the cell then still cancels it', async () => {
    const trial = createEnrolmentTrial({ automation: { on_clear: 'cancel', unless: { 'First name': ['Ann'] } } });
    await trial.linked('ann@firm.io');
    trial.type('ann@firm.io', 'Automation', 'Welcome');
    trial.type('ann@firm.io', 'First name', 'Jo');
    await trial.run();
    trial.type('ann@firm.io', 'First name', 'Ann');
    await trial.cli('retry', 'ann@firm.io/Welcome', '--yes');
    await trial.run();
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'waiting' });
    const answer = await trial.cli('cancel', 'ann@firm.io/Welcome');
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    await trial.run();
    expect(await trial.ledger()).toEqual({ 'ann@firm.io Welcome': 'enrolled' });
    expect(trial.resultOf('ann@firm.io')).toBe(`enrolled ${today} in Welcome`);
    trial.type('ann@firm.io', 'Automation', '');
    await trial.run();
    await trial.run();
    expect(trial.enrolled()).toEqual(['ann@firm.io Welcome cancelled']);
  });

  it('E8: nothing is known of a wish that no run has seen, and a wrong one records nothing', async () => {
    const trial = await waiting();
    const count = async () => (await (await trial.start()).store.sync('prospects').load()).requests.size;
    for (const [given, said] of [
      ['row:99', 'no enrolment and no message is known of row:99; a row without a contact has nothing to cancel yet'],
      ['ann@firm.io/Nurture', 'no enrolment and no message is known of ann@firm.io/Nurture'],
      ['ann@firm.io/Welcom', 'did you mean ann@firm.io/Welcome?'],
    ] as const) {
      const { code, stderr } = await trial.cli('cancel', trial.id, given);
      expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(said) });
    }
    expect(await count()).toBe(0);
    expect(await trial.cli('cancel')).toMatchObject({ code: 64 });
  });
});

interface Ended {
  readonly outcome: string;
  readonly told: string;
  readonly enrolled: readonly string[];
  readonly calls: number;
}

function faultIn({ outcome, told, enrolled, calls }: Ended): string | undefined {
  if (outcome === 'cancelled' && (enrolled.length > 0 || calls > 0)) return 'enrolled after the cancel';
  if (outcome === 'cancelled' && !/^(?:cancelled|unknown)/.test(told)) return 'the row does not say so';
  if (told.startsWith('cancelled') && enrolled.length > 0) return 'the row says cancelled';
  const isTold = /^(?:enrolled|unknown)/.test(told);
  return (enrolled.length > 0 || outcome.startsWith('refused')) && !isTold ? 'the row says something else' : undefined;
}

describe('E8: a cancel at any instant of the run that would enrol', () => {
  it.each([false, true])(
    'E8, L8, L10: nobody is enrolled after a cancel that was taken up, and what was enrolled says so (killed then: %s)',
    async (dies) => {
      const seen = await cancelAtEachInstant({ begin: waiting, dies, outcomeAfter });
      expect(seen).toEqual(expect.arrayContaining(['cancelled', 'refused']));

      async function outcomeAfter(trial: Awaited<ReturnType<typeof waiting>>, outcome: string) {
        for (let more = 0; more < 2; more += 1) await trial.run({ isFull: true });
        const calls = trial.callsOf('automations.add-contact');
        const all = { outcome, told: trial.resultOf('ann@firm.io'), enrolled: trial.enrolled(), calls };
        return { ...all, fault: faultIn(all) };
      }
    },
  );
});
