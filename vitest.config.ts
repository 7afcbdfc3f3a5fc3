import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    // Left to itself it keeps a core free, which on two cores is half of them.
    maxWorkers: '100%',
  },
});
