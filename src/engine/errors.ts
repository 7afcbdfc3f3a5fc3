// Failures of a run as a whole, in words for the person who reads them at night.

/** A setting or a side is not as the sync needs it; nothing was written. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';
}
