// Writes down which parts of src the tests of a file run, for REACH_FOLDER: a mutant needs only the tests that reach it.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { root } from '../support/root.ts';

/** A part of a file and whether it was run. An inner part says more than the one around it. */
export interface Part {
  readonly start: number;
  readonly end: number;
  readonly isRun: boolean;
}

type PartsByFile = Readonly<Record<string, readonly Part[]>>;

/** Of one file of tests, by the file of the program. */
export interface Reach {
  readonly test: string;
  /** What runs while modules are loaded: once a process, whichever files of tests need it. */
  readonly loadedByFile: PartsByFile;
  readonly partsByFile: PartsByFile;
}

const { REACH_FOLDER: folder } = process.env;
/** Node strips types in place, so that these offsets are those of the source. */
const source = join(root, 'src');

if (folder !== undefined) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  let loadedByFile: PartsByFile = {};
  beforeAll(() => {
    loadedByFile = takeParts(session);
  });
  afterAll(() => {
    const { testPath = '' } = expect.getState();
    const reach: Reach = { test: testPath, loadedByFile, partsByFile: takeParts(session) };
    const name = `${basename(testPath)}-${Math.round(performance.now() * 1000)}.json`;
    writeFileSync(join(folder, name), JSON.stringify(reach));
    session.disconnect();
  });
}

/** What ran since the last call. */
function takeParts(session: Session): PartsByFile {
  let parts: PartsByFile = {};
  // It is called before `post` returns.
  session.post('Profiler.takePreciseCoverage', (failure, { result }) => {
    if (failure) throw failure;
    const ours = result.filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(source));
    parts = Object.fromEntries(
      ours.map(({ url, functions }) => [
        fileURLToPath(url),
        functions
          .flatMap(({ ranges }) => ranges)
          .map(({ startOffset, endOffset, count }) => ({ start: startOffset, end: endOffset, isRun: count > 0 })),
      ]),
    );
  });
  return parts;
}
