// The command `retry`: tries given-up records again.
import { retry } from '../operator/retry.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { tellPaused } from './pause.ts';
import { requestsText } from './print/decisions.ts';
import { printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface RetryOptions extends GlobalOptions {
  readonly sync?: string;
  readonly yes?: true;
}

export async function runRetry(ids: string[], globals: RetryOptions, world: CliWorld): Promise<void> {
  const { operator, decider } = openOperator(globals, world);
  const answer = await retry(operator, decider, { ids, sync: globals.sync, isSure: globals.yes === true });
  const toText = (given: typeof answer) => requestsText(given) || 'nothing is quarantined, parked or refused\n';
  printAnswer(answer, toText, globals, world);
  await tellPaused(operator, answer.requests, world);
}
