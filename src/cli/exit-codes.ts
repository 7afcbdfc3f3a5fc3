/** What the process says to its caller as it ends; the numbers above 63 are those of sysexits.h. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** `plan`: a run would change something. */
  changes: 2,
  /** Finished, but a person is needed: a conflict, a quarantine, something held. */
  personNeeded: 3,
  /** Wrong usage of the command line (EX_USAGE). */
  usage: 64,
  /** Wrong configuration (EX_CONFIG). */
  config: 78,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
