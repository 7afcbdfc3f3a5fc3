// The error that ends a run as a whole, in words for the operator.

/** A setting or a side is not as the sync needs it. Nothing was written. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';
}
