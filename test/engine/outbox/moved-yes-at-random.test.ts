// OUTBOX_MOVES=1000 OUTBOX_SEED=1 npx vitest run test/engine/outbox/moved-yes-at-random.test.ts
//
// Words in Send move, are put back in part, and others type beside them, while runs are killed and answers are lost (P8).
import { expect, it } from 'vitest';
import { createRandom } from '../../../src/standin/service/random.ts';
import { isOfNote, tabTitle } from '../../support/app.ts';
import { createOutboxTrial } from './support.ts';

const runs = Number(process.env['OUTBOX_MOVES'] ?? 6);
const first = Number(process.env['OUTBOX_SEED'] ?? 1);
const hourMs = 3_600_000;
const pass = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));
const textOf = (sent: string) => sent.slice(sent.indexOf(': ') + 2);

it.each(Array.from({ length: runs }, (_, index) => first + index))(
  'P8, P1, P7, L8: nothing is sent that nobody released, and all that was released is, once: seed %i',
  async (seed) => {
    const random = createRandom(seed);
    const chance = (percent: number) => random.integer(1, 100) <= percent;
    const trial = createOutboxTrial({ outbox: { sends_per_hour: random.pick([1, 3, 100]) } });
    const texts = Array.from({ length: random.integer(12, 24) }, (_, index) => `m${index}`);
    let words: readonly string[];
    let moved: readonly string[];
    do {
      words = texts.map(() => random.pick(['yes', '']));
      moved = move(words);
    } while (!isNoticed(moved));
    /** Of which a person said yes, or that they want it sent. */
    const released = new Set(texts.filter((_, index) => words[index] === 'yes'));
    const cancelled = new Set<string>();
    /** Cancelled ones whose yes somebody typed again: a run may have seen them without it, or not (P7). */
    const either = new Set<string>();
    await trial.ready(...texts.map((text, index) => ['ann@firm.io', 'Sales', text, words[index]!]));
    await trial.run();
    await cancelSome();
    const { came, left } = between(moved);
    type(moved);
    if (chance(50)) await runOnce();
    await trial.run();

    let typed = 0;
    for (let act = random.integer(3, 9); act > 0; act -= 1) await anAct();
    const ending = random.pick(['approved', 'put back', 'undone'] as const);
    if (ending === 'approved') await approveAll();
    else if (ending === 'undone') undo();
    else for (const text of came.filter((each) => !released.has(each))) putBack(text, left.shift());
    if (ending !== 'undone') for (const text of left) sayYes(text);
    for (let hour = 0; hour < texts.length + 8; hour += 1) {
      await pass(hourMs + 60_000);
      await trial.run();
      if (!trial.rows().some(({ Sync = '' }) => /^(?:waiting|failed)/.test(Sync))) break;
    }
    judge();

    function judge(): void {
      const sent = trial.sent().map((each) => textOf(each));
      expect(new Set(sent).size).toBe(sent.length);
      expect(sent.filter((text) => !released.has(text) || cancelled.has(text))).toEqual([]);
      // A lost answer leaves it unknown, and a refusal of the service says no.
      const due = trial.rows().filter(({ Send, Sync = '' }) => Send === 'yes' && !/unknown|refused/.test(Sync));
      const unsent = due.filter(({ Text = '' }) => !cancelled.has(Text) && !either.has(Text) && !sent.includes(Text));
      expect(unsent.map(({ Text, Sync }) => [Text, Sync])).toEqual([]);
    }

    /** Fewer are no move, as far as anybody can tell. */
    function isNoticed(after: readonly string[]): boolean {
      const each = between(after);
      const [least, most] = [each.came.length, each.left.length].toSorted((a, b) => a - b) as [number, number];
      return least >= Math.max(5, most * 0.8);
    }

    /** Texts of the rows that say yes then, and did not; and of those that did. */
    function between(after: readonly string[]): { readonly came: string[]; readonly left: string[] } {
      return {
        came: texts.filter((_, index) => after[index] === 'yes' && words[index] !== 'yes'),
        left: texts.filter((_, index) => after[index] !== 'yes' && words[index] === 'yes'),
      };
    }

    /** The column says again what it said, at once. */
    function undo(): void {
      const rows = trial.rows();
      const isHeld = rows.some(({ Sync = '' }) => Sync.startsWith('held'));
      if (!isHeld) for (const text of cancelled) if (left.includes(text)) sayYes(text);
      const before = new Map(texts.map((text, index) => [text, words[index]!]));
      type(rows.map(({ Text = '', Send = '' }) => (released.has(Text) && Send === 'yes' ? 'yes' : before.get(Text)!)));
    }

    function type(column: readonly string[]): void {
      trial.person.paste(
        `'${tabTitle}'!D2`,
        column.map((word) => [word]),
      );
    }

    /** The column is sorted, turned round, or cells of it are deleted or inserted. */
    function move(before: readonly string[]): string[] {
      const by = random.integer(1, 3);
      const blanks = Array.from({ length: by }, () => '');
      switch (random.pick(['sorted', 'reversed', 'up', 'down', 'round'] as const)) {
        case 'sorted':
          return before.toSorted((a, b) => (a === b ? 0 : a === '' ? 1 : -1));
        case 'reversed':
          return before.toReversed();
        case 'up':
          return [...before.slice(by), ...blanks];
        case 'down':
          return [...blanks, ...before.slice(0, -by)];
        case 'round':
          return [...before.slice(by * 3), ...before.slice(0, by * 3)];
      }
    }

    async function anAct(): Promise<void> {
      switch (random.pick(['run', 'run', 'killed', 'back', 'back', 'type', 'rows', 'retry', 'hour'] as const)) {
        case 'run':
          if (chance(40)) loseAnswer();
          await trial.run();
          return;
        case 'killed':
          return runOnce();
        case 'back': {
          const text = came.find((each) => !released.has(each));
          if (text !== undefined) putBack(text, chance(60) ? left.shift() : undefined);
          return;
        }
        case 'type': {
          typed += 1;
          released.add(`typed ${typed}`);
          const at = trial.person.read(`'${tabTitle}'`).length + 1;
          return trial.person.paste(`'${tabTitle}'!A${at}`, [['ann@firm.io', 'Sales', `typed ${typed}`, 'yes']]);
        }
        case 'rows':
          return trial.person.moveRows(tabTitle, random.integer(3, texts.length), 1, 2);
        case 'retry': {
          const text = random.pick(came);
          const { 'Outbox ID': id = '', Send } = trial.rowWith(text);
          if (id === '' || Send !== 'yes' || trial.sent().some((each) => textOf(each) === text)) return;
          released.add(text);
          return trial.retry(id, false);
        }
        case 'hour':
          await pass(hourMs);
      }
    }

    function putBack(text: string, other: string | undefined): void {
      came.splice(came.indexOf(text), 1);
      trial.put(text, 'Send', '');
      if (other !== undefined) sayYes(other);
    }

    function sayYes(text: string): void {
      trial.put(text, 'Send', 'yes');
      if (cancelled.delete(text)) either.add(text);
    }

    function loseAnswer(): void {
      const when = random.pick(['before', 'after'] as const);
      trial.service.faults.inject({ kind: 'lost', when, operation: 'network-messages.send', times: 1 });
    }

    /** A run that may be killed at any instant. */
    async function runOnce(): Promise<void> {
      let calls = random.integer(1, 14);
      trial.atEachInstant((what) => {
        if (isOfNote(what) && (calls -= 1) === 0) trial.kill();
      });
      await trial.attempt();
      trial.atEachInstant(() => {});
      await trial.start();
    }

    async function cancelSome(): Promise<void> {
      for (const { Text = '', Sync = '', 'Outbox ID': id = '' } of trial.rows()) {
        if (!Sync.startsWith('waiting') || !chance(30)) continue;
        cancelled.add(Text);
        const origin = { by: 'somebody', at: new Date().toISOString(), through: 'cli', text: '' } as const;
        await trial.request({ kind: 'cancel', id, origin: { ...origin, seen: { state: 'waiting' } } });
      }
      await trial.run();
    }

    async function approveAll(): Promise<void> {
      const held = await trial.run();
      if (held.approvable === undefined) return;
      await trial.approve(held);
      for (const text of came) if (trial.rowWith(text)['Send'] === 'yes') released.add(text);
      if (chance(50)) await runOnce();
      await trial.run();
    }
  },
);
