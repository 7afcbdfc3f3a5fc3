// The exit codes of the process, and the reason of a stop. It has no imports: `main.ts` loads it before anything else.
/** Exit codes. The numbers above 63 are those of sysexits.h. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** `plan`: a run would make changes. */
  changes: 2,
  /** Finished, but a person is needed: a conflict, a quarantined record, a held change. */
  personNeeded: 3,
  /** Wrong use of the command line (EX_USAGE). */
  usage: 64,
  /** Wrong configuration (EX_CONFIG). */
  config: 78,
  /** Stopped by SIGINT or by SIGTERM: 128 and the number of the signal, as in shells (POSIX, sh, 2.8.2). */
  interrupted: 130,
  /** The reader of the output stopped early, as `head` does (SIGPIPE). */
  outputClosed: 141,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const codeBySignal = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGPIPE: exitCodes.outputClosed,
} as const;

/** Why `CliWorld.stop` aborts. */
export class StopRequest extends Error {
  override readonly name = 'StopRequest';
  readonly exitCode: ExitCode;

  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGPIPE') {
    super(`stopped by ${signal}`);
    this.exitCode = codeBySignal[signal];
  }
}
