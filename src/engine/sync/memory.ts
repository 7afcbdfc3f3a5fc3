// The memory of earlier runs: the stored records in the algorithm's types, and the facts beside them.
import type { SyncConfig } from '../../config/config.ts';
import { adaptBase, type Base, type FieldNote, type Link } from '../../sync/record/base.ts';
import type { Ledger } from '../../sync/record/ledger.ts';
import { findAppended, findInterrupted, type Interrupted } from './interrupted.ts';
import type { Newcomer } from '../enrolment/ledger.ts';
import type { Facts } from '../stored/facts.ts';
import type { Field } from '../../sync/record/mapping.ts';
import type { StoredSync } from '../stored/stored.ts';
import type { PlanCounts, Requests, Resolution } from '../../sync/input.ts';
import type { DecisionRequest } from '../decision.ts';

export interface Memory {
  readonly base: Base;
  readonly ledger: Ledger;
  /** Contacts created and enrolled in one call whose uuid is not known, by `rowKey` (E3). */
  readonly newcomers: ReadonlyMap<string, Newcomer>;
  readonly requests: Requests;
  /** The same requests as they are stored, by id. */
  readonly pending: ReadonlyMap<string, DecisionRequest>;
  /** The ids of `retry` requests, by what is to be tried again. */
  readonly retryRequestIds: ReadonlyMap<string, readonly string[]>;
  /** Records of a held plan that people approved one by one (G6). Left out: none. */
  readonly approvedRecords?: ApprovedRecords;
  readonly facts: Facts;
  /** `base` has less than the state (W11), or opened links of it (M9): the first commit stores every link. */
  readonly isReopened?: boolean;
  readonly interrupted: Interrupted;
}

/** Records of a held plan, by the digest of the changes that were seen. */
export interface ApprovedRecords {
  readonly digests: ReadonlySet<string>;
  readonly idByDigest: ReadonlyMap<string, string>;
}

/**
 * `fields`: of the mapping. `undoes`: for the undo of that run. Decisions about records wait for a run that syncs them. An approval is for a run or
 * for the undo that was held, and lets no other through.
 */
export function recall(
  stored: StoredSync,
  { fields }: { readonly fields: readonly Pick<Field, 'name' | 'direction' | 'blank'>[] },
  undoes?: string,
): Memory {
  const { facts, links, strays, newcomers, isLedgerTrusted } = stored;
  const requests = new Map([...stored.requests].filter(([, request]) => isMeant(request, undoes)));
  const { retry, retryRequestIds } = retriesIn(requests);
  const names = fields.map(({ name }) => name);
  const storedFields = facts.fields ?? names;
  const interrupted = findInterrupted(stored, storedFields);
  const before: Base = {
    fields: storedFields,
    links: interrupted.links.size > 0 ? new Map([...links, ...interrupted.links]) : links,
    strays: new Map([...strays, ...interrupted.strays]),
  };
  const appendedOf = findAppended(stored, names);
  const base = { ...adaptBase(before, names), ...(appendedOf.size > 0 && { appendedOf }) };
  const turned = fields.flatMap(({ name, direction }) =>
    (facts.directions?.[name] ?? direction) === direction ? [] : [name],
  );
  const isReopened = turned.length > 0 || fields.some(({ name, blank }) => (facts.blanks?.[name] ?? blank) !== blank);
  return {
    base: isReopened ? reopen(base, turned) : base,
    ...(isReopened && { isReopened }),
    ledger: {
      entries: stored.ledger,
      isTrusted: isLedgerTrusted,
      ...(facts.isLedgerTrusted === false && { isIncomplete: true }),
    },
    newcomers,
    requests: { ...toRequests(requests, facts), retry },
    ...approvedRecords([...requests.values()]),
    pending: requests,
    retryRequestIds,
    facts,
    interrupted,
  };
}

/** M9: whether a column joined or left, or the columns have another order, since the facts were stored. */
export function isMappingNew({ facts, base }: Pick<Memory, 'facts' | 'base'>): boolean {
  return facts.fields === undefined || facts.fields.join('\n') !== base.fields.join('\n');
}

/** As it is stored. */
export function filterNamed({ contacts: { filter } }: Pick<SyncConfig, 'contacts'>): string {
  return JSON.stringify(filter ?? {});
}

/** L5, D4: whether other contacts are meant since the facts were stored: those that did not change are in no search for changes. */
export function isFilterNew(config: Pick<SyncConfig, 'contacts'>, { filter }: Facts): boolean {
  return filter !== undefined && filter !== filterNamed(config);
}

/**
 * M9: what is merged in another direction than before, or with another meaning of blanks, may differ although neither side changed:
 * every link is looked at once more. What the earlier direction gave up (M6, M7) is tried in the new one.
 */
function reopen(base: Base, turned: readonly string[]): Base {
  const links = [...base.links].map(([uuid, link]): [string, Link] => {
    const { notes = {} } = link;
    const anew = turned.flatMap((name) => (notes[name] ? [[name, withoutGivenUp(notes[name])]] : []));
    return [
      uuid,
      { ...link, isOpen: true, ...(anew.length > 0 && { notes: { ...notes, ...Object.fromEntries(anew) } }) },
    ];
  });
  return { ...base, links: new Map(links) };
}

function withoutGivenUp({ parked: _parked, notStored: _notStored, written: _written, ...note }: FieldNote): FieldNote {
  return note;
}

function isMeant(request: DecisionRequest, undoes: string | undefined): boolean {
  const approves = request.kind === 'approve' ? request.undoes : undefined;
  return undoes === undefined ? approves === undefined : approves === undoes;
}

function toRequests(stored: ReadonlyMap<string, DecisionRequest>, { held, begun }: Facts): Omit<Requests, 'retry'> {
  const resolve = new Map<string, Resolution>();
  let approved: PlanCounts | undefined;
  for (const request of stored.values()) {
    if (request.kind === 'resolve') resolve.set(request.id, request.resolution);
    if (request.kind === 'approve') approved = request.counts;
  }
  return {
    resolve,
    ...(approved && { approved }),
    ...(begun && begun.request === approvalIn(stored) && { begun: new Set(begun.changes) }),
    ...(held?.letThrough && { letThrough: held.letThrough }),
  };
}

/** The id of the approval of a whole plan that counts: the last one. */
export function approvalIn(stored: ReadonlyMap<string, DecisionRequest>): string | undefined {
  return [...stored].findLast(([, { kind }]) => kind === 'approve')?.[0];
}

function approvedRecords(stored: readonly DecisionRequest[]): Pick<Memory, 'approvedRecords'> {
  const idByDigest = new Map<string, string>();
  for (const request of stored) {
    if (request.kind !== 'approve-records') continue;
    for (const [index, digest] of request.digests.entries()) idByDigest.set(digest, request.ids[index] ?? '');
  }
  return idByDigest.size === 0 ? {} : { approvedRecords: { digests: new Set(idByDigest.keys()), idByDigest } };
}

/** What people asked to have tried again, and the ids of the requests for each. */
export function retriesIn(
  stored: ReadonlyMap<string, DecisionRequest>,
): Pick<Requests, 'retry'> & Pick<Memory, 'retryRequestIds'> {
  const byId = new Map<string, readonly string[]>();
  for (const [requestId, request] of stored) {
    if (request.kind === 'retry') byId.set(request.id, [...(byId.get(request.id) ?? []), requestId]);
  }
  return { retry: new Set(byId.keys()), retryRequestIds: byId };
}
