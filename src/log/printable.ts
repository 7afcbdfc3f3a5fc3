// Makes text from outside safe to print: it cannot move the cursor, change the direction of text or begin a line.

/**
 * C0 except tab and line feed, DEL, C1, the marks, embeddings, overrides and isolates of direction, and the line and
 * paragraph separators. JSON itself escapes only the first of them.
 */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Each as `\u001b`: for whole outputs, whose lines are ours. JSON keeps its values, because these occur only in its
 * strings.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(controls, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same, also without line feeds and tabs: for a name, a reason or a sentence within a line. */
export function lineText(text: string): string {
  return escapeControls(text)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`);
}

/** The sequence that rewrites a line. Beside it only `ownStyle` is ever printed. */
export const wipeLine = '\r\u001b[2K';

/**
 * The sequences of our own colours (cli/print/style.ts): bold, dim, red, green, yellow, cyan, and their ends. A foreign text
 * that `lineText` missed could change the colour of the text after it, and nothing else.
 */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const ownStyle = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/;

export interface Printer {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Escapes all text, except our own styles and a `wipeLine` that the program itself puts in front. */
export function safePrinter(printer: Printer, hasColour: () => boolean = () => false): Printer {
  return {
    ...(printer.isTTY !== undefined && { isTTY: printer.isTTY }),
    write(text) {
      const own = text.startsWith(wipeLine) ? wipeLine : '';
      // `split` puts what the group of `ownStyle` matched at the odd places.
      const parts = text.slice(own.length).split(ownStyle);
      const isColoured = hasColour();
      const safe = parts.map((part, index) => (index % 2 === 0 ? escapeControls(part) : isColoured ? part : ''));
      return printer.write(own + safe.join(''));
    },
  };
}

/** A line of the log, whose texts a formatter prints unchanged. In a stack, each place keeps its line. */
export function printableLine(json: string): string {
  const escaped: unknown = JSON.parse(json, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    return key === 'stack' ? stackText(value) : lineText(value);
  });
  return JSON.stringify(escaped);
}

/** The places of a stack keep their lines; the message before them is one line, even with quotes. */
function stackText(stack: string): string {
  return escapeControls(stack).replaceAll(/\n(?! {4}at )/g, String.raw`\n`);
}
