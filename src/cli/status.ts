// The command `status`: shows how each job stands.
import { lineText } from '../log/printable.ts';
import { ofAccount } from '../operator/select-account.ts';
import { readStatus } from '../operator/standing.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { printAnswer } from './print/lines.ts';
import { statusText } from './print/status.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Health } from '../operator/answers/status.ts';
import type { CliWorld, Finish } from './world.ts';

const codes: Readonly<Record<Health, ExitCode>> = {
  well: exitCodes.done,
  needs_somebody: exitCodes.personNeeded,
  failed: exitCodes.failed,
};

export async function runStatus(
  names: string[],
  globals: GlobalOptions & { readonly exitCode?: true; readonly account?: string },
  world: CliWorld,
  finish: Finish,
): Promise<void> {
  const { operator } = openOperator(globals, world);
  const answer = await readStatus(operator, ofAccount(operator.config, names, globals.account));
  if (answer.daemon_notice !== null) world.stderr.write(`leadsheet: ${lineText(answer.daemon_notice)}\n`);
  for (const { name, notices } of answer.syncs) {
    for (const notice of notices) world.stderr.write(`leadsheet: ${name}: ${lineText(notice)}\n`);
  }
  printAnswer(answer, statusText, globals, world);
  if (globals.exitCode) finish(codes[answer.health]);
}
