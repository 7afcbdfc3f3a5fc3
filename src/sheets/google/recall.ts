// Recognises the content of an earlier read by its digest, also if another process made that read.
// The text of a recall has all that a read needs to ask for the same cells: the tab, its layout, and the second call for open
// cells if there was one. As in a process that has read the layout itself, the header row alone shows whether columns moved.
import { hash } from 'node:crypto';
import { type CallOptions, type LastRead, takeColumns, type TableContext } from './context.ts';
import type { TabLayout } from './header.ts';
import { readShownCells } from './open-cells.ts';
import { ask, columnRanges, fingerprintOf, wholeBounds, isBadRange } from './routine.ts';

interface Recall {
  readonly sheetId: number;
  readonly layout: TabLayout;
  readonly lastRead: LastRead;
  readonly fingerprint: string;
}

/** Of the last read of this table. Undefined: a routine read alone does not show its content. */
export function toRecall(
  { sheetId, layout, lastRead }: Pick<TableContext, 'sheetId' | 'layout' | 'lastRead'>,
  fingerprint: string,
): string | undefined {
  if (sheetId === undefined || !layout?.isHeaderSufficient || !lastRead) return undefined;
  const recall: Recall = { sheetId, layout, lastRead, fingerprint };
  const text = JSON.stringify(recall);
  return `${sealOf(text)} ${text}`;
}

/** One read, and a second one if the recalled read made it. A table that has not read its layout goes on with the recalled one. */
export async function isAsRecalled(context: TableContext, recall: string, options: CallOptions): Promise<boolean> {
  const known = fromRecall(recall);
  if (!known) return false;
  const { sheetId, layout, lastRead } = known;
  const tab = { ...context, sheetId, layout };
  const digests = await readDigests(tab, lastRead, options);
  if (!digests || fingerprintOf(tab, digests) !== known.fingerprint) return false;
  if (context.layout === undefined) {
    Object.assign(context, { sheetId, layout: { ...layout, isRecalled: true }, lastRead });
    takeColumns(context, lastRead.shape, layout.resolved);
  }
  return true;
}

/** Undefined: the rows are not those of the recalled read. */
async function readDigests(
  tab: TableContext,
  { digest, shown }: LastRead,
  options: CallOptions,
): Promise<readonly (string | undefined)[] | undefined> {
  try {
    using answer = await ask(tab, wholeBounds(tab, columnRanges(tab.layout!)), options);
    if (answer.digest !== digest) return undefined;
    return [digest, shown && (await readShownCells(tab, shown, options)).digest];
  } catch (error) {
    // The tab is gone, or smaller: a read says which.
    if (isBadRange(error)) return undefined;
    throw error;
  }
}

function sealOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** Undefined: it was changed, or is of another driver. */
function fromRecall(recall: string): Recall | undefined {
  const at = recall.indexOf(' ');
  const text = recall.slice(at + 1);
  return recall.slice(0, at) === sealOf(text) ? (JSON.parse(text) as Recall) : undefined;
}
