// Says whether the tests have a browser on this machine.

/** The package holds one for Linux on x64 alone. `global-setup.ts` says so elsewhere, and these tests are skipped. */
export const hasBrowser = process.platform === 'linux' && process.arch === 'x64';
