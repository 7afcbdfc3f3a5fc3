/** Milliseconds that a test waits for something at least: on a busy machine time decides no verdict. */
export const patienceMs = 100_000;
