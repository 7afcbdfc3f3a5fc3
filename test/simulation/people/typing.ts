// What people type, and whom it is about: the log knows each text by its person, side and time.
import type { Setting, FieldName } from '../world/setting.ts';
import { type Log, personLog } from './log.ts';
import { numeralOf, readToken, textOf } from './token.ts';

export type Typing = ReturnType<typeof createTyping>;

interface TypingDep {
  readonly setting: Setting;
  readonly log: Log;
  /** Epoch milliseconds, true time. */
  readonly now: () => number;
}

/** Shows #DIV/0!. */
export const errorFormula = '=1/0';

/** Enough for collisions, few enough for a readable story. */
export const rowsMax = 25;

export function createTyping({ setting, log, now }: TypingDep) {
  const fields = setting.fields.map(({ field }) => field);
  const keys = fields.filter((field) => field === 'email' || field === 'network_id');
  const texts = fields.filter((field) => field !== 'email' && field !== 'network_id');
  let count = 0;

  const tell = (text: string) => void log.story.push(text);
  const tangle = (name: string | undefined, why: string) => {
    if (name !== undefined) personLog(log, name).tangles.add(why);
  };

  /** What people typed for this person. Nobody types the formula of an error, which is no value of its cell. */
  function oldTexts(name: string | undefined, field: FieldName) {
    const isOld = (text: string) => text !== '' && text !== errorFormula;
    return log.typed.filter((typed) => typed.person === name && typed.field === field && isOld(typed.text));
  }

  function newText(name: string, field: FieldName, oddity: number): string {
    count += 1;
    return textOf(name, field, count, oddity);
  }

  /** A text that a spreadsheet takes for a number, where a person types it. */
  function newNumeral(name: string, field: FieldName, oddity: number): string {
    count += 1;
    return numeralOf(name, field, count, oddity);
  }

  function note(side: 'crm' | 'sheet', name: string | undefined, field: FieldName, text: string, at = now()): void {
    if (name === undefined) return;
    for (const typed of log.typed)
      if (typed.side === side && typed.person === name && typed.field === field) typed.isRetyped = true;
    const token = readToken(text)?.token;
    log.typed.push({ seq: log.seq, at, side, person: name, field, text, token, isRetyped: false });
  }

  /** A person who is entered with another person's key takes that person's place, by the keys (I2, I10). */
  function giveKey(name: string, email: string): void {
    const before = readToken(email)?.person;
    if (before === undefined || before === name) return;
    for (const each of [before, name]) {
      tangle(each, 'key');
      tangle(each, 'ID');
    }
  }

  /**
   * A person removed the value with its record. If nothing else identifies the record any more, the text does: it names its
   * person.
   */
  function forget(side: 'crm' | 'sheet', name: string | undefined, field: FieldName, text: string): void {
    const whose = name ?? readToken(text)?.person;
    for (const typed of log.typed)
      if (typed.side === side && typed.person === whose && typed.field === field && typed.text === text)
        typed.isRetyped = true;
  }

  function newPerson(): string {
    const name = `p${log.people.size}`;
    // By an edit of the position it leaves the sync, and comes back.
    if (setting.filter === 'position') tangle(name, 'moved');
    else personLog(log, name);
    return name;
  }

  return {
    keys,
    texts,
    /** How many texts and records there were so far. */
    count: () => count,
    next: () => (count += 1),
    tell,
    tangle,
    oldTexts,
    newText,
    newNumeral,
    note,
    giveKey,
    forget,
    newPerson,
  };
}

export function pick<Item>(items: readonly Item[], part: number): Item | undefined {
  return items[Math.floor((part * items.length) / 1000)];
}
