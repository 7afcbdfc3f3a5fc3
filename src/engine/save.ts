// What a run leaves behind: the history of what it did, then the base that follows from it, each durable before the next.
import type { Batch, HistoryLine, Json, JsonObject, Lease } from '../state/port.ts';
import type { Base, Link, Stray } from '../sync/base.ts';
import type { Change } from '../sync/change.ts';
import type { Outcomes } from '../sync/outcome.ts';
import type { Settled } from '../sync/settle.ts';
import { unpack } from '../sync/record.ts';
import type { RunContext } from './context.ts';
import type { Decided } from './decide.ts';
import { type Facts, factChanges, type Memory } from './memory.ts';

/** L12: one line a field, in the order in which things were done. */
function historyLines(context: RunContext, { input, plan }: Decided, outcomes: Outcomes): HistoryLine[] {
  const time = new Date(context.now()).toISOString();
  return [...outcomes].flatMap(([change, outcome]): HistoryLine[] => {
    const uuid = change.uuid ?? (outcome.kind === 'done' ? (outcome.contact?.uuid ?? null) : null);
    const link = plan.people.get(uuid ?? '')?.link;
    const agreed = link ? unpack(link.agreed) : [];
    const about = {
      time,
      sync: context.config.name,
      run: context.run,
      side: change.side,
      op: change.op,
      contact: uuid,
      row: change.row,
      outcome: outcome.kind,
      ...('message' in outcome && { message: outcome.message }),
      ...('automation' in change && { automation: change.automation }),
      // One call did both (E2).
      ...('enrol' in change && { enrolled: change.enrol }),
    };
    if (change.fields.length === 0)
      return [{ ...about, field: null, before: null, after: null, rule: change.rule, reason: change.reason }];
    return change.fields.map(({ field, before, after, rule, reason }) => {
      const index = input.mapping.fields.findIndex(({ name }) => name === field);
      return { ...about, field, before: before ?? null, after, base: agreed[index] ?? null, rule, reason };
    });
  });
}

/** What of a settled run differs from the memory of it, as one batch; the memory as it is then. */
export function toBatch(
  memory: Memory,
  settled: Pick<Settled, 'links' | 'strays'>,
  facts: Facts,
  doneRequests: readonly string[],
): { readonly batch: Batch; readonly base: Base; readonly isEmpty: boolean } {
  const links = mapChanges<Link>(memory.base.links, settled.links);
  const strays = mapChanges<Stray>(
    memory.base.strays,
    new Map([...[...memory.base.strays.keys()].map((key) => [key, null] as const), ...settled.strays]),
  );
  const facted = factChanges(memory.facts, facts);
  const batch: Batch = {
    ...(links.isChanged && { links: links.changes }),
    ...(strays.isChanged && { strays: strays.changes }),
    ...(facted.size > 0 && { facts: { put: facted } }),
    ...(doneRequests.length > 0 && { doneRequests }),
  };
  return {
    batch,
    base: { fields: memory.base.fields, links: links.result, strays: strays.result },
    isEmpty: Object.keys(batch).length === 0,
  };
}

export async function saveRun(
  context: RunContext,
  lease: Lease,
  decided: Decided,
  outcomes: Outcomes,
  batch: Batch,
): Promise<void> {
  const lines = historyLines(context, decided, outcomes);
  // History first: a crash in between leaves a line of what did happen, and the next run finds both sides equal.
  if (lines.length > 0) await lease.appendHistory(lines);
  await lease.commit(batch);
}

function mapChanges<Value>(before: ReadonlyMap<string, Value>, after: ReadonlyMap<string, Value | null>) {
  const put = new Map<string, JsonObject>();
  const gone: string[] = [];
  for (const [key, value] of after) {
    const known = before.get(key);
    if (value === null) {
      if (known !== undefined) gone.push(key);
    } else if (known !== value && JSON.stringify(known) !== JSON.stringify(value)) {
      put.set(key, value as unknown as JsonObject);
    }
  }
  const isChanged = put.size > 0 || gone.length > 0;
  let result = before;
  if (isChanged) {
    const next = new Map(before);
    for (const key of gone) next.delete(key);
    for (const [key, value] of put) next.set(key, value as unknown as Value);
    result = next;
  }
  return { isChanged, result, changes: { put: put as ReadonlyMap<string, JsonObject & Json>, delete: gone } };
}

/** For `Change` keyed results of several pushes. */
export function joined(...parts: readonly Outcomes[]): Outcomes {
  return new Map(
    parts.flatMap((part) => [...part] as [Change, typeof part extends ReadonlyMap<Change, infer O> ? O : never][]),
  );
}
