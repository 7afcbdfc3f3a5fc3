// What a run knows from earlier ones: the stored records in the algorithm's words, and the few facts beside them.
import type { Json, JsonObject, LoadedState } from '../../state/port.ts';
import type { TableMemory } from '../../sheets/port.ts';
import { adaptBase, type Base, type Link, type Stray } from '../../sync/record/base.ts';
import type { Ledger, LedgerEntry } from '../../sync/enrolment/ledger.ts';
import { findInterrupted, type Interrupted } from './interrupted.ts';
import type { Newcomer } from '../enrolment/ledger.ts';
import type { DecisionRequest } from '../decision.ts';
import type { StoredRun } from '../last-run.ts';
import type { Identities, PlanCounts, Requests, Resolution } from '../../sync/input.ts';

export interface Memory {
  readonly base: Base;
  readonly ledger: Ledger;
  /** Contacts created and enrolled in one call whose uuid is not known, by `rowKey` (E3). */
  readonly newcomers: ReadonlyMap<string, Newcomer>;
  readonly requests: Requests;
  /** The same as they are stored, by id. */
  readonly pending: ReadonlyMap<string, DecisionRequest>;
  /** Of `retry` alone, by what is to be tried again. */
  readonly retryRequestIds: ReadonlyMap<string, readonly string[]>;
  readonly facts: Facts;
  readonly interrupted: Interrupted;
}

/** Single values by name. Each is left out until it is known. */
export interface Facts {
  readonly identities?: Identities;
  /** Field names in the order of the stored values (M9). */
  readonly fields?: readonly string[];
  /** From when on changed contacts have to be asked for, ISO instant. */
  readonly watermark?: string;
  /** Contacts in scope that have no row yet, because somebody has to decide first: asked for beside those that changed. */
  readonly unplaced?: readonly string[];
  readonly list?: { readonly named: string; readonly uuid: string };
  /** Spreadsheet and tab as the configuration names them: the memory of the table is of these (G1). */
  readonly tab?: string;
  readonly table?: TableMemory;
  /** Deleted by us and perhaps still answered: uuid -> epoch milliseconds. */
  readonly tombstones?: Readonly<Record<string, number>>;
  /** The last plan that was held, for `approve`. */
  readonly held?: { readonly run: string; readonly planned: PlanCounts; readonly reasons?: readonly string[] } | null;
  /** Kinds of scans whose last one drifted (`incomplete.ts`). */
  readonly drifted?: readonly ('full' | 'incremental')[];
  /** Why the last full scan could not have every contact, however it asked; null: it had. */
  readonly limited?: string | null;
  /** The last run that had something to write; an idle one after it found things as this one left them (W9). */
  readonly lastRun?: StoredRun;
  /** E6: somebody saw the wishes that a new state found. */
  readonly isLedgerTrusted?: boolean;
}

export function recall(loaded: LoadedState, fields: readonly string[]): Memory {
  const facts = Object.fromEntries(loaded.facts) as Facts;
  const storedFields = facts.fields ?? fields;
  const interrupted = findInterrupted(loaded, storedFields);
  const links = loaded.links as unknown as ReadonlyMap<string, Link>;
  const stored: Base = {
    fields: storedFields,
    links: interrupted.links.size > 0 ? new Map([...links, ...interrupted.links]) : links,
    strays: new Map([...(loaded.strays as unknown as ReadonlyMap<string, Stray>), ...interrupted.strays]),
  };
  return {
    base: adaptBase(stored, fields),
    ledger: {
      entries: loaded.enrolments as unknown as ReadonlyMap<string, LedgerEntry>,
      // S3: what was done last may be missing from it.
      isTrusted: (facts.isLedgerTrusted ?? false) && !loaded.notices.some(({ kind }) => kind === 'behind'),
    },
    newcomers: new Map(
      [...loaded.outbox].flatMap(([key, entry]) =>
        'identifiers' in entry ? [[key, entry as unknown as Newcomer] as const] : [],
      ),
    ),
    requests: toRequests([...loaded.requests.values()]),
    pending: loaded.requests as unknown as ReadonlyMap<string, DecisionRequest>,
    retryRequestIds: retriesById(loaded.requests),
    facts,
    interrupted,
  };
}

function toRequests(stored: readonly JsonObject[]): Requests {
  const resolve = new Map<string, Resolution>();
  const retry = new Set<string>();
  let approved: PlanCounts | undefined;
  for (const request of stored as unknown as readonly DecisionRequest[]) {
    if (request.kind === 'resolve') resolve.set(request.id, request.resolution);
    if (request.kind === 'retry') retry.add(request.id);
    if (request.kind === 'approve') approved = request.counts;
  }
  return { resolve, retry, ...(approved && { approved }) };
}

function retriesById(stored: LoadedState['requests']): ReadonlyMap<string, readonly string[]> {
  const byId = new Map<string, readonly string[]>();
  for (const [requestId, request] of stored as unknown as ReadonlyMap<string, DecisionRequest>) {
    if (request.kind === 'retry') byId.set(request.id, [...(byId.get(request.id) ?? []), requestId]);
  }
  return byId;
}

/** Facts as the store takes them: those that differ. */
export function factChanges(before: Facts, after: Facts): ReadonlyMap<string, Json> {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify((before as Record<string, unknown>)[name]),
  );
  return new Map(changed as [string, Json][]);
}
