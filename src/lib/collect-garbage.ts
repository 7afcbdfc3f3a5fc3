// Has V8 collect all garbage of the process and return the memory that becomes free to the system.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The process does nothing else meanwhile: some milliseconds for each megabyte that is in use. Rejects if this Node has no such
 * function. Of all collections that a program can ask for, this one alone empties V8's pool of free pages.
 */
export async function collectGarbage(): Promise<void> {
  await gcOfV8()({ type: 'major', execution: 'async', flavor: 'last-resort' });
}

/** The flag is set for this moment alone: compiled code is kept for processes with the same flags. */
function gcOfV8(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as NodeJS.GCFunction;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
