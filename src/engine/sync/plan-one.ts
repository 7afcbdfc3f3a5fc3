// The plan of one contact of a sync, made by the algorithm itself: from what was last seen, or from fresh readings.
import type { SyncConfig } from '../../config/config.ts';
import type { Automation, PlanInput } from '../../sync/input.ts';
import { groupEntries } from '../../sync/record/ledger.ts';
import { lastSeen, type Link } from '../../sync/record/base.ts';
import type { ContactRecord, RowRecord } from '../../sync/record/record.ts';
import { type Plan, plan } from '../../sync/plan.ts';
import type { StoredSync } from '../stored/stored.ts';
import { recall } from './memory.ts';
import { createShape } from './shape.ts';

export interface OneRecord {
  readonly uuid: string;
  /** Null: its row number is not known. */
  readonly row: number | null;
  /** Names of the fields whose cell held a formula when the row was last seen; the link does not have that. */
  readonly formulas?: readonly string[];
  /** Fresh readings; left out: what was last seen. undefined within: that side does not have it. */
  readonly live?: { readonly contact: ContactRecord | undefined; readonly row: RowRecord | undefined };
}

/**
 * What a scheduled run would plan for this contact if nothing else had changed. It knows no other contact and no other row,
 * so limits of the whole run do not count, and other holders of a key are not seen.
 */
export function planOne(
  config: SyncConfig,
  stored: StoredSync,
  { uuid, row, formulas = [], live }: OneRecord,
  now: number,
): { readonly plan: Plan; readonly link: Link | undefined } {
  // The interval is for the rule "newest", which then takes its shortest margin.
  const { mapping } = createShape(config, 0);
  const memory = recall(stored, mapping);
  const link = memory.base.links.get(uuid);
  const wishes = wishesOf(stored, uuid);
  const identities = stored.facts.identities ?? { crm: '', sheet: '' };
  const rows = live ? [live.row] : [link && rowAsSeen({ uuid, row, formulas }, link)];
  const contacts = live?.contact ? [live.contact] : [];
  const input: PlanInput = {
    mapping: { ...mapping, limits: unlimited },
    base: { ...memory.base, links: new Map(link ? [[uuid, link]] : []) },
    identities: { known: identities, now: identities },
    // A live reading that lacks the contact is no whole scan: the service was asked for this one alone.
    crm: { contacts, coverage: 'changes', isDrifted: false, scope: `list ${config.contacts.list}` },
    sheet: {
      rows: rows.flatMap((each) =>
        each ? [{ ...each, wish: wishes.map((wish) => wish.uuid).join(', '), ...wishIn(each) }] : [],
      ),
      doubled: [],
      missing: [],
    },
    answers: { contacts: new Map(), lookups: new Map() },
    requests: memory.requests,
    ledger: memory.ledger,
    automations: wishes,
    now,
    waitsToSettle: true,
  };
  return { plan: plan(input), link };
}

const unlimited = {
  deletes: { count: Infinity },
  changes: { count: Infinity },
  blanks: { count: Infinity },
  creates: { count: Infinity },
} as const;

/** The row as a run saw it last; undefined: it had none then. */
function rowAsSeen({ uuid, row, formulas = [] }: OneRecord, link: Link): RowRecord | undefined {
  if (link.standing === 'row-gone') return undefined;
  return { number: row ?? 0, id: uuid, values: lastSeen(link, 'sheet'), formulas };
}

function wishIn({ wish }: RowRecord): Pick<RowRecord, 'wish'> {
  return wish === undefined ? {} : { wish };
}

/** The cell of the row is not stored: what the ledger has of the contact stands in for it. */
function wishesOf({ ledger }: StoredSync, uuid: string): readonly Automation[] {
  const entries = groupEntries({ entries: ledger, isTrusted: true }).get(uuid) ?? [];
  return entries.flatMap(({ automation, entry }) =>
    entry.state === 'cancelling' ? [] : [{ uuid: automation, name: entry.name ?? automation, status: 'on' }],
  );
}
