// Small valid configuration files, which tests make wrong in one place.

/** The connections: two lines. */
export const start = `crm: { base_url: https://crm.example, token: test-key }
google: { credentials_file: g.json }
`;

interface SyncParts {
  readonly contacts?: string;
  readonly sheet?: string;
  readonly columns?: string;
}

/** One sync: five lines, and one for each of `more`. */
export function sync(
  { contacts = 'list: L', sheet = 'spreadsheet: 1AbCdEfGhIj, tab: T', columns = 'Email: email' }: SyncParts = {},
  ...more: readonly string[]
): string {
  const lines = [`contacts: { ${contacts} }`, `sheet: { ${sheet} }`, `columns: { ${columns} }`, ...more];
  return `syncs:\n  s:\n${lines.map((line) => `    ${line}\n`).join('')}`;
}

/** One feed: two lines. */
export function feed(options: string): string {
  return `feeds:\n  f: { spreadsheet: 1AbCdEfGhIj, tab: F, ${options} }\n`;
}

/** One outbox: two lines. */
export function outbox(options: string): string {
  return `outbox:\n  o: { spreadsheet: 1AbCdEfGhIj, tab: O, ${options} }\n`;
}
