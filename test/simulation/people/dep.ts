// What people see when they act.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import type { Write } from '../oracle/evidence.ts';
import type { Setting } from '../world/setting.ts';
import type { Sides } from '../world/sides.ts';
import type { RowView, SheetView } from '../world/view.ts';
import type { Log } from './log.ts';

export interface WorldDep {
  readonly sides: Sides;
  readonly setting: Setting;
  readonly log: Log;
  /** The person of a contact, if it is known. */
  readonly ownerOf: (uuid: string) => string | undefined;
  readonly personOf: (row: RowView) => string | undefined;
  /** The last value that leadsheet wrote to a side. */
  readonly lastWrite: (side: 'crm' | 'sheet') => Write | undefined;
}

export interface PeopleDep extends WorldDep {
  /** The tab as it is now. */
  readonly view: () => SheetView;
  /** The contacts of the list as it is now, which the filter lets through. */
  readonly here: () => readonly ContactRecord[];
  /** All others. */
  readonly away: () => readonly ContactRecord[];
}
