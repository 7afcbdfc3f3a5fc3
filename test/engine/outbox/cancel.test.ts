import { describe, expect, it } from 'vitest';
import { cancel } from '../../../src/operator/cancel.ts';
import { retry } from '../../../src/operator/retry.ts';
import { ann, operatorError, operatorOf } from '../../operator/support.ts';
import { cancelAtEachInstant } from '../cancel-at-each-instant.ts';
import { createOutboxTrial } from './support.ts';

const row = (to: string, text: string, send = 'yes') => [to, 'Sales', text, send];

/** The row "Hi Ann" says yes. A run gave it an ID, and did not send it: it settles. The next run that is asked for sends it. */
async function waiting(options: Parameters<typeof createOutboxTrial>[0] = {}) {
  const trial = createOutboxTrial({ ...options, outbox: { settle_secs: 600, ...options.outbox } });
  await trial.ready(row('ann@firm.io', 'Hi Ann'));
  await trial.run({ isAsked: false });
  await trial.run({ isAsked: false });
  const id = trial.rowWith('Hi Ann')['Outbox ID'] ?? '';
  expect(await trial.ledger()).toEqual({ waiting: 1 });
  const cancelIt = (given = id) => cancel(operatorOf(trial), ann, { ids: [given] });
  /** A run, with what a person does right before its first call. */
  const atFirstCall = async (act: () => Promise<unknown>) => {
    let isOver = false;
    trial.atEachInstant(async (what) => {
      if (isOver || !(what instanceof Request)) return;
      isOver = true;
      await act();
    });
    await trial.run();
    trial.atEachInstant(() => {});
  };
  return { ...trial, id, cancelIt, atFirstCall };
}

const told = /^cancelled 2026-11-21 09:\d\dZ: not sent$/;

