// The folders of the program that mutants are made of, each with the tests that should notice them.

export interface Folder {
  /** Globs of the files that are changed. */
  readonly sources: readonly string[];
  readonly without?: readonly string[];
  /** Globs of the tests that are run. */
  readonly tests: readonly string[];
  /** Those that start a database, a browser or the built program, and so cost more than all others together. */
  readonly testsWithout?: readonly string[];
}

export const folders: Readonly<Record<string, Folder>> = {
  sync: {
    sources: ['src/sync/**/*.ts'],
    tests: [
      'test/sync/**/*.test.ts',
      // What people do to cells takes several runs to show: the guards against it have their tests there.
      'test/engine/moved-cells.test.ts',
      'test/engine/moved-person.test.ts',
      'test/engine/guards.test.ts',
      'test/engine/enrolment/moved-wishes.test.ts',
      'test/engine/enrolment/cleared.test.ts',
      'test/engine/outbox/moved-yes.test.ts',
    ],
  },
  engine: {
    sources: ['src/engine/**/*.ts'],
    tests: ['test/engine/**/*.test.ts'],
    testsWithout: ['test/engine/daemon/**'],
  },
  sheets: {
    sources: ['src/sheets/**/*.ts'],
    tests: ['test/sheets/**/*.test.ts'],
    // It replaces a module of ours with vi.mock, for which vitest loads the modules, and not Node.
    testsWithout: ['test/sheets/unknown-outcome.test.ts'],
  },
  state: {
    sources: ['src/state/**/*.ts'],
    without: ['src/state/postgres/**'],
    tests: ['test/state/**/*.test.ts'],
    testsWithout: ['test/state/postgres/**'],
  },
  crm: { sources: ['src/crm/**/*.ts'], tests: ['test/crm/**/*.test.ts'] },
};
