// Parses the rows of a large answer piece by piece from its bytes.
// Parsed as a whole, a tab of a million cells is a million objects at once, most of which are not kept. Parsed by the
// piece, unused objects are freed before the next piece (docs/performance.md has the saving). A cut is made at bytes
// that cannot stand within a text, because every quote is escaped there. Each piece has to be valid JSON, or the cut
// was wrong.
import type { sheets_v4 } from '@googleapis/sheets';
import { type SheetsErrorContext } from '../errors.ts';
import { UnavailableError } from './errors.ts';
import type { RawAnswer } from './raw-answer.ts';
import { RowCursor } from './row-cursor.ts';

/** One of the requested ranges, by rows. */
export interface AnsweredRange {
  /** In Google's spelling: `'Sheet 1'!A1:M1`. */
  readonly range: string;
  /**
   * Each row up to its last cell that is not blank. Each iteration parses it anew. Throws `UnavailableError` if the
   * answer is cut short.
   */
  readonly rows: Iterable<readonly unknown[]>;
  /** The texts of the same rows, without their values. Throws the same. */
  readonly cursor: () => RowCursor;
}

const rangeStart = '{"valueRange":{';
const valuesKey = '"values":';
const rowsStart = `${valuesKey}[[`;
const rowsEnd = ']]';
/** Occurs between two rows; or within a text, which only parsing shows. */
const seam = '],[';

/** About 250 rows of the bench: small enough to be freed soon, large enough to parse fast. */
const pieceBytesDefault = 64 * 1024;

/** For an answer to `values.batchGetByDataFilter`, in its order. Throws `UnavailableError` if it is not JSON. */
export function answeredRanges(
  answer: RawAnswer,
  context: SheetsErrorContext,
  pieceBytes = pieceBytesDefault,
): readonly AnsweredRange[] {
  return cutRanges(answer.bytes, context, pieceBytes) ?? parsedRanges(answer.parse());
}

/** An answer with another layout (for example indented) costs more memory and is otherwise read the same. */
function parsedRanges(answer: unknown): readonly AnsweredRange[] {
  return rangesOf(answer).map(({ range, values }) => parsedRange(range, values ?? []));
}

function parsedRange(range: string | null | undefined, rows: readonly (readonly unknown[])[]): AnsweredRange {
  return { range: range ?? '', rows, cursor: () => new RowCursor(rows) };
}

/** The place of the rows of one range: from the first row's bracket to behind the last one's. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Undefined: the answer without its rows is not as expected. */
function cutRanges(bytes: Buffer, context: SheetsErrorContext, pieceBytes: number): AnsweredRange[] | undefined {
  const spans = findSpans(bytes);
  let frame = '';
  let from = 0;
  for (const span of spans) {
    if (!span) continue;
    frame += bytes.toString('utf8', from, span.start);
    from = span.end;
  }
  frame += bytes.toString('utf8', from);
  const ranges = rangesOf(parseOrNothing(frame));
  const isAsCut = ranges.length === spans.length && ranges.every(({ values }, index) => !values === !spans[index]);
  if (!isAsCut) return undefined;
  return ranges.map(({ range }, index) => {
    const span = spans[index];
    if (!span) return parsedRange(range, []);
    return {
      range: range ?? '',
      rows: { [Symbol.iterator]: () => rowsIn(bytes, span, context, pieceBytes) },
      cursor: () => new RowCursor([], { bytes, ...span, parse: (at) => nextPiece(bytes, at, span, context, 1) }),
    };
  });
}

/** For each range that begins in the answer: its rows, if it has any. */
function findSpans(bytes: Buffer): (Span | undefined)[] {
  const spans: (Span | undefined)[] = [];
  for (let at = bytes.indexOf(rangeStart); at !== -1;) {
    const next = bytes.indexOf(rangeStart, at + rangeStart.length);
    const end = next === -1 ? bytes.length : next;
    const first = bytes.indexOf(rowsStart, at);
    const last = bytes.lastIndexOf(rowsEnd, end - rowsEnd.length);
    const hasRows = first !== -1 && first < last;
    spans.push(hasRows ? { start: first + rowsStart.length - 1, end: last + 1 } : undefined);
    at = next;
  }
  return spans;
}

function* rowsIn(
  bytes: Buffer,
  span: Span,
  context: SheetsErrorContext,
  pieceBytes: number,
): Generator<readonly unknown[], void> {
  for (let from = span.start; from < span.end;) {
    const { rows, to } = nextPiece(bytes, from, span, context, pieceBytes);
    yield* rows;
    from = to;
  }
}

/** The rows from `from` on that have `pieceBytes` together or more, and the place where the next one begins. */
function nextPiece(
  bytes: Buffer,
  from: number,
  { end }: Span,
  context: SheetsErrorContext,
  pieceBytes: number,
): { readonly rows: readonly (readonly unknown[])[]; readonly to: number } {
  for (let size = pieceBytes; ;) {
    const found = bytes.indexOf(seam, from + size);
    const to = found === -1 || found >= end ? end : found + 1;
    const rows = parseOrNothing(bracketed(bytes, from, to));
    if (Array.isArray(rows)) return { rows: rows as unknown[][], to: to + 1 };
    if (to === end) throw new UnavailableError('an answer that is cut short', context);
    // The cut is within a text. The next try is twice as long, so that many such texts cost few tries.
    size *= 2;
  }
}

const openingBracket = 0x5b;
const closingBracket = 0x5d;

/**
 * The piece as a list: brackets replace its neighbours while it is decoded, because joining texts would copy it again.
 */
function bracketed(bytes: Buffer, from: number, to: number): string {
  const [before, after] = [bytes[from - 1]!, bytes[to]!];
  bytes[from - 1] = openingBracket;
  bytes[to] = closingBracket;
  const text = bytes.toString('utf8', from - 1, to + 1);
  bytes[from - 1] = before;
  bytes[to] = after;
  return text;
}

function rangesOf(answer: unknown): readonly sheets_v4.Schema$ValueRange[] {
  const { valueRanges = [] } = (answer ?? {}) as sheets_v4.Schema$BatchGetValuesByDataFilterResponse;
  return valueRanges.flatMap(({ valueRange }) => valueRange ?? []);
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
