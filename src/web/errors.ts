// The errors of what the daemon serves.
/** The address of `server.listen` cannot be listened on. The message says why, and which option to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Another daemon works on the same state. The message says which, and what to do. */
export class DaemonRunsError extends Error {
  override readonly name = 'DaemonRunsError';
}
