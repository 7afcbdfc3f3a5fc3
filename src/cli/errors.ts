// The errors of commands. It has no imports: declarations of options throw them.

/** The command line has a command, option or value that does not exist. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A person gave up a question with Ctrl-C. The message says that nothing happened. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

/** A command cannot do what it was asked to. The message says why and what to do. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}
