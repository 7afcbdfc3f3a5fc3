// Settles the steps that were in progress when an earlier run ended: their outcome is unknown (L1, L3, L10, L12).
import type { HistoryLine, Lease } from '../../state/port.ts';
import { type Link, type Stray, withUnknownOutcome } from '../../sync/record/base.ts';
import { withCounted } from '../../sync/record/link.ts';
import { isMerged, type SentField, withAppended, withSent } from '../../sync/record/sent.ts';
import { type Packed, repack } from '../../sync/record/record.ts';
import type { Reading, Value } from '../../sync/value/value.ts';
import { asStored } from '../stored/json.ts';
import type { StepNote } from '../stored/records.ts';
import type { StoredSync } from '../stored/stored.ts';

export interface Interrupted {
  /** Steps that were in progress, by their key in the outbox. Of one that the history has by now, only what rows were given is left. */
  readonly notes: ReadonlyMap<string, StepNote>;
  /**
   * By uuid: the links of contacts that an update, new cells or a new row were sent to. The sent value is unknown until it is read
   * (W4). Neither counts towards a limit again (G2).
   */
  readonly links: ReadonlyMap<string, Link>;
  /** By `rowKey`: rows that were being created (G2, W4). */
  readonly strays: ReadonlyMap<string, Stray>;
}

/** `fields`: in the order of the stored values. */
export function findInterrupted(
  { steps, links, strays }: Pick<StoredSync, 'steps' | 'links' | 'strays'>,
  fields: readonly string[],
): Interrupted {
  const lines = [...steps.values()].flatMap((step) => step.lines);
  const sent = new Map<string, HistoryLine[]>();
  for (const line of lines) {
    const isWrite = (line['side'] === 'crm' && line['op'] === 'update') || line['op'] === 'set';
    const isOfField = isWrite && typeof line['field'] === 'string';
    if (!(isOfField || line['op'] === 'append') || line.contact === null) continue;
    sent.set(line.contact, [...(sent.get(line.contact) ?? []), line]);
  }
  const known = [...sent].flatMap(([uuid, ofContact]): [string, Link][] => {
    const link = links.get(uuid);
    return link ? [[uuid, interruptedLink(link, fields, ofContact)]] : [];
  });
  // W10: a row of which a create was begun has settled.
  const creating = [...steps.values()].flatMap(({ creates = [] }) =>
    creates.map((key): [string, Stray] => [
      key,
      { ...(strays.get(key) ?? { since: 0 }), isCounted: true, isUnknown: true },
    ]),
  );
  return { notes: steps, links: new Map(known), strays: new Map(creating) };
}

/**
 * By uuid: what rows of contacts without a link were given, in the order of `fields`. Whether they stand in the sheet, the rows
 * that have these IDs tell.
 */
export function findAppended(
  { steps }: Pick<StoredSync, 'steps'>,
  fields: readonly string[],
): ReadonlyMap<string, Packed> {
  return new Map(
    [...steps.values()].flatMap(({ appends }) =>
      (appends?.rows ?? []).map(([uuid, given]) => [uuid, repack(given, appends!.fields, fields)] as const),
    ),
  );
}

function interruptedLink(link: Link, fields: readonly string[], all: readonly HistoryLine[]): Link {
  const isAppend = ({ op }: HistoryLine) => op === 'append';
  const lines = all.filter((line) => !isAppend(line));
  const written = writtenLink(link, fields, lines);
  if (lines.length === all.length) return written;
  const given = all.filter(isAppend).flatMap(({ field, after }) => {
    return typeof field === 'string' ? [{ field, after: after as Value }] : [];
  });
  return withAppended(written, fields, given);
}

/** After cells that were set, and updates. */
function writtenLink(link: Link, fields: readonly string[], lines: readonly HistoryLine[]): Link {
  const updated = new Set<string>();
  /** By field name: the old and the new value of a key that was released or restored (I7). */
  const passedOn = new Map<string, readonly [Value, Value]>();
  const writes = lines.flatMap(({ side, field, before, after, rule }) => {
    if (typeof field !== 'string') return [];
    if (side === 'crm') updated.add(field);
    if (side === 'crm' && rule === 'I7') passedOn.set(field, [before as Value, after as Value]);
    return [{ field, after: after as Value }];
  });
  const known = updated.size > 0 ? withUnknownOutcome(link, fields, updated, passedOn) : link;
  return withCounted(withSent(known, lines.flatMap(sentIn)), writes);
}

/** W4: the field of a note that was sent because the other side held that value. */
function sentIn({ side, field, before, after, rule }: HistoryLine): readonly SentField[] {
  if (typeof field !== 'string' || (side !== 'crm' && side !== 'sheet') || !isMerged(rule, side)) return [];
  return [{ side, field, before: before as Reading, after: after as Value }];
}

/**
 * Writes the history lines first. Then one commit marks the values unknown and drops the notes. A repeat is harmless. What rows were
 * given stays noted until a run has looked at them.
 */
export async function tellInterrupted(lease: Lease, { notes, links, strays }: Interrupted): Promise<void> {
  const untold = [...notes].filter(([, { lines }]) => lines.length > 0);
  if (untold.length === 0) return;
  await lease.appendHistory(untold.flatMap(([, { lines }]) => lines));
  const kept = untold.flatMap(([key, { appends }]) => (appends ? [[key, { lines: [], appends }] as const] : []));
  const over = untold.flatMap(([key, { appends }]) => (appends ? [] : [key]));
  await lease.commit({
    outbox: { delete: over, ...(kept.length > 0 && { put: new Map(kept) }) },
    ...(links.size > 0 && { links: { put: asStored(links) } }),
    ...(strays.size > 0 && { strays: { put: asStored(strays) } }),
  });
}
