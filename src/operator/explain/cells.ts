// Cells of a tab as people name them: `Prospects!E5`, and the column letter of a field.
import type { JobConfig } from '../../config/jobs.ts';
import { readJob } from '../../engine/stored/stored.ts';
import type { LoadedState } from '../../state/port.ts';
import { OperatorError } from '../errors.ts';

export interface NamedCell {
  /** Undefined: the tab is not named. */
  readonly tab?: string;
  /** Upper case. */
  readonly column: string;
  readonly row: number;
}

/** Undefined: the text names no cell. Without a tab, letters have to be upper case: a name may end in digits, too. */
export function cellIn(text: string): NamedCell | undefined {
  const [, quotedTab, plainTab, column = '', row] =
    /^(?:(?:'((?:[^']|'')+)'|(.+))!)?\$?([A-Za-z]{1,3})\$?([1-9]\d{0,6})$/.exec(text.trim()) ?? [];
  if (row === undefined) return undefined;
  const tab = quotedTab?.replaceAll("''", "'") ?? plainTab;
  if (tab === undefined && column !== column.toUpperCase()) return undefined;
  return { ...(tab !== undefined && { tab }), column: column.toUpperCase(), row: Number(row) };
}

/** The letter of each mapped column as the last run found it, by field. */
export function columnLetters(loaded: LoadedState): ReadonlyMap<string, string> {
  const { table } = readJob(loaded).facts;
  return new Map(Object.entries(table?.columnIndexByKey ?? {}).map(([key, index]) => [key, letterOf(index)]));
}

/** Undefined: the column holds no field, such as the one of the ID. Throws OperatorError if no run saw that column. */
export function fieldOfColumn(
  { name, kind, config }: JobConfig,
  loaded: LoadedState,
  cell: NamedCell,
): string | undefined {
  const letters = columnLetters(loaded);
  const keys = [...letters].flatMap(([key, letter]) => (letter === cell.column ? [key] : []));
  const own = keys.find((key) => key.startsWith('#'));
  if (own !== undefined) return undefined;
  const [key] = keys;
  if (key !== undefined) return key;
  const known =
    kind === 'sync'
      ? config.columns.flatMap(({ key: field, header }) => {
          const letter = letters.get(field);
          return letter === undefined ? [] : [`${letter} ${header}`];
        })
      : [...letters.values()];
  const there = known.length === 0 ? 'no run has read the tab yet' : `synced are ${known.join(', ')}`;
  throw new OperatorError('nothing', `column ${cell.column} of ${config.sheet.tab} is not synced by ${name}: ${there}`);
}

/** 0 is A, 26 is AA. */
function letterOf(index: number): string {
  const last = String.fromCodePoint(65 + (index % 26));
  return index < 26 ? last : letterOf(Math.floor(index / 26) - 1) + last;
}
