// A table whose writes are told of the run's lease, so that no call can forget it (H3, H4).
import type { RemoveSettings, Table } from '../sheets/port.ts';
import type { LeaseTerms } from './lease-terms.ts';

/** Reads are free: they change nothing. */
export function guardTable(table: Table, lease: LeaseTerms | undefined): Table {
  if (!lease) return table;
  const guarded = (settings: RemoveSettings | undefined) => ({ ...settings, ...lease });
  return {
    ...table,
    ensure: (snapshot, create, settings) => table.ensure(snapshot, create, guarded(settings)),
    update: (snapshot, changes, settings) => table.update(snapshot, changes, guarded(settings)),
    append: (snapshot, rows, settings) => table.append(snapshot, rows, guarded(settings)),
    remove: (snapshot, rows, settings) => table.remove(snapshot, rows, guarded(settings)),
    clearMarks: (settings) => table.clearMarks(guarded(settings)),
    tidy: (settings) => table.tidy(guarded(settings)),
  };
}
