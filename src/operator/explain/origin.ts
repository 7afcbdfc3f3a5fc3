// Finds the origin of the agreed value of a field, and what it replaced, as far as the history has it.
import { ruleWords } from '../../engine/rule-words.ts';
import type { HistoryLine, Json } from '../../state/port.ts';
import { isSame, type Kind } from '../../sync/value/kinds.ts';
import { isBlank, type Reading, type Side, type Value } from '../../sync/value/value.ts';
import type { RuleId } from '../../sync/rules.ts';
import type { Lost, Origin } from '../answers/explain.ts';
import { commandText } from './commands.ts';

/** The history of one contact in one sync, newest first. */
export interface Life {
  readonly lines: readonly HistoryLine[];
  /** The instant of the oldest line of the sync; undefined: it has none. */
  readonly beginsAt: string | undefined;
  /** The person who decided on each undo, by the run that carried it out. */
  readonly undos: ReadonlyMap<string, { readonly by: string; readonly at: string }>;
  /** Lines from before that may have been deleted by age. */
  readonly isCut: boolean;
}

export interface FieldHistory {
  readonly field: string;
  readonly kind: Kind;
  readonly agreed: Reading;
}

const sideNames = { crm: 'the service', sheet: 'the sheet' } as const;

export function originOf({ field, kind, agreed }: FieldHistory, life: Life): Origin {
  const writes = writesOf(field, life);
  const [last] = writes;
  if (last && isSame(kind, valueIn(last['after']), agreed)) return writtenOrigin(last, life);
  const nothing = { from: null, rule: null, rule_words: null, reason: null, by: null };
  if (agreed === undefined) {
    return { ...nothing, kind: 'never', time: null, run: null, text: 'both sides never agreed on a value' };
  }
  if (last) {
    const text = `both sides came to hold it after ${dayText(last.time)}; nothing was written`;
    return { ...nothing, kind: 'met', time: last.time, run: last.run, text };
  }
  const linked = life.lines.findLast((line) => line['side'] !== undefined);
  if (life.isCut && !isLinking(linked)) {
    const since = life.beginsAt === undefined ? '' : `, which begins ${dayText(life.beginsAt)}`;
    return { ...nothing, kind: 'older', time: null, run: null, text: `older than the history${since}` };
  }
  const isDated = isLinking(linked);
  const day = isDated ? ` on ${dayText(linked!.time)}` : '';
  return {
    ...nothing,
    kind: 'adopted',
    time: isDated ? linked!.time : null,
    run: isDated ? linked!.run : null,
    text: `adopted${day}: both sides held it when they were linked`,
  };
}

/** The values that the last write of the field replaced, one a side that was written. */
export function lostBy({ field, kind, agreed }: FieldHistory, life: Life): readonly Lost[] {
  const writes = writesOf(field, life);
  const [last] = writes;
  if (!last || !isSame(kind, valueIn(last['after']), agreed)) return [];
  return writes.flatMap((line): Lost[] => {
    const before = valueIn(line['before']);
    if (line.run !== last.run || before === undefined || isBlank(before)) return [];
    const command = commandText('log', '--run', line.run, '--contact', String(line.contact));
    return [{ side: sideOf(line), value: before, time: line.time, run: line.run, command }];
  });
}

/** Tries since the last write that did not succeed. */
export function failuresOf(field: string, { lines }: Life): readonly string[] {
  const since = lines.findIndex((line) => isWriteOf(field, line) && line['outcome'] === 'done');
  const later = lines.slice(0, since === -1 ? lines.length : since);
  const failed = later.find((line) => isWriteOf(field, line) && line['outcome'] !== 'done');
  if (!failed) return [];
  const message = typeof failed['message'] === 'string' ? `: ${failed['message']}` : '';
  return [
    `${dayText(failed.time)} ${failed.run}: the write to ${sideNames[sideOf(failed)]} was ${textIn(failed['outcome'])}${message}`,
  ];
}

function writesOf(field: string, { lines }: Life): readonly HistoryLine[] {
  return lines.filter((line) => isWriteOf(field, line) && line['outcome'] === 'done');
}

function isWriteOf(field: string, line: HistoryLine): boolean {
  return line['field'] === field && line['side'] !== undefined;
}

function writtenOrigin(line: HistoryLine, { lines, undos }: Life): Origin {
  const rule = textIn(line['rule']) as RuleId;
  const reason = textIn(line['reason']);
  const about = { time: line.time, run: line.run, rule, rule_words: ruleWords[rule] ?? '', reason };
  const when = `${instantText(line.time)}, run ${line.run}`;
  if (rule === 'S4') {
    const decided = undos.get(line.run);
    const text = decided
      ? `${decided.by} had a run taken back on ${instantText(decided.at)}; ${when}`
      : `a run was taken back, ${when}`;
    return { ...about, kind: 'undone', from: null, by: decided?.by ?? null, text };
  }
  if (rule === 'M1' && reason === 'resolved by hand') {
    const decision = lines.find(
      (each) => each['decision'] === 'resolve' && each['field'] === line['field'] && each.run === line.run,
    );
    const by = typeof decision?.['by'] === 'string' ? decision['by'] : null;
    const who = by === null ? 'a person' : by;
    const decidedAt = typeof decision?.['decided_at'] === 'string' ? ` on ${instantText(decision['decided_at'])}` : '';
    return { ...about, kind: 'decided', from: null, by, text: `${who} decided the conflict${decidedAt}; ${when}` };
  }
  const from: Side = sideOf(line) === 'crm' ? 'sheet' : 'crm';
  const text = `from ${sideNames[from]}, ${when}: ${reason} (${about.rule_words}, ${rule})`;
  return { ...about, kind: 'written', from, by: null, text };
}

/** The line of the run that linked contact and row. */
function isLinking(line: HistoryLine | undefined): boolean {
  if (!line || line['outcome'] !== 'done') return false;
  return line['op'] === 'create' || line['op'] === 'append' || line['linked'] === true;
}

/** The value of a side for a field that is blank in the line: null also stands for a value that was not known. */
function valueIn(json: Json | undefined): Value | undefined {
  return typeof json === 'object' && json !== null ? undefined : json;
}

function textIn(json: Json | undefined): string {
  return typeof json === 'string' ? json : '';
}

function sideOf(line: HistoryLine): Side {
  return line['side'] === 'crm' ? 'crm' : 'sheet';
}

function dayText(iso: string): string {
  return iso.slice(0, 'YYYY-MM-DD'.length);
}

/** `2026-11-21 09:00Z`. */
function instantText(iso: string): string {
  return `${iso.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')}Z`;
}
