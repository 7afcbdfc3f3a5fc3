// Parses text as if typed into a cell (ValueInputOption USER_ENTERED, locale en_US): the commonly used part of
// https://developers.google.com/workspace/sheets/api/reference/rest/v4/ValueInputOption.
import type { Scalar } from './cell.ts';
import { serialFromDate } from './calculation.ts';
import type { JsonObject } from './json.ts';

/** The result for a cell: content, and the number format of the typed text, if any. */
export interface Entry {
  readonly value?: Scalar;
  readonly formula?: string;
  readonly numberFormat?: JsonObject;
}

/**
 * Parses typed text. `textFormat`: the cell is formatted as plain text, so everything stays text. `year` completes a
 * date without one.
 */
export function parseTyped(text: string, textFormat: boolean, year: number): Entry {
  if (text === '') return {};
  if (textFormat) return { value: text };
  if (text.startsWith("'")) return text.length === 1 ? {} : { value: text.slice(1) };
  if (text.startsWith('=') && text.length > 1) return { formula: text };
  const trimmed = text.trim();
  if (/^(?:true|false)$/i.test(trimmed)) return { value: trimmed.toLowerCase() === 'true' };
  return parseNumber(trimmed) ?? parseDate(trimmed, year) ?? parseTime(trimmed) ?? parseSum(trimmed) ?? { value: text };
}

const grouped = String.raw`\d{1,3}(?:,\d{3})+`;
const plain = String.raw`\d+`;
const numberPattern = new RegExp(
  String.raw`^(?<sign>[-+])?(?<currency>\$)?(?<sign2>[-+])?(?<whole>${grouped}|${plain})?(?<fraction>\.\d*)?(?<exponent>[eE][-+]?\d+)?(?<percent>\s*%)?$`,
);

function parseNumber(text: string): Entry | undefined {
  const accounting = /^\((.+)\)$/.exec(text);
  const groups = numberPattern.exec(accounting?.[1] ?? text)?.groups;
  if (!groups) return undefined;
  const { sign, sign2, currency, whole = '', fraction = '', exponent = '', percent } = groups;
  if (whole === '' && fraction.length < 2) return undefined;
  if (sign !== undefined && (sign2 !== undefined || accounting)) return undefined;
  if (currency !== undefined && (exponent !== '' || percent !== undefined)) return undefined;
  const size = Number(`${whole.replaceAll(',', '')}${fraction === '.' ? '' : fraction}${exponent}`);
  if (!Number.isFinite(size)) return undefined;
  const signed = (sign ?? sign2) === '-' || accounting ? -size : size;
  const decimals = fraction.length > 1;
  if (percent !== undefined) {
    return { value: signed / 100, numberFormat: { type: 'PERCENT', pattern: decimals ? '0.00%' : '0%' } };
  }
  if (currency !== undefined) {
    return { value: signed, numberFormat: { type: 'CURRENCY', pattern: decimals ? '"$"#,##0.00' : '"$"#,##0' } };
  }
  if (exponent !== '') return { value: signed, numberFormat: { type: 'SCIENTIFIC', pattern: '0.00E+00' } };
  if (whole.includes(',')) {
    return { value: signed, numberFormat: { type: 'NUMBER', pattern: decimals ? '#,##0.00' : '#,##0' } };
  }
  return { value: signed };
}

/** Text that starts with `+` and is no number is a formula. */
function parseSum(text: string): Entry | undefined {
  return /^\+\S/.test(text) ? { formula: `=${text}` } : undefined;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const monthName = String.raw`(?<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`;
const datePatterns: readonly (readonly [RegExp, string])[] = [
  [/^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})$/, 'yyyy-mm-dd'],
  [/^(?<year>\d{4})\/(?<month>\d{1,2})\/(?<day>\d{1,2})$/, 'yyyy/mm/dd'],
  [/^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4}|\d{2})$/, 'm/d/yyyy'],
  [/^(?<month>\d{1,2})-(?<day>\d{1,2})-(?<year>\d{4}|\d{2})$/, 'm-d-yyyy'],
  [/^(?<month>\d{1,2})\/(?<day>\d{1,2})$/, 'm/d'],
  [/^(?<month>\d{1,2})-(?<day>\d{1,2})$/, 'm-d'],
  [new RegExp(String.raw`^${monthName} (?<day>\d{1,2}),? (?<year>\d{4})$`, 'i'), 'mmm d, yyyy'],
  [new RegExp(String.raw`^(?<day>\d{1,2})[ -]${monthName}[ -](?<year>\d{4})$`, 'i'), 'd mmm yyyy'],
  [new RegExp(String.raw`^${monthName} (?<day>\d{1,2})$`, 'i'), 'mmm d'],
];

function parseDate(text: string, thisYear: number): Entry | undefined {
  const [, dayText = '', timeText] = /^(.*?\d)(?:[ T](\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?))?$/i.exec(text) ?? [];
  for (const [expression, pattern] of datePatterns) {
    const groups = expression.exec(dayText)?.groups;
    if (!groups) continue;
    const month =
      groups['name'] === undefined
        ? Number(groups['month'])
        : months.indexOf(groups['name'].slice(0, 3).toLowerCase()) + 1;
    const serial = serialFromDate(fullYear(groups['year'], thisYear), month, Number(groups['day']));
    if (serial === undefined) return undefined;
    const time = timeText === undefined ? undefined : parseTime(timeText);
    if (timeText === undefined) return { value: serial, numberFormat: { type: 'DATE', pattern } };
    if (typeof time?.value !== 'number') return undefined;
    return { value: serial + time.value, numberFormat: { type: 'DATE_TIME', pattern: `${pattern} h:mm:ss` } };
  }
  return undefined;
}

/** Two digits mean 1930 to 2029. */
function fullYear(text: string | undefined, thisYear: number): number {
  if (text === undefined) return thisYear;
  const year = Number(text);
  if (text.length > 2) return year;
  return year < 30 ? 2000 + year : 1900 + year;
}

function parseTime(text: string): Entry | undefined {
  const match = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([ap])m)?$/i.exec(text);
  if (!match) return undefined;
  const [, hourText, minuteText, secondText, half] = match;
  const hour = (Number(hourText) % (half === undefined ? 100 : 12)) + (half?.toLowerCase() === 'p' ? 12 : 0);
  const [minute, second] = [Number(minuteText), Number(secondText ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const seconds = secondText === undefined ? '' : ':ss';
  const pattern = half === undefined ? `h:mm${seconds}` : `h:mm${seconds} AM/PM`;
  return { value: (hour * 3600 + minute * 60 + second) / 86_400, numberFormat: { type: 'TIME', pattern } };
}
