import type { Json } from '../port.ts';
import type { TableName, Tables } from './tables.ts';

/*
 * The records of a document, straight from its bytes. Parsed as a whole, 100,000 of them become one object of as many
 * members, which is slow to make and is only taken apart again; by the piece it is half the work, and most of it is garbage
 * that is gone at once.
 *
 * A document has a record a line, and a line break stands nowhere else: within a JSON text it is escaped. What is not laid
 * out like that is parsed whole.
 */

/** How a document is laid out: head, then each table, each followed by `tableEnd`. */
export function tableStart(name: TableName): string {
  return `,\n"${name}":{`;
}
export const tableEnd = '}';
/** Between two records; the first one follows a line break. */
export const recordSeam = ',\n';

/**
 * Puts the records of each table into `tables`; what else is in the document is answered. `bytes`: its text, the closing
 * brace left off; it is another one afterwards. Throws where it is not JSON.
 */
export function takeRecords(
  bytes: Buffer,
  names: readonly TableName[],
  tables: Tables,
  pieceBytes = pieceBytesDefault,
): Readonly<Record<string, Json>> {
  const spans = findSpans(bytes, names);
  if (!spans) return takeParsed(JSON.parse(`${bytes.toString('utf8')}}`) as Parsed, names, tables);
  let frame = '';
  let from = 0;
  for (const { name, start, end } of spans) {
    frame += bytes.toString('utf8', from, start);
    from = end;
    for (const list of piecesOf(bytes, start, end, pieceBytes)) {
      const table = tables[name];
      for (let index = 0; index < list.length; index += 2) table.set(list[index] as string, list[index + 1]!);
    }
  }
  return takeParsed(JSON.parse(`${frame}${bytes.toString('utf8', from)}}`) as Parsed, names, tables);
}

const pieceBytesDefault = 64 * 1024;

type Records = Readonly<Record<string, Json>>;
type Parsed = Readonly<Record<string, Json | Records>>;

interface Span {
  readonly name: TableName;
  readonly start: number;
  readonly end: number;
}

/** Where the records of each table stand that has any; undefined when the document is laid out otherwise. */
function findSpans(bytes: Buffer, names: readonly TableName[]): readonly Span[] | undefined {
  const spans: Span[] = [];
  // From behind: what follows the records of a table is known to the byte then.
  let rest = '';
  let end = bytes.length;
  for (const name of names.toReversed()) {
    const header = `${tableStart(name)}\n`;
    const at = bytes.lastIndexOf(header, end);
    if (at === -1) {
      rest = tableStart(name) + tableEnd + rest;
      continue;
    }
    const last = end - Buffer.byteLength(tableEnd + rest);
    if (bytes.toString('utf8', last, end) !== tableEnd + rest) return undefined;
    spans.push({ name, start: at + header.length, end: last });
    [rest, end] = ['', at];
  }
  return spans.toReversed();
}

/** Keys and records in turn. */
function* piecesOf(bytes: Buffer, start: number, end: number, pieceBytes: number): Generator<readonly Json[], void> {
  for (let from = start; from < end;) {
    const found = bytes.indexOf(recordSeam, from + pieceBytes);
    const to = found === -1 || found > end ? end : found;
    yield parsePiece(bytes, from, to);
    from = to + recordSeam.length;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const lineBreak = 0x0a;

/**
 * As a list, a comma in the place of each key's colon: of an object the parser would make a table of names, which for
 * hundreds of uuids that are never names again takes as long as all the rest.
 */
function parsePiece(bytes: Buffer, from: number, to: number): readonly Json[] {
  const colons: number[] = [];
  for (let line = from; line < to;) {
    const place = behindKey(bytes, line);
    if (bytes[place] !== colon)
      return Object.entries(JSON.parse(`{${bytes.toString('utf8', from, to)}}`) as Records).flat();
    colons.push(place);
    const next = bytes.indexOf(lineBreak, place);
    line = next === -1 ? to : next + 1;
  }
  for (const place of colons) bytes[place] = comma;
  return JSON.parse(`[${bytes.toString('utf8', from, to)}]`) as readonly Json[];
}

/** Of the key that begins at `at`; anywhere where none does. */
function behindKey(bytes: Buffer, at: number): number {
  if (bytes[at] !== quote) return at;
  let place = at + 1;
  while (place < bytes.length && bytes[place] !== quote) place += bytes[place] === backslash ? 2 : 1;
  return place + 1;
}

function takeParsed(parsed: Parsed, names: readonly TableName[], tables: Tables): Records {
  const rest: Record<string, Json> = { ...parsed };
  for (const name of names) {
    put(tables[name], (parsed[name] ?? {}) as Records);
    delete rest[name];
  }
  return rest;
}

function put(table: Map<string, Json>, records: Records): void {
  for (const key of Object.keys(records)) table.set(key, records[key]!);
}
