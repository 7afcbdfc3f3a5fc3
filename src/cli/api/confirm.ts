// Asks a person before a call that deletes or sends.
import { createInterface } from 'node:readline';
import type { NamedOperation } from '../../crm/outreach/operations/table.ts';
import { lineText } from '../../log/printable.ts';
import { CommandFailed, UsageError } from '../errors.ts';
import type { CliWorld } from '../world.ts';

/** Throws UsageError without a terminal, and CommandFailed if the answer is not yes. */
export async function confirmCall(
  { name, operation: { confirm } }: NamedOperation,
  baseUrl: string,
  { yes }: { readonly yes?: true },
  { terminal, stderr, stop }: CliWorld,
): Promise<void> {
  if (confirm === undefined || yes) return;
  const place = new URL(baseUrl).host;
  const found = terminal?.();
  if (!found) throw new UsageError(`${name} ${confirm}, on ${lineText(place)}: if you are sure, add --yes`);
  stderr.write(`${name} ${confirm}, on ${lineText(place)}. Go on? [y/N] `);
  if (/^y(es)?$/i.test((await readAnswer(found.input, stop)).trim())) return;
  stop.throwIfAborted();
  throw new CommandFailed('not confirmed: nothing was sent');
}

/** Blank at the end of the input and at a stop. */
async function readAnswer(input: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> {
  using lines = createInterface({ input, signal });
  for await (const line of lines) return line;
  return '';
}
