// Asks both sides what they hold of one contact at this moment.
import { scheduleIntervalMs } from '../../engine/interval.ts';
import { tableMemory } from '../../engine/facts.ts';
import { readSync } from '../../engine/stored/stored.ts';
import { createShape } from '../../engine/sync/shape.ts';
import type { SyncConfig } from '../../config/config.ts';
import type { Crm } from '../../crm/port.ts';
import type { Sheets } from '../../sheets/port.ts';
import type { LoadedState } from '../../state/port.ts';
import { unpack } from '../../sync/record/record.ts';
import type { LiveRecord } from './record.ts';

/** Both sides of each account, to be asked. */
export interface LiveSides {
  /** The sides of an account. Throws why the account could not be connected. */
  readonly sidesOf: (account: string) => { readonly crm: Crm; readonly sheets: Sheets };
  readonly signal: AbortSignal;
}

/** One call to the service, and one reading of the tab. Writes nothing. Throws what the ports throw. */
export async function readLive(
  { sidesOf, signal, now }: LiveSides & { readonly now: number },
  config: SyncConfig,
  loaded: LoadedState,
  uuid: string,
): Promise<LiveRecord> {
  const { crm, sheets } = sidesOf(config.account);
  const shape = createShape(config, scheduleIntervalMs(config.schedule, now));
  const { filter } = config.contacts;
  const contacts = crm.openContacts({ fields: config.columns, ...(filter && { filter }) });
  const table = sheets.openTable(shape.table, tableMemory(config, readSync(loaded).facts));
  const [found, snapshot] = await Promise.all([contacts.get([uuid], { signal }), table.read({ signal })]);
  const read = found.get(uuid);
  const seen = snapshot.rows.find(({ id }) => id === uuid);
  const contact = read && shape.toRecord(read);
  const row = seen && shape.fromRow(seen, new Set());
  const nothing = config.columns.map(() => undefined);
  return {
    contact,
    row,
    rowNumber: seen?.number ?? null,
    values: { crm: contact ? unpack(contact.values) : nothing, sheet: row ? unpack(row.values) : nothing },
  };
}
