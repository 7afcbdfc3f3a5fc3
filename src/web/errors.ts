// The error of the HTTP server.
/** The address of `server.listen` cannot be listened on. The message says why, and which option to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}
