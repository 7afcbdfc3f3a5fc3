// Rows of a sync that the spreadsheet refused, for the steps of its run (W5).
import type { PlanInput } from '../../sync/input.ts';
import { rowChangeKey } from '../../sync/row-refusal.ts';
import type { Settled } from '../../sync/settle/settle.ts';
import type { OwnCells } from '../own-cells.ts';

/** Numbers of rows whose cells, or whose deletion, wait for the end of a pause: nothing else is written into them. */
export function rowsRefused({ base }: Pick<PlanInput, 'base'>, settled: Settled): ReadonlySet<number> {
  const { links, strays, problems } = settled;
  const linkOf = (uuid: string) => links.get(uuid) ?? base.links.get(uuid);
  const isRefused = (uuid: string, row: number) =>
    linkOf(uuid)?.refusals?.set !== undefined || strays.has(rowChangeKey({ op: 'remove', uuid, row }));
  return new Set(
    problems.flatMap(({ rule, uuid, row }) =>
      rule === 'W5' && uuid !== null && row !== null && isRefused(uuid, row) ? [row] : [],
    ),
  );
}

/** L12: with what was refused of our own columns. */
export function withOwnCells(settled: Settled, own: OwnCells, isStopped: boolean): Settled {
  return {
    ...settled,
    strays: new Map([...settled.strays, ...own.strays(isStopped)]),
    problems: [...settled.problems, ...own.problems()],
  };
}
