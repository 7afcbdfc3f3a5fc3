/** What a test waits for by itself; see vitest.config.ts. */
export const patienceMs = 100_000;
