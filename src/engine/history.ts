// Turns changes into lines of the history, which stay readable after their records are gone (L12).
import type { HistoryLine, Json } from '../state/port.ts';
import type { Change } from '../sync/change.ts';
import type { Outcome } from '../sync/outcome.ts';
import type { JobContext, JobRun } from './job.ts';

interface Written extends Pick<JobRun, 'run'>, Pick<JobContext, 'now'> {
  /** The history is asked for by this name. */
  readonly config: { readonly name: string };
}

/** The outcome in a note of what is about to be done: the line that the next run writes, should the process end before the answer. */
export const interrupted: Outcome = { kind: 'unknown', message: 'the process ended before the outcome was known' };

/** What was not sent to a contact, because it holds another value by then (I8, L1). */
const left = { outcome: 'moved', message: 'not sent: the contact was given another value meanwhile' };

/** One line a field; one line for a change without fields, and for an ID that alone was refused. `more`: further data about a field. */
export function changeLines(
  { config, run, now }: Written,
  change: Change,
  outcome: Outcome,
  more: (field: string) => Readonly<Record<string, Json>> = () => ({}),
): readonly HistoryLine[] {
  const isIdRefused = outcome.kind === 'refused' && outcome.stored !== undefined;
  const about = {
    time: new Date(now()).toISOString(),
    sync: config.name,
    run,
    side: change.side,
    op: change.op,
    contact: change.uuid ?? (outcome.kind === 'done' ? (outcome.contact?.uuid ?? null) : null),
    row: change.row,
    ...('automation' in change && { automation: change.automation }),
    // The run that writes the ID into a row is the one that links it.
    ...(change.op === 'set' && change.id !== undefined && !isIdRefused && { linked: true }),
    // One call created and enrolled (E2).
    ...(change.op === 'create' && change.enrol !== undefined && { enrolled: change.enrol }),
  };
  const came = { outcome: outcome.kind, ...('message' in outcome && { message: outcome.message }) };
  const { rule: whole, reason: why } = change;
  const ofWhole = { ...about, ...came, field: null, before: null, after: null, rule: whole, reason: why };
  if (change.fields.length === 0) return [ofWhole];
  const written = 'written' in outcome ? outcome.written : undefined;
  const isUnsent = (field: string) => outcome.kind === 'done' && outcome.unsent?.includes(field);
  const ofFields = change.fields.map(({ field, before, after, rule, reason }) => {
    const ofOthers = isUnsent(field) ? left : came;
    const ofField = isIdRefused || written?.fields.includes(field) ? { outcome: 'done' } : ofOthers;
    return { ...about, ...ofField, field, before: before ?? null, after, ...more(field), rule, reason };
  });
  return isIdRefused ? [...ofFields, ofWhole] : ofFields;
}
