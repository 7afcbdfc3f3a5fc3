// Inspects a tab before it is used: whether it exists, has its columns, and may be edited. Changes nothing.
import { boundsToText, type GridBounds, sheetIdToReference } from './address.ts';
import { type CallOptions, idKey, type TableContext } from './context.ts';
import { RefusedError } from './errors.ts';
import { resolveHeader } from './header.ts';
import { locateTab } from './locate.ts';
import { anchorValue, deleteMark, drawIds } from './marks.ts';
import { batchUpdate } from './pins.ts';
import { readHeader } from './pinned-view.ts';
import type { Inspection } from '../port.ts';

/** Two reads. Throws what `Table.read` throws. */
export async function inspectTab(context: TableContext, options: CallOptions): Promise<Inspection> {
  await locateTab(context, options);
  const { grid, cells } = await readHeader(context, options);
  const { states, located } = resolveHeader(context.columns, cells, (key) => anchorValue(context.spec.owner, key));
  const indexes = located.map(({ columnIndex }) => columnIndex);
  const isInTheWay = ({ startColumnIndex = 0, endColumnIndex = Infinity, endRowIndex = Infinity }: GridBounds) =>
    endRowIndex >= context.spec.headerRow &&
    indexes.some((index) => index >= startColumnIndex && index < endColumnIndex);
  return {
    title: grid.title,
    reference: sheetIdToReference(grid.sheetId),
    rowCount: grid.rowCount,
    columns: states.filter(({ key }) => key !== idKey),
    idColumn: states.find(({ key }) => key === idKey)!,
    headerTexts: cells.flatMap(({ text }) => (text === '' ? [] : [text])),
    forbidden: grid.forbidden.filter(isInTheWay).map(boundsToText),
  };
}

/**
 * One write that changes nothing: it deletes a mark that does not exist. Google refuses it (403, thrown as
 * ReadOnlyShareError), or any other answer shows that writing is allowed.
 */
export async function checkMayWrite(context: TableContext, options: CallOptions): Promise<void> {
  const [id = 0] = drawIds(context.block, 1, context.client.time.random);
  try {
    await batchUpdate(context, [deleteMark(id)], options);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
  }
}