describe('P7: a message that a person cancels is not sent', () => {
  it.each(['id', 'row:2'])(
    'P7: named by %s, it is never sent, the row says so, and the history has who',
    async (name) => {
      const trial = await waiting();
      const { cancels } = await trial.cancelIt(name === 'id' ? trial.id : name);
      expect(cancels).toMatchObject([
        {
          id: trial.id,
          outcome: 'cancelled',
          row: 2,
          said: expect.stringContaining('the message in row 2 of messages'),
        },
      ]);
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { sent: 0, ignored: 1 } });
      for (let more = 0; more < 3; more += 1) await trial.run();
      expect(trial.rowWith('Hi Ann')['Sync']).toMatch(told);
      expect([trial.sent(), trial.sends()]).toEqual([[], 0]);
      const before = [trial.stateFiles('messages'), trial.writes()];
      await trial.run();
      expect([trial.stateFiles('messages'), trial.writes()]).toEqual(before);
      const lines = await trial.history();
      expect(lines.filter((line) => line['decision'] === 'cancel')).toMatchObject([
        { id: trial.id, by: 'ann', outcome: 'taken', seen: { state: 'waiting' } },
      ]);
    },
  );

  it('P7: other text in the row does not have it sent; a run that sees Send without yes does', async () => {
    const trial = await waiting();
    await trial.cancelIt();
    await trial.run();
    trial.put('Hi Ann', 'Text', 'Hello Ann');
    await trial.run();
    expect(trial.rowWith('Hello Ann')['Sync']).toMatch(told);
    for (const text of ['=#REF!', 'maybe', '="no"']) {
      trial.put('Hello Ann', 'Send', text);
      await trial.run();
      trial.put('Hello Ann', 'Send', 'yes');
      await trial.run();
      expect({ text, sent: trial.sent() }).toEqual({ text, sent: [] });
    }
    trial.put('Hello Ann', 'Send', '');
    await trial.run();
    expect(trial.rowWith('Hello Ann')['Sync'] ?? '').toBe('');
    trial.put('Hello Ann', 'Send', 'yes');
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hello Ann']);
  });

  it('P7: a Send column that is gone takes nothing back', async () => {
    const trial = await waiting();
    await trial.cancelIt();
    await trial.run();
    trial.person.deleteColumns('Prospects', 'D', 1);
    expect(await trial.run()).toMatchObject({ problems: [{ rule: 'W11', field: 'Send' }] });
    expect(await trial.ledger()).toEqual({ cancelled: 1 });
  });

  it('P7, P1: retry has it sent all the same; a cancel after the retry ends that', async () => {
    const trial = await waiting();
    await trial.cancelIt();
    await trial.run();
    await trial.retry(trial.id, false);
    await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi Ann']);
    const other = await waiting();
    await other.retry(other.id, false);
    await other.cancelIt();
    await other.run();
    expect(other.sent()).toEqual([]);
  });

  it('P7, E8, L12: a cancel after a retry holds, both said while a run is about to send', async () => {
    const trial = await waiting();
    await trial.atFirstCall(async () => {
      await retry(operatorOf(trial), ann, { ids: [trial.id], isSure: false });
      expect(await trial.cancelIt()).toMatchObject({ cancels: [{ outcome: 'cancelled' }] });
    });
    for (let more = 0; more < 2; more += 1) await trial.run();
    expect([trial.sent(), trial.rowWith('Hi Ann')['Sync']]).toEqual([[], expect.stringMatching(told)]);
    const decisions = (await trial.history()).filter(({ decision }) => decision !== undefined);
    expect(decisions).toMatchObject([
      { decision: 'retry', outcome: 'void' },
      { decision: 'cancel', outcome: 'taken' },
    ]);
  });

  it('P7: a refused row, which would be asked about again within the hour, is cancelled', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('zed@firm.io', 'Hi Zed'));
    await trial.run();
    expect(trial.rowWith('Hi Zed')['Sync']).toContain('refused: the contact does not exist');
    expect(await trial.cli('cancel', 'row:2')).toMatchObject({ code: 0, stderr: '' });
    trial.addContact({ first_name: 'zed', email: 'zed@firm.io' });
    await new Promise((resolve) => void setTimeout(resolve, 3_700_000));
    await trial.run();
    expect(trial.sent()).toEqual([]);
    expect(trial.rowWith('Hi Zed')['Sync']).toMatch(/^cancelled .*: not sent$/);
  });

  it('P7, P2: where no copy is as it was when it was cancelled, none is sent', async () => {
    const trial = await waiting();
    await trial.cancelIt();
    await trial.run();
    trial.person.copyPaste("'Prospects'!2:2", "'Prospects'!3:3");
    trial.person.paste("'Prospects'!C2", [['One']]);
    trial.person.paste("'Prospects'!C3", [['Two']]);
    await trial.run();
    await trial.run();
    expect(trial.sent()).toEqual([]);
    expect(trial.rowWith('One')['Sync']).toContain('which of them was cancelled cannot be told');
  });
});

describe('P1, L8: a retry with a yes that no question asked for', () => {
  it('P1, L8: is void where the run that was under way sends the message', async () => {
    const trial = await waiting();
    await trial.atFirstCall(() => retry(operatorOf(trial), ann, { ids: [trial.id], isSure: true }));
    for (let more = 0; more < 2; more += 1) await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi Ann']);
    const decisions = (await trial.history()).filter(({ decision }) => decision !== undefined);
    expect(decisions).toMatchObject([{ decision: 'retry', outcome: 'void' }]);
  });

  it('P2, L8: is void where the message was sent once its row had its ID again', async () => {
    const trial = await waiting();
    await retry(operatorOf(trial), ann, { ids: [trial.id], isSure: true });
    trial.put('Hi Ann', 'Outbox ID', '');
    for (let more = 0; more < 3; more += 1) await trial.run();
    expect(trial.sent()).toEqual(['ann: Hi Ann']);
  });
});

