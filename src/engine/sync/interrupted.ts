// What an earlier run was about to do when it ended: it may have been done, and nobody saw it (L1, L3, L10, L12).
import type { HistoryLine, Lease } from '../../state/port.ts';
import { type Link, type Stray, withUnknownOutcome } from '../../sync/record/base.ts';
import { withCounted } from '../../sync/record/link.ts';
import type { Value } from '../../sync/value/value.ts';
import { asStored } from '../stored/json.ts';
import type { StoredSync } from '../stored/stored.ts';

export interface Interrupted {
  /** By their key in the outbox: changes that were under way, as lines for the history. */
  readonly notes: ReadonlyMap<string, readonly HistoryLine[]>;
  /**
   * By uuid: whom an update or new cells were sent to, as they are known from now on. What an update sent is unknown until it
   * is read (W4); neither counts towards a limit again (G2).
   */
  readonly links: ReadonlyMap<string, Link>;
  /** By `rowKey`: rows that were being created (G2). */
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
    if (!isWrite || line.contact === null || typeof line['field'] !== 'string') continue;
    sent.set(line.contact, [...(sent.get(line.contact) ?? []), line]);
  }
  const known = [...sent].flatMap(([uuid, ofContact]): [string, Link][] => {
    const link = links.get(uuid);
    return link ? [[uuid, interruptedLink(link, fields, ofContact)]] : [];
  });
  const creating = [...steps.values()].flatMap(({ lines: [first], creates = [] }) => {
    const since = Date.parse(first?.time ?? '');
    return creates.map((key): [string, Stray] => {
      const stray = strays.get(key);
      return [key, { ...(stray ?? { since }), isCounted: true }];
    });
  });
  const notes = new Map([...steps].map(([key, step]) => [key, step.lines]));
  return { notes, links: new Map(known), strays: new Map(creating) };
}

function interruptedLink(link: Link, fields: readonly string[], lines: readonly HistoryLine[]): Link {
  const updated = new Set<string>();
  /** By field name: what a key was and was to be, where it was let go of or put back (I7). */
  const passedOn = new Map<string, readonly [Value, Value]>();
  const writes = lines.flatMap(({ side, field, before, after, rule }) => {
    if (typeof field !== 'string') return [];
    if (side === 'crm') updated.add(field);
    if (side === 'crm' && rule === 'I7') passedOn.set(field, [before as Value, after as Value]);
    return [{ field, after: after as Value }];
  });
  return withCounted(updated.size > 0 ? withUnknownOutcome(link, fields, updated, passedOn) : link, writes);
}

/** The history is told, and then, in one batch with what is unknown by it, the notes are dropped: a repeat is harmless. */
export async function tellInterrupted(lease: Lease, { notes, links, strays }: Interrupted): Promise<void> {
  if (notes.size === 0) return;
  await lease.appendHistory([...notes.values()].flat());
  await lease.commit({
    outbox: { delete: [...notes.keys()] },
    ...(links.size > 0 && { links: { put: asStored(links) } }),
    ...(strays.size > 0 && { strays: { put: asStored(strays) } }),
  });
}
