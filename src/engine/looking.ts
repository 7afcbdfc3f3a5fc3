// Reads the tab of a run, or spares it: while nothing says that the tab changed since the last look (W14 to W16).
import type { ReadSettings, Snapshot } from '../sheets/port.ts';
import { type LastLook, type LookReason, whyLook } from '../sync/must-look.ts';
import type { JobContext, JobRun, Quiet } from './job.ts';
import { sheetCall } from './read-calls.ts';

type Looker = Pick<JobContext, 'hints' | 'now'> &
  JobRun & { readonly config: { readonly sheet: { readonly spreadsheetId: string; readonly fullLookMs: number } } };

export interface Looked {
  /** `unread`: nothing says that the tab changed. A run that goes on needs a look. */
  readonly seen: Snapshot | 'unchanged' | 'unread';
  /** For the next run; undefined: without hints. */
  readonly look: LastLook | undefined;
}

/** `quiet`: left out, the tab is read. */
export async function lookIfNeeded(context: Looker, quiet: Quiet | undefined, held: ReadSettings): Promise<Looked> {
  const { table, hints, request, config, now } = context;
  const read = () => table.read({ ...held, unless: quiet?.fingerprint });
  if (!hints) return { seen: await read(), look: undefined };
  const known = {
    last: quiet?.look,
    isWanted: quiet === undefined || request.isFull || request.isAsked || request.isTold === true,
    now: now(),
    fullLookMs: config.sheet.fullLookMs,
  };
  // W16: the mark is from before the reading, so that an edit between the two is one since the mark.
  const since = quiet?.look?.mark;
  const { kind: hint, mark } = await hints.ask(config.sheet.spreadsheetId, since, sheetCall(context));
  const why: LookReason | undefined = whyLook({ ...known, hint });
  if (why === undefined) return { seen: 'unread', look: quiet?.look };
  return { seen: await read(), look: { at: known.now, mark } };
}
