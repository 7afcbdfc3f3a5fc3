// The few values that the state of a job holds beside its records, and what people decided and no run has carried out yet.
import type { TabConfig } from '../config/config.ts';
import type { TableMemory } from '../sheets/port.ts';
import type { Json } from '../state/port.ts';
import type { Facts } from './stored/facts.ts';

/** `Facts.tab`: another tab in the configuration is another one; a tab that people renamed is not (W11). */
export function tabNamed({ sheet }: { readonly sheet: TabConfig }): string {
  return `${sheet.spreadsheetId} ${sheet.tab}`;
}

/** Of the tab that the configuration names; undefined: nothing is known of that one. */
export function tableMemory(config: { readonly sheet: TabConfig }, { tab, table }: Facts): TableMemory | undefined {
  return tab === undefined || tab === tabNamed(config) ? table : undefined;
}

/** Facts as the store takes them: those that differ. */
export function factChanges(before: Facts, after: Facts): ReadonlyMap<string, Json> {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify((before as Record<string, unknown>)[name]),
  );
  return new Map(changed as [string, Json][]);
}
