// The failure of a request for which no connection was made.

/** Nothing was sent. The failure is its cause. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
}
