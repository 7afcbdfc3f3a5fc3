// The single values in the state of a job, and the decisions that no run has carried out yet.
import type { TabConfig } from '../config/config.ts';
import type { TableMemory } from '../sheets/port.ts';
import type { Json } from '../state/port.ts';
import type { Facts } from './stored/facts.ts';

/**
 * The value of `Facts.tab`. Another tab in the configuration gives another value; a tab that a person renamed does not
 * (W11).
 */
export function tabNamed({ sheet }: { readonly sheet: TabConfig }): string {
  return `${sheet.spreadsheetId} ${sheet.tab}`;
}

/**
 * The memory of the configured tab; undefined: the state has none for this tab. Older states of feeds do not name their tab. Their
 * identities name the spreadsheet: in another one a run that looked for the same tab would fail for ever (G1).
 */
export function tableMemory(
  config: { readonly sheet: TabConfig },
  { tab, table, identities }: Facts,
): TableMemory | undefined {
  if (tab !== undefined) return tab === tabNamed(config) ? table : undefined;
  const isThisSpreadsheet = identities === undefined || identities.sheet.startsWith(`${config.sheet.spreadsheetId} `);
  return isThisSpreadsheet ? table : undefined;
}

/** The facts that differ, as the store takes them. */
export function factChanges(before: Facts, after: Facts): ReadonlyMap<string, Json> {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify((before as Record<string, unknown>)[name]),
  );
  return new Map(changed as [string, Json][]);
}
