// Files that a page offers instead of itself: CSV of a list, and JSON.
import { stringify } from 'csv-stringify/sync';

const headers = { 'cache-control': 'no-store' };

export function jsonFile(answer: unknown): Response {
  return Response.json(answer, { headers });
}

type Cell = string | number | boolean | null;

/** The columns of a CSV: the name of each, and its cell in a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

export interface CsvFile<Row> {
  /** Without its ending. */
  readonly name: string;
  readonly columns: Columns<Row>;
  readonly rows: AsyncIterable<Row>;
}

/**
 * The rows as they are read, so that a list of any length takes little memory. The first row is read before the answer begins: an
 * error in the filter is a page that says so. RFC 4180, UTF-8 with a byte order mark: without it Excel reads letters beyond ASCII
 * wrongly. A cell that a spreadsheet would take for a formula begins with an apostrophe.
 */
export async function csvFile<Row>({ name, columns, rows }: CsvFile<Row>): Promise<Response> {
  const iterator = rows[Symbol.asyncIterator]();
  const first = await iterator.next();
  const body = ReadableStream.from(chunksOf(columns, first, iterator));
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: {
      ...headers,
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name.replaceAll(/[^\w.-]+/g, '-')}.csv"`,
    },
  });
}

/** In characters: larger pieces make no difference. */
const chunkLength = 32_768;

async function* chunksOf<Row>(
  columns: Columns<Row>,
  first: IteratorResult<Row>,
  iterator: AsyncIterator<Row>,
): AsyncGenerator<string> {
  const cells = Object.values(columns);
  try {
    let text = `\uFEFF${csvText([Object.keys(columns)])}`;
    for (let row = first; row.done !== true; row = await iterator.next()) {
      const { value } = row;
      text += csvText([cells.map((cell) => cell(value))]);
      if (text.length < chunkLength) continue;
      yield text;
      text = '';
    }
    yield text;
  } finally {
    await iterator.return?.();
  }
}

function csvText(lines: readonly (readonly Cell[])[]): string {
  return stringify(
    lines.map((cells) => [...cells]),
    // A lone line break is quoted as well: many readers take it for the end of a line.
    { escape_formulas: true, record_delimiter: 'windows', quoted_match: /[\r\n]/, cast: { boolean: String } },
  );
}
