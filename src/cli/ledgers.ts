// The commands `outbox`, `enrolments`, `feeds` and `budgets`: what jobs keep besides their standing.
import { assertUsableState } from '../app-state.ts';
import type { EnrolmentAnswer, MessageAnswer } from '../operator/answers/ledgers.ts';
import { readBudgets } from '../operator/budgets.ts';
import { readEnrolmentsPage } from '../operator/enrolments.ts';
import { readFeedsPage } from '../operator/feeds.ts';
import { readMessagesPage } from '../operator/messages.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { budgetsText, enrolmentsText, feedsText, messagesText } from './print/ledgers.ts';
import { printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface PageOptions extends GlobalOptions {
  readonly limit: number;
  readonly after?: string;
}

interface OutboxOptions extends PageOptions {
  readonly state?: MessageAnswer['state'];
}

interface EnrolmentsOptions extends PageOptions {
  readonly state?: EnrolmentAnswer['state'];
  readonly automation?: string;
  readonly contact?: string;
}

export async function runOutbox(outbox: string | undefined, globals: OutboxOptions, world: CliWorld): Promise<void> {
  const { operator } = openOperator(globals, world);
  const { state, limit, after } = globals;
  printAnswer(await readMessagesPage(operator, { outbox, state }, { limit, after }), messagesText, globals, world);
}

export async function runEnrolments(
  sync: string | undefined,
  globals: EnrolmentsOptions,
  world: CliWorld,
): Promise<void> {
  const { operator } = openOperator(globals, world);
  const { state, automation, contact, limit, after } = globals;
  const answer = await readEnrolmentsPage(operator, { sync, state, automation, contact }, { limit, after });
  printAnswer(answer, enrolmentsText, globals, world);
}

export async function runFeeds(globals: PageOptions, world: CliWorld): Promise<void> {
  const { operator } = openOperator(globals, world);
  const { limit, after } = globals;
  printAnswer(await readFeedsPage(operator, { limit, after }), feedsText, globals, world);
}

export async function runBudgets(name: string | undefined, globals: GlobalOptions, world: CliWorld): Promise<void> {
  const { operator } = openOperator(globals, world);
  // A heartbeat that cannot be read counts as none: it would be said that no daemon runs.
  await assertUsableState(operator.config.state);
  printAnswer(await readBudgets(operator, { job: name }), budgetsText, globals, world);
}
