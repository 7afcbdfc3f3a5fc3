// What `resolve`, `retry` and `approve` have in common: a decision is written down, and the next run carries it out.
import type { Store } from '../state/port.ts';
import type { DecisionRequest } from '../engine/stored/facts.ts';
import { asStoredRecord } from '../engine/stored/json.ts';
import { lineText } from '../log/printable.ts';
import type { GlobalOptions } from './globals.ts';
import { jsonText } from './print/lines.ts';
import type { CliWorld } from './world.ts';

export interface Decision {
  readonly sync: string;
  readonly request: DecisionRequest;
  /** For people: what will be done. */
  readonly text: string;
}

export async function recordDecisions(
  decisions: readonly Decision[],
  store: Store,
  { json }: GlobalOptions,
  { stdout }: CliWorld,
): Promise<void> {
  for (const { sync, request, text } of decisions) {
    await store.sync(sync).addRequest(asStoredRecord(request));
    if (!json) stdout.write(`${sync}: ${lineText(text)}; the next run carries it out\n`);
  }
  if (json) {
    const requests = decisions.map(({ sync, request }) => ({ sync, id: 'id' in request ? request.id : request.run }));
    stdout.write(jsonText({ requests }));
  }
}
