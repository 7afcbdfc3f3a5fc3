// How a run reads: with its signal, and behind edits.
import type { CallSettings } from '../sheets/port.ts';

/** A run, as far as its calls need it. */
interface Requested {
  readonly request: { readonly signal: AbortSignal };
}

/** For reading: nobody waits for it as for an edit. */
export function scanCall({ request }: Requested) {
  return { signal: request.signal, priority: 'scan' as const };
}

export function sheetCall({ request }: Requested): CallSettings {
  return { signal: request.signal };
}
