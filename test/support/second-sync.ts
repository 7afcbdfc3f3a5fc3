// A second sync in the configuration of a trial.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { createSyncTrial } from './app.ts';

/** A sync `second` of the same contacts, with a tab of its own that holds these rows. `more`: options of its own. */
export function addSecondSync(
  { person, configFile }: Pick<ReturnType<typeof createSyncTrial>, 'person' | 'configFile'>,
  columns: Readonly<Record<string, string>>,
  rows: readonly (readonly string[])[],
  more: Readonly<Record<string, unknown>> = {},
): void {
  person.request({ addSheet: { properties: { title: 'Second' } } });
  person.paste(`'Second'!A1`, rows);
  const file = parse(readFileSync(configFile, 'utf8')) as {
    syncs: Record<string, { sheet: object; columns: object }>;
  };
  const prospects = file.syncs['prospects']!;
  file.syncs['second'] = { ...prospects, sheet: { ...prospects.sheet, tab: 'Second' }, columns, ...more };
  writeFileSync(configFile, stringify(file));
}
