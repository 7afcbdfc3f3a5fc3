import { describe, expect, test } from 'vitest';
import { cancel } from '../../../src/operator/cancel.ts';
import { ann, operatorOf } from '../../operator/support.ts';
import { tabTitle } from '../../support/app.ts';
import { killAt } from '../kill-at.ts';
import { createOutboxTrial } from './support.ts';

/* P8: words in Send that stand in other rows than before. */

const old = Array.from({ length: 6 }, (_, index) => `old ${index}`);
const fresh = Array.from({ length: 6 }, (_, index) => `new ${index}`);
const pass = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));
const row = (text: string, send: string) => ['ann@firm.io', 'Sales', text, send];

/** Six messages were sent and say yes still; six more are being written, and say nothing. */
async function sixSent() {
  const trial = createOutboxTrial({ outbox: { sends_per_hour: 100 } });
  await trial.ready(...old.map((text) => row(text, 'yes')), ...fresh.map((text) => row(text, '')));
  await trial.run();
  expect(trial.sent()).toHaveLength(6);
  return { ...trial, says, sort, unsort, newlySent: () => trial.sent().slice(6) };

  /** What stands in Send, from the first row on. */
  function says(words: readonly string[], from = 2): void {
    trial.person.paste(
      `'${tabTitle}'!D${from}`,
      words.map((word) => [word]),
    );
  }

  /** The column Send is sorted alone, blanks first. */
  function sort(): void {
    says([...fresh.map(() => ''), ...old.map(() => 'yes')]);
  }

  function unsort(): void {
    says([...old.map(() => 'yes'), ...fresh.map(() => '')]);
  }
}

