// Text from outside, made safe to print: it moves no cursor, turns no direction and begins no line of its own.

/**
 * C0 but for tab and line feed, DEL, C1, the marks, embeddings, overrides and isolates of direction, and the line and
 * paragraph separators. JSON escapes the first of them by itself and leaves the others.
 */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Each as `\u001b`: for whole outputs, whose lines are ours. JSON stays the same value, since these stand in its strings only. */
export function escapeControls(text: string): string {
  return text.replaceAll(controls, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same, and no line feed and no tab either: for a name, a reason or a sentence within a line. */
export function lineText(text: string): string {
  return escapeControls(text)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`);
}

/** What a terminal is told to write one line anew; nothing else that controls one is ever printed. */
export const wipeLine = '\r\u001b[2K';

export interface Printer {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Passes everything on escaped, but for a `wipeLine` that the program itself puts in front. */
export function safePrinter(printer: Printer): Printer {
  return {
    ...(printer.isTTY !== undefined && { isTTY: printer.isTTY }),
    write(text) {
      const own = text.startsWith(wipeLine) ? wipeLine : '';
      return printer.write(own + escapeControls(text.slice(own.length)));
    },
  };
}

/** A line of the log, whose texts a formatter will print as they are. Of a stack, each place stays a line. */
export function printableLine(json: string): string {
  const escaped: unknown = JSON.parse(json, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    return key === 'stack' ? stackText(value) : lineText(value);
  });
  return JSON.stringify(escaped);
}

/** The places of a stack keep their lines; the message before them has one, whatever it quotes. */
function stackText(stack: string): string {
  return escapeControls(stack).replaceAll(/\n(?! {4}at )/g, String.raw`\n`);
}
