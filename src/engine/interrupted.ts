// What an earlier run was about to do when it ended: it may have been done, and nobody saw it (L1, L3, L10, L12).
import type { HistoryLine, JsonObject, Lease, LoadedState } from '../state/port.ts';
import { type Link, unsureOf } from '../sync/base.ts';
import type { Value } from '../sync/value.ts';

export interface Interrupted {
  /** By their key in the outbox: changes that were under way, as lines for the history. */
  readonly notes: ReadonlyMap<string, readonly HistoryLine[]>;
  /** By uuid: whom an update was sent to, as they are known from now on. What was sent is unknown until it is read (W4). */
  readonly links: ReadonlyMap<string, Link>;
}

interface Sent {
  readonly names: Set<string>;
  /** By field name: what a key was and was to be, in a half of a swap (I7). */
  readonly passedOn: Map<string, readonly [Value, Value]>;
}

/** `fields`: in the order of the stored values. */
export function findInterrupted({ outbox, links }: LoadedState, fields: readonly string[]): Interrupted {
  const notes = new Map(
    [...outbox].flatMap(([key, { lines }]) => (lines ? [[key, lines as readonly HistoryLine[]]] : [])),
  );
  const sent = new Map<string, Sent>();
  for (const line of [...notes.values()].flat()) {
    const { side, op, contact, field, before, after, rule } = line;
    if (side !== 'crm' || op !== 'update' || contact === null || typeof field !== 'string') continue;
    const { names, passedOn } = sent.get(contact) ?? { names: new Set(), passedOn: new Map() };
    names.add(field);
    // One half of a swap: a key that was let go of, or put back.
    if (rule === 'I7') passedOn.set(field, [before as Value, after as Value]);
    sent.set(contact, { names, passedOn });
  }
  const unsure = [...sent].flatMap(([uuid, { names, passedOn }]): [string, Link][] => {
    const link = links.get(uuid) as Link | undefined;
    return link ? [[uuid, unsureOf(link, fields, names, passedOn)]] : [];
  });
  return { notes, links: new Map(unsure) };
}

/** The history is told, and then, in one batch with what is unknown by it, the notes are dropped: a repeat is harmless. */
export async function tellInterrupted(lease: Lease, { notes, links }: Interrupted): Promise<void> {
  if (notes.size === 0) return;
  await lease.appendHistory([...notes.values()].flat());
  const put = links as unknown as ReadonlyMap<string, JsonObject>;
  await lease.commit({ outbox: { delete: [...notes.keys()] }, ...(put.size > 0 && { links: { put } }) });
}