describe('P8: the column Send was sorted alone', () => {
  test('what came to say yes waits, and each row says so; put back, nothing was sent', async () => {
    const trial = await sixSent();
    trial.sort();
    const held = await trial.run();
    expect(held).toMatchObject({ status: 'partial', planned: { messages: 6 }, approvable: held.run });
    expect(trial.newlySent()).toEqual([]);
    expect(trial.rowWith('new 3')['Sync']).toBe(
      'held: its yes may be that of another row: put the column back, or approve',
    );
    // Whatever the next runs see, it is the same plan.
    expect(await trial.run()).toMatchObject({ approvable: held.run, planned: { messages: 6 } });
    trial.unsort();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', planned: { messages: 0 } });
    expect(trial.rowWith('new 3')['Sync']).toBeUndefined();
    await trial.run();
    expect(trial.newlySent()).toEqual([]);
  });

  test('put back row after row, with runs between: the last ones still wait', async () => {
    const trial = await sixSent();
    trial.sort();
    await trial.run();
    for (const [index, text] of fresh.entries()) {
      trial.put(text, 'Send', '');
      trial.put(old[index]!, 'Send', 'yes');
      const { planned } = await trial.run();
      expect(planned.messages).toBe(5 - index);
    }
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.newlySent()).toEqual([]);
  });

  test('a restart between forgets none of it', async () => {
    const trial = await sixSent();
    trial.sort();
    await trial.run();
    for (const text of fresh.slice(0, 4)) trial.put(text, 'Send', '');
    await trial.start();
    expect(await trial.run()).toMatchObject({ planned: { messages: 2 } });
    expect(trial.newlySent()).toEqual([]);
  });

  test('approved, each goes out once, and the approval is spent', async () => {
    const trial = await sixSent();
    trial.sort();
    await trial.approve(await trial.run());
    expect(await trial.run()).toMatchObject({ counts: { sent: 6 }, planned: { messages: 0 } });
    expect(trial.newlySent()).toEqual(fresh.map((text) => `ann: ${text}`));
    await trial.run();
    // The six of before said yes, and do not any more: that is noted now.
    trial.unsort();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', planned: { messages: 0 } });
    expect(trial.newlySent()).toHaveLength(6);
  });

  test('what is typed meanwhile is sent, and what moves meanwhile waits as well', async () => {
    const trial = await sixSent();
    trial.sort();
    await trial.run();
    const more = fresh.map((text) => row(`typed ${text}`, 'yes'));
    trial.person.paste(`'${tabTitle}'!A14`, [...more, ...fresh.map((text) => row(`moved ${text}`, ''))]);
    expect(await trial.run()).toMatchObject({ counts: { sent: 6 }, planned: { messages: 6 } });
    trial.says([...more.map(() => ''), ...more.map(() => 'yes')], 14);
    expect(await trial.run()).toMatchObject({ counts: { sent: 0 }, planned: { messages: 12 } });
    expect(trial.newlySent()).toEqual(fresh.map((text) => `ann: typed ${text}`));
  });

  test('an approval of fewer lets none through', async () => {
    const trial = await sixSent();
    trial.sort();
    const held = await trial.run();
    await trial.approve({ ...held, planned: { ...held.planned, messages: 5 } });
    expect(await trial.run()).toMatchObject({ planned: { messages: 6 } });
    expect(await trial.run()).toMatchObject({ planned: { messages: 6 } });
    expect(trial.newlySent()).toEqual([]);
  });

  test.each([1, 2, 3, 4, 5, 6, 8])(
    'L10: the approved run is killed at instant %i, and so is the next one: each goes out at most once, and what moves afterwards waits again',
    async (at) => {
      const trial = await sixSent();
      trial.sort();
      await trial.approve(await trial.run());
      trial.person.paste(
        `'${tabTitle}'!A14`,
        fresh.map((text) => row(`later ${text}`, '')),
      );
      await killAt(trial, at);
      trial.says([...old.map(() => ''), ...fresh.map(() => ''), ...fresh.map(() => 'yes')]);
      await killAt(trial, 5);
      expect(await trial.run()).toMatchObject({ planned: { messages: 6 } });
      await trial.run();
      expect(new Set(trial.newlySent()).size).toBe(trial.newlySent().length);
      expect(trial.newlySent().filter((each) => each.includes('later'))).toEqual([]);
    },
  );

  test('retry of one of them sends that one', async () => {
    const trial = await sixSent();
    trial.sort();
    await trial.run();
    const id = trial.rowWith('new 2')['Outbox ID'] ?? '';
    await trial.retry(id, false);
    expect(await trial.run()).toMatchObject({ counts: { sent: 1 }, planned: { messages: 5 } });
    expect(trial.newlySent()).toEqual(['ann: new 2']);
  });
});

