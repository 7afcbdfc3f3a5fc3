/*
 * Reads the records of a document straight from its bytes.
 * Parsed as a whole, 100,000 of them become one large object, which is slow to make and only split again. Parsed by the
 * piece it is half the work, and most garbage is freed at once.
 *
 * A document has a record a line, and no other line breaks: JSON escapes them within texts. A document with another
 * layout is parsed whole.
 */
import type { Json } from '../port.ts';

/** The layout of a document: head, then each table, each followed by `tableEnd`. */
export function tableStart(name: string): string {
  return `,\n"${name}":{`;
}
export const tableEnd = '}';
/** Between two records; the first one follows a line break. */
export const recordSeam = ',\n';

/**
 * Puts the records of each table into `tables` and returns the rest of the document. `bytes`: its text without the
 * closing brace. Throws if it is not JSON.
 */
export function takeRecords(
  bytes: Buffer,
  names: readonly string[],
  tables: TablesByName,
  pieceBytes = pieceBytesDefault,
  filters: Readonly<Record<string, RecordFilter | undefined>> = {},
): Readonly<Record<string, Json>> {
  const spans = findSpans(bytes, names);
  if (!spans) return takeParsed(JSON.parse(`${bytes.toString('utf8')}}`) as Parsed, names, tables);
  let frame = '';
  let from = 0;
  for (const { name, start, end } of spans) {
    frame += bytes.toString('utf8', from, start);
    from = end;
    const filter = filters[name];
    for (const piece of piecesOf(bytes, start, end, pieceBytes)) put(tables[name]!, parsePiece(piece, filter));
  }
  return takeParsed(JSON.parse(`${frame}${bytes.toString('utf8', from)}}`) as Parsed, names, tables);
}

const pieceBytesDefault = 64 * 1024;

/** The tables of the document, by their names in it. */
type TablesByName = Readonly<Record<string, Map<string, Json>>>;
type Records = Readonly<Record<string, Json>>;
type Parsed = Readonly<Record<string, Json | Records>>;

interface Span {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The place of the records of each table that has any; undefined: the document has another layout. */
function findSpans(bytes: Buffer, names: readonly string[]): readonly Span[] | undefined {
  const spans: Span[] = [];
  // From the end: the bytes after the records of a table are known then.
  let rest = '';
  let end = bytes.length;
  for (const name of names.toReversed()) {
    const withEmpty = tableStart(name) + tableEnd + rest;
    // A search for its missing header would read through all the other tables.
    if (endsIn(bytes, withEmpty, end)) {
      rest = withEmpty;
      continue;
    }
    const header = `${tableStart(name)}\n`;
    const at = bytes.indexOf(header);
    if (at === -1 || at > end || !endsIn(bytes, tableEnd + rest, end)) return undefined;
    spans.push({ name, start: at + header.length, end: end - Buffer.byteLength(tableEnd + rest) });
    [rest, end] = ['', at];
  }
  return spans.toReversed();
}

function endsIn(bytes: Buffer, text: string, end: number): boolean {
  return bytes.toString('utf8', end - Buffer.byteLength(text), end) === text;
}

/** Whether these bytes may have a wanted record: of several records, or of one. */
export type RecordFilter = (bytes: Buffer) => boolean;

function parsePiece(piece: Buffer, filter: RecordFilter | undefined): Records {
  if (!filter) return JSON.parse(`{${piece.toString('utf8')}}`) as Records;
  if (!filter(piece)) return {};
  const wanted: string[] = [];
  for (let from = 0; from < piece.length;) {
    const found = piece.indexOf(recordSeam, from);
    const to = found === -1 ? piece.length : found;
    const record = piece.subarray(from, to);
    if (filter(record)) wanted.push(record.toString('utf8'));
    from = to + recordSeam.length;
  }
  return JSON.parse(`{${wanted.join(',')}}`) as Records;
}

function* piecesOf(bytes: Buffer, start: number, end: number, pieceBytes: number): Generator<Buffer, void> {
  for (let from = start; from < end;) {
    const found = bytes.indexOf(recordSeam, from + pieceBytes);
    const to = found === -1 || found > end ? end : found;
    yield bytes.subarray(from, to);
    from = to + recordSeam.length;
  }
}

function takeParsed(parsed: Parsed, names: readonly string[], tables: TablesByName): Records {
  const rest: Record<string, Json> = { ...parsed };
  for (const name of names) {
    put(tables[name]!, (parsed[name] ?? {}) as Records);
    delete rest[name];
  }
  return rest;
}

function put(table: Map<string, Json>, records: Records): void {
  for (const key of Object.keys(records)) table.set(key, records[key]!);
}
