// H3 and H4, judged at each write: a worker that was taken over changes nothing any more.
import type { Violation } from '../oracle/evidence.ts';
import type { FleetMember } from '../world/member.ts';
import { tabTitle } from '../world/setting.ts';
import type { SideEvent } from '../world/sides.ts';

export interface HolderJudge {
  /** `member`: the worker that made the call. */
  judge(event: SideEvent, member: FleetMember): Violation | undefined;
}

export function createHolderJudge(): HolderJudge {
  /** The latest epoch whose holder changed a cell. */
  let wroteLast = 0;
  return {
    judge(event, member) {
      const { own, given } = member.epochs();
      if ('by' in event && event.by !== 'leadsheet') return undefined;
      if (event.side !== 'sheet') {
        // docs/fleet.md: a clock that stopped says nothing of the lease.
        if (own === given || member.hasSlept()) return undefined;
        return { law: 'H3', text: `lease ${given} was given, and the holder of lease ${own} wrote to the service` };
      }
      if (!hasChangedCells(event)) return undefined;
      if (own < wroteLast)
        return { law: 'H4', text: `the holder of lease ${own} changed cells after that of lease ${wroteLast}` };
      wroteLast = own;
      return undefined;
    },
  };
}

/** In the tab of the sync. Marks are no cells. */
export function hasChangedCells({ before, after }: Extract<SideEvent, { side: 'sheet' }>): boolean {
  const [rows, rowsNow] = [before, after].map((content) => content.findSheetByTitle(tabTitle)?.rows ?? []);
  return rows!.length !== rowsNow!.length || rows!.some((row, index) => row?.cells !== rowsNow![index]?.cells);
}