describe('P8: what else moves words in Send', () => {
  /** Every second message was sent. */
  async function everySecond(length: number) {
    const trial = createOutboxTrial({ outbox: { sends_per_hour: 100 } });
    await trial.ready(...Array.from({ length }, (_, index) => row(`text ${index}`, index % 2 === 0 ? '' : 'yes')));
    await trial.run();
    expect(trial.sent()).toHaveLength(length / 2);
    return trial;
  }

  test('a cell of it is deleted, and those below move up', async () => {
    const trial = await everySecond(12);
    trial.person.cutPaste(`'${tabTitle}'!D3:D13`, `'${tabTitle}'!D2`);
    expect(await trial.run()).toMatchObject({ planned: { messages: 6 } });
    expect(trial.sent()).toHaveLength(6);
  });

  test('all but it is sorted, without the IDs', async () => {
    const trial = await everySecond(20);
    trial.person.sortRange(`'${tabTitle}'!A2:C21`, 'C', 'DESCENDING');
    await trial.run();
    expect(trial.sent()).toHaveLength(10);
  });

  test('it is sorted, and blanks come last, as Google sorts', async () => {
    const trial = await everySecond(20);
    trial.person.sortRange(`'${tabTitle}'!D2:D21`, 'D');
    expect(await trial.run()).toMatchObject({ planned: { messages: 5 } });
    expect(trial.sent()).toHaveLength(10);
  });

  test('messages that wait for the cap give their yes to others', async () => {
    const trial = createOutboxTrial({ outbox: { sends_per_hour: 1 } });
    await trial.ready(...old.map((text) => row(text, 'yes')), ...fresh.map((text) => row(text, '')));
    await trial.run();
    const first = trial.sent();
    trial.person.paste(
      `'${tabTitle}'!D2`,
      [...fresh.map(() => ''), ...old.map(() => 'yes')].map((word) => [word]),
    );
    expect(await trial.run()).toMatchObject({ planned: { messages: 6 } });
    trial.person.paste(
      `'${tabTitle}'!D2`,
      [...old.map(() => 'yes'), ...fresh.map(() => '')].map((word) => [word]),
    );
    for (let hour = 0; hour < 7; hour += 1) {
      await pass(3_700_000);
      await trial.run();
    }
    expect(first).toHaveLength(1);
    expect(trial.sent().toSorted()).toEqual(old.map((text) => `ann: ${text}`));
  });

  test('P7: a cancelled message stays so, although its yes went and came back', async () => {
    const trial = createOutboxTrial({ outbox: { sends_per_hour: 1 } });
    await trial.ready(...old.map((text) => row(text, 'yes')), ...fresh.map((text) => row(text, '')));
    await trial.run();
    for (const text of old.filter((each) => !trial.sent().includes(`ann: ${each}`))) {
      await cancel(operatorOf(trial), ann, { ids: [trial.rowWith(text)['Outbox ID'] ?? ''] });
    }
    await trial.run();
    const [there, gone] = [old.map(() => 'yes'), old.map(() => '')];
    for (const words of [
      [...gone, ...there],
      [...there, ...gone],
    ]) {
      trial.person.paste(
        `'${tabTitle}'!D2`,
        words.map((word) => [word]),
      );
      await trial.run();
      await pass(3_700_000);
    }
    await trial.run();
    expect(trial.sent()).toHaveLength(1);
  });
});

describe('P8: what no cell moved for', () => {
  test('four that are wanted sent, as others are no more', async () => {
    const trial = await sixSent();
    trial.says(['yes', 'yes', '', '', '', '', 'yes', 'yes', 'yes', 'yes', '', '']);
    expect(await trial.run()).toMatchObject({ counts: { sent: 4 }, planned: { messages: 0 } });
  });

  test('all that was sent is cleared, and a run later others are wanted sent', async () => {
    const trial = await sixSent();
    trial.says(old.map(() => ''));
    await trial.run();
    trial.says(
      fresh.map(() => 'yes'),
      8,
    );
    expect(await trial.run()).toMatchObject({ counts: { sent: 6 }, planned: { messages: 0 } });
  });

  test('messages that wait are cut and pasted below, without their IDs', async () => {
    const trial = createOutboxTrial({ outbox: { sends_per_hour: 1 } });
    await trial.ready(...old.map((text) => row(text, 'yes')));
    await trial.run();
    trial.person.cutPaste(`'${tabTitle}'!A3:D7`, `'${tabTitle}'!A10`);
    for (let hour = 0; hour < 7; hour += 1) {
      await pass(3_700_000);
      expect(await trial.run()).toMatchObject({ planned: { messages: 0 } });
    }
    expect(trial.sent().toSorted()).toEqual(old.map((text) => `ann: ${text}`));
  });

  test('a whole tab is sorted, with its IDs', async () => {
    const trial = await sixSent();
    const [names = [], ...rows] = trial.person.read(`'${tabTitle}'`);
    const whole = rows.map((cells) => names.map((_name, index) => cells[index] ?? ''));
    trial.person.paste(`'${tabTitle}'!A2`, whole.toReversed());
    expect(await trial.run()).toMatchObject({ status: 'succeeded', planned: { messages: 0 } });
    expect(trial.newlySent()).toEqual([]);
  });
});
