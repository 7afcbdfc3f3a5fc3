// Formats values. Patterns are those of the API guide
// https://developers.google.com/workspace/sheets/api/guides/formats, which numfmt reads with few differences.
import { format } from 'numfmt';
import { type Cell, CellError, type CellValue, numberFormatOf } from './cell.ts';

/** The default pattern of a format type (en_US). */
const patternByType: Readonly<Partial<Record<string, string>>> = {
  NUMBER: '#,##0.00',
  PERCENT: '0.00%',
  CURRENCY: '"$"#,##0.00',
  DATE: 'm/d/yyyy',
  TIME: 'h:mm:ss AM/PM',
  DATE_TIME: 'm/d/yyyy h:mm:ss',
  SCIENTIFIC: '0.00E+00',
};

const dateTypes: ReadonlySet<string> = new Set(['DATE', 'TIME', 'DATE_TIME']);

/** Whether the cell's number is a date or a time. */
export function isDateCell(cell: Cell | undefined): boolean {
  const numberFormat = numberFormatOf(cell);
  return numberFormat !== undefined && dateTypes.has(numberFormat.type);
}

/** The text that the grid shows for a value in a cell; blank is the empty text. */
export function displayText(value: CellValue, cell: Cell | undefined): string {
  if (value === undefined) return '';
  if (value instanceof CellError) return value.text;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  const numberFormat = numberFormatOf(cell);
  const pattern = numberFormat && (numberFormat.pattern ?? patternByType[numberFormat.type]);
  if (typeof value === 'string') return pattern?.includes('@') && pattern !== '@' ? formatText(pattern, value) : value;
  if (pattern === undefined || pattern === '@' || /^general$/i.test(pattern)) return automaticNumber(value);
  return formatNumber(pattern, value);
}

/** A number without a format: at most 10 decimals, no grouping, exponents beyond 15 digits. */
function automaticNumber(value: number): string {
  if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-10)) {
    const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
    const digits = Math.abs(Number(exponent)).toString().padStart(2, '0');
    return `${Number(Number(mantissa).toFixed(8))}E${exponent.startsWith('-') ? '-' : '+'}${digits}`;
  }
  return String(Number(value.toFixed(10)));
}

/** The number in a pattern; an unreadable pattern gives the plain number. */
export function formatNumber(pattern: string, value: number): string {
  try {
    return format(pattern, value, { throws: true });
  } catch {
    return automaticNumber(value);
  }
}

function formatText(pattern: string, value: string): string {
  try {
    return format(pattern, value, { throws: true });
  } catch {
    return value;
  }
}
