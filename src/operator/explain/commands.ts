// Commands to copy, as a shell takes them.

/** `leadsheet WORD...`: words that a shell would take apart are quoted. */
export function commandText(...words: readonly string[]): string {
  return ['leadsheet', ...words.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./!-]+$/.test(word) && !word.includes('!') ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
