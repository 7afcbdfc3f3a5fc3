// CSV as in RFC 4180 (https://www.rfc-editor.org/rfc/rfc4180): commas, quotes where needed, and doubled quotes.

/** Lines of cells; cells may hold quotes, commas and line ends. A line end after the last line adds no line. */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  for (let at = 0; at < text.length;) {
    const isQuoted = text[at] === '"';
    const end = isQuoted ? closingQuote(text, at + 1) : nextOf(text, at);
    line.push(isQuoted ? text.slice(at + 1, end).replaceAll('""', '"') : text.slice(at, end));
    const after = isQuoted ? end + 1 : end;
    if (text[after] === ',') {
      at = after + 1;
      // A text that ends with a comma has one more cell, which is blank.
      if (at < text.length) continue;
      line.push('');
    } else at = after + (text.startsWith('\r\n', after) ? 2 : 1);
    lines.push(line);
    line = [];
  }
  return lines;
}

function closingQuote(text: string, from: number): number {
  for (let at = from; ;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) throw new Error('a quote is not closed');
    if (text[quote + 1] !== '"') return quote;
    at = quote + 2;
  }
}

/** The end of a cell without quotes. */
function nextOf(text: string, from: number): number {
  const found = /,|\r?\n/.exec(text.slice(from));
  return found ? from + found.index : text.length;
}

export function toCsv(lines: readonly (readonly string[])[]): string {
  return lines.map((cells) => `${cells.map(quoted).join(',')}\n`).join('');
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
