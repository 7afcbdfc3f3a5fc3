// Settings of calls that read: the signal of the run, and a priority below edits.
import type { CallSettings } from '../sheets/port.ts';

/** The part of a run that its calls need. */
interface Requested {
  readonly request: { readonly signal: AbortSignal };
}

/** For reading: edits go first. */
export function scanCall({ request }: Requested) {
  return { signal: request.signal, priority: 'scan' as const };
}

export function sheetCall({ request }: Requested): CallSettings {
  return { signal: request.signal };
}
