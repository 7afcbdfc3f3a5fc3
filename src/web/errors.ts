/** The address of `server.listen` cannot be listened on; the message says why, and which option to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}
