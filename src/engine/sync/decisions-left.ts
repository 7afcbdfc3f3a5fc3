// Which decisions are done with at the end of a run, which wait for the next one, and of which nothing came.
import { type Base, type Link, rowKey } from '../../sync/record/base.ts';
import { type Change, type Problem, problemId } from '../../sync/change.ts';
import { enrolmentIdToKey, readLedgerKey } from '../../sync/record/ledger.ts';
import type { Mapping } from '../../sync/record/mapping.ts';
import type { Settled } from '../../sync/settle/settle.ts';
import { type DecisionRequest, isApproval } from '../decision.ts';
import type { Decided } from './decide.ts';
import type { Memory } from './memory.ts';
import { sidesAsDecided } from './outdated.ts';

/**
 * A decision that could not be carried out, because a side did not take it, its cell is held, the run was stopped before, or
 * its record was not to be changed by this run, stays for the next run; so does an approval of which a part is left. One that was,
 * and was answered with another value, is for a conflict that is no more: the new one is asked about anew (M5).
 */
export function carriedOut(
  { pending, base }: Memory,
  { problems, links, replaced }: Settled,
  { fields }: Pick<Mapping, 'fields'>,
  { left, unchosen }: { readonly left: readonly Change[]; readonly unchosen: readonly Change[] },
): readonly string[] {
  const unsettled: ReadonlySet<Problem['kind']> = new Set(['failed', 'unknown', 'refused', 'waiting', 'conflict']);
  const idsOf = (isMeant: (kind: Problem['kind']) => boolean) =>
    new Set(problems.flatMap(({ kind, id }) => (isMeant(kind) ? [id] : [])));
  const open = idsOf((kind) => unsettled.has(kind));
  const held = idsOf((kind) => kind === 'held');
  const parked = idsOf((kind) => kind === 'parked');
  const unbegun = new Set(
    [...left, ...unchosen].flatMap(({ uuid, row }) => [problemId(uuid, row, null), problemId(null, row, null)]),
  );
  const isOpen = (request: DecisionRequest) => {
    if (isApproval(request)) return left.length > 0;
    if (!('id' in request)) return false;
    const record = request.id.split('/')[0]!;
    if (unbegun.has(record)) return true;
    if (request.kind !== 'resolve' || replaced.has(request.id)) return false;
    if (open.has(request.id) || held.has(request.id)) return true;
    // M6: what was sent three times and is not stored is left alone; a decision that stays would send it again in each run.
    if (parked.has(request.id)) return false;
    // The row is held (I4), or a part of it was refused: whether this field waits for that, the two sides tell. A decision that stays
    // decides the next conflict of its field, too.
    const isOfRecord = open.has(record) || held.has(record);
    return isOfRecord && sidesAsDecided({ base, links, fields }, request).length < 2;
  };
  return [...pending].flatMap(([id, request]) => (isOpen(request) ? [] : [id]));
}

/**
 * E1: retries of enrolments whose cells this run did not read for wishes: the automations were not read, the column is missing,
 * or the row cannot be told from a copy. They wait for a run that reads them. Of a contact that has lost its row, or is gone, no
 * run will: the retry is `over`.
 */
export function unreadRetries(
  { pending, ledger, base }: Memory,
  { links }: Settled,
  { input, plan }: Decided,
): { readonly waiting: ReadonlySet<string>; readonly over: readonly string[] } {
  const waiting = new Set<string>();
  const over: string[] = [];
  for (const [id, request] of pending) {
    if (request.kind !== 'retry' || !ledger.entries.has(enrolmentIdToKey(request.id))) continue;
    const { uuid } = readLedgerKey(enrolmentIdToKey(request.id));
    if (plan.readForRetries.has(uuid)) continue;
    const link = links.has(uuid) ? links.get(uuid) : base.links.get(uuid);
    const mayBeRead = input.mapping.enrolment !== undefined && link && link.standing === undefined;
    if (mayBeRead) waiting.add(id);
    else over.push(id);
  }
  return { waiting, over };
}

/**
 * E6: ids of approvals of wishes alone that named fewer than wait by now. They let nothing through, and the next run asks anew. One of
 * a plan that is held for its changes (G2) let these through.
 */
export function insufficient({ pending }: Memory, { isLedgerTrusted }: Decided['plan']): readonly string[] {
  if (isLedgerTrusted) return [];
  return [...pending].flatMap(([id, request]) => {
    if (request.kind !== 'approve' || request.undoes !== undefined) return [];
    const { enrolments, ...others } = request.counts;
    return enrolments > 0 && Object.values(others).every((count) => count === 0) ? [id] : [];
  });
}

/**
 * W5: ids of retries of which nothing came yet: the try failed, or the record was held or waited, and what was refused is as it was.
 * The next run would leave the record alone as before. Where anything of it was tried, the retry is over: one that stays would lift
 * a later refusal, too.
 */
export function untriedRetries(
  { pending, base, ledger }: Memory,
  { problems, links, strays }: Settled,
  { input }: Decided,
  cancelled: ReadonlySet<string>,
): ReadonlySet<string> {
  const passing: ReadonlySet<Problem['kind']> = new Set(['failed', 'unknown', 'waiting', 'held']);
  const open = new Set(
    problems.flatMap(({ kind, uuid, row }) => (passing.has(kind) ? [problemId(uuid, row, null)] : [])),
  );
  const after = { links: new Map([...base.links, ...links]), strays };
  return new Set(
    [...pending].flatMap(([id, request]) => {
      if (request.kind !== 'retry' || !open.has(request.id)) return [];
      // Without what it held, its number may mean another row by then.
      const row = input.sheet.rows.find(({ number }) => `row:${number}` === request.id);
      if (row && request.contents === undefined) return [];
      const key = row ? rowKey(row) : request.id;
      // E5: the refusal of a withdrawn wish stands in the ledger. A call that was answered has changed it.
      const isCancelLeft =
        !cancelled.has(key) &&
        [...ledger.entries].some(([of, entry]) => entry.refusedCancel && readLedgerKey(of).uuid === key);
      const before = refusalsIn(base, key) ?? (isCancelLeft ? '' : undefined);
      return before !== undefined && before === (refusalsIn(after, key) ?? '') ? [id] : [];
    }),
  );
}

/** What the sides refused of a contact, by its uuid, or of a new row, by its key; undefined: nothing. */
function refusalsIn(
  { links, strays }: { readonly links: ReadonlyMap<string, Link | null>; readonly strays: Base['strays'] },
  key: string,
): string | undefined {
  const link = links.get(key);
  // A row that was to be appended or deleted is noted by the change and the contact.
  const ofRow = [...strays].filter(([noted]) => noted === key || noted.split(' ').includes(key));
  const refusals = [link?.refusal, link?.refusals, ...ofRow.map(([, { refusal }]) => refusal)].filter(Boolean);
  return refusals.length === 0 ? undefined : JSON.stringify(refusals);
}
