// Builds the input of the outbox planner from the tab, the ledger and the settings.
import { nearestWord } from '../../lib/nearest.ts';
import type { Facts } from '../stored/facts.ts';
import type { Identities } from '../../sync/input.ts';
import type { Problem } from '../../sync/change.ts';
import type { OutboxInput } from '../../sync/outbox/input.ts';
import type { Message } from '../../sync/outbox/message.ts';
import { lostOwnColumn, putBack } from '../columns.ts';
import { RunFailed } from '../errors.ts';
import type { OutboxContext, OutboxRun, OutboxTab } from './context.ts';
import { digest } from './digest.ts';
import type { OutboxMemory } from './ledger.ts';

export function identitiesOf({ account, config, shape }: OutboxContext, { snapshot }: OutboxTab): Identities {
  return { crm: `${account} ${config.resource}`, sheet: `${shape.table.spreadsheet} ${snapshot.tabId}` };
}

/** G1: the ledger belongs to one account and one tab. Throws RunFailed for another. */
export function assertSame(context: OutboxRun, { identities: known }: Facts, tab: OutboxTab): void {
  const now = identitiesOf(context, tab);
  if (!known || (known.crm === now.crm && known.sheet === now.sheet)) return;
  const what = known.crm === now.crm ? 'tab' : 'account or resource';
  throw new RunFailed(
    `this is another ${what} than before, and what was sent is known of that one: put the setting back, or give the ` +
      'outbox a new name; then what its rows say is held until you approve it',
  );
}

export function inputOf({ config, shape, crm, request }: OutboxRun, memory: OutboxMemory, tab: OutboxTab): OutboxInput {
  const { isTrusted, retried, approved, messages } = memory;
  return {
    kind: config.resource,
    fields: shape.fields,
    headers: config.headers,
    rows: tab.snapshot.rows.map(shape.fromRow),
    missing: tab.missing,
    messages,
    isTrusted: isTrusted && !tab.isIdColumnLost,
    retried,
    edited: new Set(),
    approved,
    answers: { recipients: new Map() },
    perHour: config.sendsPerHour,
    batchMax: 0,
    tried: new Map(),
    now: crm.now(),
    ...(!request.isAsked && { settleMs: config.settleMs }),
    isDryRun: false,
    digest,
    nearest: nearestWord,
  };
}

/** The watched messages that still have a row: no person sees the status of the others. */
export function inTab({ snapshot }: OutboxTab, messages: ReadonlyMap<string, Message>): ReadonlyMap<string, Message> {
  return new Map(
    snapshot.rows.flatMap(({ id }) => {
      const message = messages.get(id);
      return message ? [[id, message] as const] : [];
    }),
  );
}

/** L12, W11. */
export function lostHeaders({ missing }: OutboxTab): readonly Problem[] {
  return missing.map((header) => lostOwnColumn(header, 'nothing is sent', putBack(header)));
}
