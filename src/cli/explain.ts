// The command `explain`: why a record is as it is, and what would change it.
import { explain } from '../operator/explain.ts';
import type { GlobalOptions } from './globals.ts';
import { openApp, openOperator } from './open.ts';
import { explainText } from './print/explain.ts';
import { printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface ExplainOptions extends GlobalOptions {
  readonly sync?: string;
  readonly live?: true;
}

export async function runExplain(
  reference: string,
  field: string | undefined,
  globals: ExplainOptions,
  world: CliWorld,
): Promise<void> {
  const query = { reference, field, job: globals.sync };
  const { operator } = openOperator(globals, world);
  if (!globals.live) {
    printAnswer(await explain(operator, query), explainText, globals, world);
    return;
  }
  using app = await openApp(operator.config, globals, world);
  const live = { sidesOf: app.connectionOf, signal: world.stop };
  printAnswer(await explain(operator, { ...query, live }), explainText, globals, world);
}
