// What a run leaves behind: the history of what it did, then the base that follows from it, each durable before the next.
import type { Batch, HistoryLine, Json, JsonObject, Lease } from '../state/port.ts';
import type { Base, Link, Stray } from '../sync/base.ts';
import type { Change, Problem } from '../sync/change.ts';
import type { Outcome, Outcomes } from '../sync/outcome.ts';
import { settle, type Settled } from '../sync/settle.ts';
import { unpack } from '../sync/record.ts';
import type { RunContext } from './context.ts';
import type { Decided } from './decide.ts';
import { changeLines } from './history.ts';
import { type DecisionRequest, type Facts, factChanges, type Memory } from './memory.ts';

/** In the order in which things were done, each field with what both sides agreed on before. */
function historyLines(context: RunContext, { input, plan }: Decided, outcomes: Outcomes): HistoryLine[] {
  return [...outcomes].flatMap(([change, outcome]) => {
    const link = plan.people.get(change.uuid ?? '')?.link;
    const agreed = link ? unpack(link.agreed) : [];
    return changeLines(context, change, outcome, (field) => {
      return { base: agreed[input.mapping.fields.findIndex(({ name }) => name === field)] ?? null };
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
  // M9, L3: stored values go by the order of the fields, so that with another order every link is stored again.
  const isReordered = memory.facts.fields !== undefined && facted.has('fields');
  const put = isReordered ? (links.result as unknown as typeof links.changes.put) : links.changes.put;
  const batch: Batch = {
    ...((links.isChanged || isReordered) && { links: { ...links.changes, put } }),
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

/**
 * Keeps what a run does as it does it. Before a step its changes are noted in the outbox, after it they go into the
 * history with their outcomes: should the process end in between, the next run moves the note there (`interrupted.ts`).
 */
export interface Journal {
  readonly intend: (changes: readonly Change[]) => Promise<void>;
  /** What was just done to the CRM; the base follows at once, for those that are confirmed. */
  readonly crm: (outcomes: Outcomes) => Promise<void>;
  /** What was just done otherwise: remembered at the end of the run. */
  readonly tell: (outcomes: Outcomes) => Promise<void>;
  /** W9: nothing at all where nothing changed and there is no news; what only passes (`passing`) goes along with a write. */
  readonly end: (settled: Settled, isNews: boolean, passing: Facts) => Promise<void>;
}

export function openJournal(
  context: RunContext,
  lease: Lease,
  memory: Memory,
  decided: Decided,
  facts: Facts,
): Journal {
  let known = memory;
  let steps = 0;
  /** Notes in the outbox: of the step under way, and of those that the history has by now. */
  let open: string[] = [];
  let done: string[] = [];
  let hasWritten = false;
  const commit = async (batch: Batch, base: Base, learnt: Facts): Promise<void> => {
    const outbox = done.length > 0 && { outbox: { delete: done } };
    await lease.commit({ ...batch, ...outbox });
    hasWritten = true;
    done = [];
    known = { ...known, base, facts: { ...known.facts, ...learnt } };
  };
  const tell = async (outcomes: Outcomes): Promise<void> => {
    const lines = historyLines(context, decided, outcomes);
    if (lines.length > 0) await lease.appendHistory(lines);
    done = [...done, ...open];
    open = [];
  };
  return {
    tell,
    async intend(changes) {
      if (changes.length === 0) return;
      steps += 1;
      const note = `${context.run} ${steps}`;
      const lines = historyLines(context, decided, new Map(changes.map((change) => [brief(change), interrupted])));
      await lease.commit({ outbox: { put: new Map([[note, { lines }]]), delete: done } });
      done = [];
      open = [note];
    },
    async crm(outcomes) {
      await tell(outcomes);
      const nothing = { ...decided.plan, links: new Map(), strays: new Map(), problems: [] };
      const settled = settle(decided.input, nothing, outcomes);
      // I10, L10: as long as the row bears the old contact's ID, the old link has to say whose it is. Should the process end
      // here, the next run continues it again; with both links, the row would pass for that of a contact that is gone.
      const bearsOtherId = (uuid: string) => ![undefined, '', uuid].includes(decided.plan.people.get(uuid)?.row?.id);
      const links = new Map([...settled.links].filter(([uuid]) => !bearsOtherId(uuid)));
      const { batch, base } = toBatch(known, { links, strays: known.base.strays }, facts, []);
      await commit(batch, base, facts);
    },
    async end(settled, isNews, passing) {
      const { isEmpty } = toBatch(known, settled, facts, carriedOut(memory, settled));
      if (isEmpty && done.length === 0 && !hasWritten && !isNews) return;
      const learnt = { ...facts, ...passing };
      const { batch, base } = toBatch(known, settled, learnt, carriedOut(memory, settled));
      await commit(batch, base, learnt);
    },
  };
}

const interrupted: Outcome = { kind: 'unknown', message: 'the process ended before the outcome was known' };

/** Who was new replaced nothing: that it was begun is enough. */
function brief(change: Change): Change {
  return change.op === 'create' || change.op === 'append' ? { ...change, fields: [] } : change;
}

/** A decision that could not be carried out, because a side did not take it, stays for the next run. */
function carriedOut({ pending }: Memory, { problems }: Pick<Settled, 'problems'>): readonly string[] {
  const unsettled: ReadonlySet<Problem['kind']> = new Set(['failed', 'unknown', 'refused', 'waiting', 'conflict']);
  const open = new Set(problems.flatMap((each) => (unsettled.has(each.kind) ? [each.id] : [])));
  const isOpen = (request: DecisionRequest) =>
    request.kind === 'resolve' && (open.has(request.id) || open.has(request.id.split('/')[0]!));
  return [...pending].flatMap(([id, request]) => (isOpen(request) ? [] : [id]));
}

export function mapChanges<Value>(before: ReadonlyMap<string, Value>, after: ReadonlyMap<string, Value | null>) {
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
