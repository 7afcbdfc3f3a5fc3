// The few values that the state of a job holds beside its records, and what people decided and no run has carried out yet.
import type { TabConfig } from '../config/config.ts';
import type { Json } from '../state/port.ts';
import type { TableMemory } from '../sheets/port.ts';
import type { Problem } from '../sync/change.ts';
import type { Identities, PlanCounts, Resolution } from '../sync/input.ts';
import type { RunCounts, RunStatus, Stopped } from './report.ts';

/** Single values by name. Each is left out until it is known. */
export interface Facts {
  readonly identities?: Identities;
  /** Field names in the order of the stored values (M9). */
  readonly fields?: readonly string[];
  /** From when on changed contacts have to be asked for, ISO instant. */
  readonly watermark?: string;
  /** Contacts in scope that have no row yet, because somebody has to decide first: asked for beside those that changed. */
  readonly unplaced?: readonly string[];
  readonly list?: { readonly named: string; readonly uuid: string };
  /** Spreadsheet and tab as the configuration names them: the memory of the table is of these (G1). */
  readonly tab?: string;
  readonly table?: TableMemory;
  /** Deleted by us and perhaps still answered: uuid -> epoch milliseconds. */
  readonly tombstones?: Readonly<Record<string, number>>;
  /** The last plan that was held, for `approve`. */
  readonly held?: { readonly run: string; readonly planned: PlanCounts; readonly reasons?: readonly string[] } | null;
  /** Kinds of scans whose last one drifted (`incomplete.ts`). */
  readonly drifted?: readonly ('full' | 'incremental')[];
  /** Why the last full scan could not have every contact, however it asked; null: it had. */
  readonly limited?: string | null;
  /** The last run that had something to write; an idle one after it found things as this one left them (W9). */
  readonly lastRun?: LastRun;
  /** E6: somebody saw the wishes that a new state found. */
  readonly isLedgerTrusted?: boolean;
}

export interface LastRun {
  readonly run: string;
  readonly status: RunStatus;
  /** ISO instant. */
  readonly endedAt: string;
  readonly counts: RunCounts;
  /** Of a run that was stopped before all of its plan was begun (W8). */
  readonly stopped?: Stopped;
  /** Without values; at most a thousand. */
  readonly problems: readonly Omit<Problem, 'values'>[];
}

/** A person's decision, as commands record it and runs carry it out. */
export type DecisionRequest =
  | { readonly kind: 'resolve'; readonly id: string; readonly resolution: Resolution }
  /** `isSure`: somebody looked, and wants a message sent that was sent or may have been (P3). */
  | { readonly kind: 'retry'; readonly id: string; readonly isSure?: true }
  | { readonly kind: 'approve'; readonly run: string; readonly counts: PlanCounts };

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
