// The fence: a mark on the tab that names the epoch of the holder that may write, so that Google refuses the batches of an
// earlier holder that was suspended, or whose request was on its way for long (H4).
//
//   take   before the first batch of a holder: the mark gets its epoch in place of the value that was read. Of two that take at
//          once one is refused. Then the pins of others are removed: a write of values goes through pins and has no room for
//          the mark, and without its pins it writes nothing
//   hold   every batch of the holder deletes the mark with its own epoch as value, and creates it again. If the mark has another
//          value, nothing is deleted, its id is in use, and Google refuses the whole batch
//
// Both rest on documented rules alone: a lookup matches all of its fields, creating an id in use fails, and a batch is applied
// whole or not at all. Used only where a lease can run out: a run that writes pays two reads and a write.
import { AbortedError } from '../errors.ts';
import { type CallOptions, errorContext, type TableContext } from './context.ts';
import { RefusedError } from './errors.ts';
import { byMetadataId } from './grid.ts';
import { deleteMark, fenceId, fenceRequests, isTemporaryMark, type Request, temporaryKeys } from './marks.ts';
import { searchMarks } from './search-marks.ts';

type Send<Answer> = (requests: Request[]) => Promise<Answer>;

/** Times that a batch, or the take before it, is sent: each time the mark was read anew. Others may take the fence in between. */
const attemptsMax = 3;

/** Sends one batch under the fence. Throws AbortedError if a later holder has it: then nothing of the batch is applied. */
export async function sendFenced<Answer>(
  context: TableContext,
  requests: readonly Request[],
  options: CallOptions,
  send: Send<Answer>,
): Promise<Answer> {
  const { fence } = context;
  if (!fence) return send([...requests]);
  for (let attempt = 1; ; attempt += 1) {
    if (context.fenceHeld !== fence.epoch) await take(context, fence.epoch, options, send);
    try {
      return await send([...hold(context, fence.epoch), ...requests]);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      // With the mark in its place something else was refused.
      if ((await readFence(context, options)) === fence.epoch || attempt === attemptsMax) throw error;
      context.fenceHeld = undefined;
    }
  }
}

async function take(context: TableContext, epoch: number, options: CallOptions, send: Send<unknown>): Promise<void> {
  const { block, fence } = context;
  for (let attempt = 1; ; attempt += 1) {
    const seen = await readFence(context, options);
    if (seen !== undefined && seen > epoch) {
      fence?.overtaken(seen);
      throw new AbortedError(errorContext(context));
    }
    try {
      if (seen !== epoch) await send(fenceRequests(block, context.sheetId!, seen, epoch));
      // From here on no earlier holder can place a pin, so that one look is enough. Somebody who deleted the mark since then has
      // left the pins, and they are ours.
      const pins = context.fenceTaken === epoch ? [] : await foreignPins(context, options);
      if (pins.length > 0) await send([...hold(context, epoch), ...pins.map(deleteMark)]);
      context.fenceTaken = epoch;
      context.fenceHeld = epoch;
      return;
    } catch (error) {
      if (!(error instanceof RefusedError) || attempt === attemptsMax) throw error;
    }
  }
}

function hold({ block, sheetId }: TableContext, epoch: number): Request[] {
  return fenceRequests(block, sheetId!, epoch, epoch);
}

/** The epoch on the mark; undefined: there is no mark. One read. */
async function readFence(context: TableContext, options: CallOptions): Promise<number | undefined> {
  const found = await searchMarks(context, [byMetadataId(fenceId(context.block))], options);
  const [epoch] = found.map(({ metadataValue }) => Number(metadataValue));
  return epoch !== undefined && Number.isSafeInteger(epoch) ? epoch : undefined;
}

/** Marks of this table's calls that this holder did not make, or no longer needs. One read. */
async function foreignPins(context: TableContext, options: CallOptions): Promise<number[]> {
  const filters = temporaryKeys.map((metadataKey) => ({ developerMetadataLookup: { metadataKey } }));
  const marks = await searchMarks(context, filters, options);
  return marks.flatMap((mark) => (isTemporaryMark(mark, context.block) ? (mark.metadataId ?? []) : []));
}
