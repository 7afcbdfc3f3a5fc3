// What a run of an outbox leaves behind, and the names of its two sides.
import type { Stray } from '../../sync/base.ts';
import type { OutboxPlan } from '../../sync/outbox.ts';
import { type Facts, factChanges } from '../memory.ts';
import { type Ending, lastRunOf } from '../run.ts';
import { replacing } from '../save.ts';
import type { OutboxContext, OutboxRun, OutboxTab } from './context.ts';
import type { OutboxBook, OutboxMemory } from './ledger.ts';

export function tabNamed({ config: { sheet } }: Pick<OutboxContext, 'config'>): string {
  return `${sheet.spreadsheetId} ${sheet.tab}`;
}

export function identitiesOf({ account, config, shape }: OutboxContext, { snapshot }: OutboxTab) {
  return { crm: `${account} ${config.resource}`, sheet: `${shape.table.spreadsheet} ${snapshot.memory.sheetId}` };
}

/** P6: what `approve` lets through. */
export function approvalOf(
  { run }: OutboxRun,
  { facts }: OutboxMemory,
  { unapproved }: OutboxPlan,
): { readonly approvable?: string } {
  if (unapproved === 0) return {};
  const { held } = facts;
  return { approvable: held?.planned.messages === unapproved ? held.run : run };
}

export interface OutboxDone {
  readonly plan: OutboxPlan;
  readonly ending: Ending;
  /** What the spreadsheet refused (W5). */
  readonly strays: ReadonlyMap<string, Stray>;
  readonly hasWritten: boolean;
}

/** W9: what only passes goes along when something else is written. */
export async function save(
  context: OutboxRun,
  book: OutboxBook,
  memory: OutboxMemory,
  tab: OutboxTab,
  done: OutboxDone,
): Promise<void> {
  const { facts, requests } = memory;
  const { plan, ending, hasWritten } = done;
  const { unapproved, isTrusted } = plan;
  const strays = replacing(memory.strays, done.strays);
  const held =
    unapproved === 0
      ? facts.held && { held: null }
      : {
          held: {
            run: ending.approvable ?? context.run,
            planned: ending.planned,
            reasons: [
              `${unapproved === 1 ? '1 row that says yes was' : `${unapproved} rows that say yes were`} there before the state (P6)`,
            ],
          },
        };
  const lasting = {
    identities: identitiesOf(context, tab),
    tab: tabNamed(context),
    isLedgerTrusted: isTrusted,
    ...held,
  };
  const changed = factChanges(facts, lasting);
  const lastRun = lastRunOf(context, ending);
  // Whoever asks for the status has to know what is open; what only waits is different in every run.
  const openIn = (run: Facts['lastRun']) =>
    JSON.stringify(run?.problems.filter(({ kind }) => kind !== 'waiting') ?? []);
  const isNews = facts.lastRun?.status !== ending.status || openIn(facts.lastRun) !== openIn(lastRun);
  const isWritten =
    hasWritten ||
    strays.isChanged ||
    changed.size > 0 ||
    isNews ||
    requests.approve.length > 0 ||
    requests.retry.length > 0;
  const passing = isWritten ? factChanges(facts, { table: tab.snapshot.memory, lastRun }) : new Map<string, never>();
  const refused = strays.isChanged ? strays.changes : undefined;
  await book.end(new Map([...changed, ...passing]), refused, requests.approve);
}
