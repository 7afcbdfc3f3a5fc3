// Hides the quotes of cells and answers in a sentence: any cell may hold a name.

/**
 * A function that hides every text in quotation marks except those of the configuration: headers, tabs, lists and the
 * like.
 */
export function createQuoteHider(options: unknown): (text: string) => string {
  const known = new Set(textsIn(options));
  return (text) => hideQuotes(text, known);
}

/** A quote may contain quotation marks: everything from the first unknown quote to the last mark is hidden. */
function hideQuotes(text: string, known: ReadonlySet<string>): string {
  const last = text.lastIndexOf('"');
  let start = text.indexOf('"');
  while (start !== -1 && start < last) {
    const end = text.indexOf('"', start + 1);
    if (!known.has(text.slice(start + 1, end).trim())) {
      return `${text.slice(0, start)}"[hidden]"${text.slice(last + 1)}`;
    }
    start = text.indexOf('"', end + 1);
  }
  return start === -1 ? text : `${text.slice(0, start)}[hidden]`;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value.trim()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key.trim(), ...textsIn(inner)]);
}
