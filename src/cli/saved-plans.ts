// Reads a file of `plan --out` for `apply` and `plan --show`.
import { readFileSync } from 'node:fs';
import { errorCode } from '../config/secret-file.ts';
import { OperatorError } from '../operator/errors.ts';
import { PlanFileError } from '../operator/plan-file.ts';
import { CommandFailed } from './errors.ts';

/** `read`: gets the text of the file. Throws CommandFailed if the file holds no plans, and OperatorError as `read` does. */
export function fromPlanFile<Read>(file: string, read: (text: string) => Read): Read {
  try {
    return read(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const message =
      error instanceof PlanFileError ? error.message : `the plan ${file} cannot be read (${errorCode(error)})`;
    throw new CommandFailed(message, { cause: error });
  }
}