describe('P7: what was sent is never called cancelled', () => {
  it('P7: it is refused with the time at which it was sent', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi Ann'));
    await trial.run();
    const answer = await trial.cli('cancel', 'row:2', '--sync', 'messages');
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toMatch(/too late: the message in row 2 of messages to .* was sent at 2026-11-21T09:00/);
    expect(trial.rowWith('Hi Ann')['Sync']).toMatch(/^sent/);
  });

  it('P7, E8: a retry that no run has taken up is cancelled, and the message is sent as before', async () => {
    const trial = createOutboxTrial();
    await trial.ready(row('ann@firm.io', 'Hi Ann'));
    await trial.run();
    const id = trial.rowWith('Hi Ann')['Outbox ID'] ?? '';
    expect(await trial.cli('retry', id, '--yes')).toMatchObject({ code: 0 });
    const { stdout } = await trial.cli('cancel', id);
    expect(stdout).toContain('the retry of the message in row 2 of messages');
    await trial.run();
    expect([trial.sent(), trial.rowWith('Hi Ann')['Sync']]).toEqual([['ann: Hi Ann'], expect.stringMatching(/^sent/)]);
    const decisions = (await trial.history()).filter(({ decision }) => decision !== undefined);
    expect(decisions).toMatchObject([
      { decision: 'retry', outcome: 'void' },
      { decision: 'cancel', outcome: 'taken' },
    ]);
    await expect(cancel(operatorOf(trial), ann, { ids: [id] })).rejects.toMatchObject(
      operatorError('nothing', /^too late/),
    );
  });

  it('P7, P3: a second sending that waits is cancelled, and the row says sent as before', async () => {
    const trial = createOutboxTrial({ outbox: { sends_per_hour: 1 } });
    await trial.ready(row('ann@firm.io', 'Hi Ann'));
    await trial.run();
    const id = trial.rowWith('Hi Ann')['Outbox ID'] ?? '';
    await trial.retry(id);
    await trial.run();
    expect(await trial.ledger()).toEqual({ waiting: 1 });
    const { cancels } = await cancel(operatorOf(trial), ann, { ids: [id] });
    expect(cancels).toMatchObject([{ outcome: 'cancelled' }]);
    await new Promise((resolve) => void setTimeout(resolve, 3_700_000));
    await trial.run();
    expect(await trial.ledger()).toEqual({ sent: 1 });
    expect([trial.sent(), trial.rowWith('Hi Ann')['Sync']]).toEqual([['ann: Hi Ann'], expect.stringMatching(/^sent/)]);
    await expect(cancel(operatorOf(trial), ann, { ids: [id] })).rejects.toMatchObject(
      operatorError('nothing', /^too late/),
    );
  });
});

interface Ended {
  readonly outcome: string;
  readonly status: string;
  readonly sent: readonly string[];
}

function faultIn({ outcome, status, sent }: Ended): string | undefined {
  if (outcome === 'cancelled' && sent.length > 0) return 'sent after the cancel';
  if (outcome === 'cancelled' && !/^(?:cancelled|quarantined: outcome)/.test(status)) return 'the row does not say so';
  if (status.startsWith('cancelled') && sent.length > 0) return 'the row says cancelled';
  return sent.length > 0 && !/^(?:sent|quarantined)/.test(status) ? 'the row says something else' : undefined;
}

describe('P7: a cancel at any instant of the run that would send', () => {
  it.each([false, true])(
    'P7, L8, L10: nothing is sent after a cancel that was taken up, and what was sent says so (killed then: %s)',
    async (dies) => {
      const seen = await cancelAtEachInstant({ begin: () => waiting(), dies, outcomeAfter });
      expect(seen).toEqual(expect.arrayContaining(['cancelled', 'refused']));

      async function outcomeAfter(trial: Awaited<ReturnType<typeof waiting>>, outcome: string) {
        for (let more = 0; more < 2; more += 1) await trial.run();
        const all = { outcome, status: trial.rowWith('Hi Ann')['Sync'] ?? '', sent: trial.sent() };
        return { ...all, fault: faultIn(all) };
      }
    },
  );
});
