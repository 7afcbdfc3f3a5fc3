// What an earlier run was about to do when it ended: it may have been done, and nobody saw it (L1, L3, L10, L12).
import type { HistoryLine, JsonObject, Lease, LoadedState } from '../../state/port.ts';
import { type Link, type Stray, withUnknownOutcome } from '../../sync/record/base.ts';
import { withCounted } from '../../sync/record/link.ts';
import type { Value } from '../../sync/value/value.ts';

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

/** A step that is under way, as the outbox has it. */
export interface StepNote extends JsonObject {
  readonly lines: readonly HistoryLine[];
  /** `rowKey` of the rows that it creates. Left out by older states, and where it creates none. */
  readonly creates?: readonly string[];
}

/** `fields`: in the order of the stored values. */
export function findInterrupted({ outbox, links, strays }: LoadedState, fields: readonly string[]): Interrupted {
  const steps = new Map([...outbox].flatMap(([key, note]) => (isStep(note) ? [[key, note] as const] : [])));
  const lines = [...steps.values()].flatMap((step) => step.lines);
  const sent = new Map<string, HistoryLine[]>();
  for (const line of lines) {
    const isWrite = (line['side'] === 'crm' && line['op'] === 'update') || line['op'] === 'set';
    if (!isWrite || line.contact === null || typeof line['field'] !== 'string') continue;
    sent.set(line.contact, [...(sent.get(line.contact) ?? []), line]);
  }
  const known = [...sent].flatMap(([uuid, ofContact]): [string, Link][] => {
    const link = links.get(uuid) as Link | undefined;
    return link ? [[uuid, interruptedLink(link, fields, ofContact)]] : [];
  });
  const creating = [...steps.values()].flatMap(({ lines: [first], creates = [] }) => {
    const since = Date.parse(first?.time ?? '');
    return creates.map((key): [string, Stray] => {
      const stray = strays.get(key) as Stray | undefined;
      return [key, { ...(stray ?? { since }), isCounted: true }];
    });
  });
  const notes = new Map([...steps].map(([key, step]) => [key, step.lines]));
  return { notes, links: new Map(known), strays: new Map(creating) };
}

/** The outbox has newcomers, too (E3). */
function isStep(note: JsonObject): note is StepNote {
  return 'lines' in note;
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
    ...(links.size > 0 && { links: { put: stored(links) } }),
    ...(strays.size > 0 && { strays: { put: stored(strays) } }),
  });
}

function stored(records: ReadonlyMap<string, Link | Stray>) {
  return records as unknown as ReadonlyMap<string, JsonObject>;
}
