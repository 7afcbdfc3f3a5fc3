/** What the process says to its caller as it ends; the numbers above 63 are those of sysexits.h. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** Wrong usage of the command line (EX_USAGE). */
  usage: 64,
} as const;
