// Plans what a run of an outbox would send, each message in full; writes nothing anywhere.
import { planWithoutLease } from '../frame.ts';
import { type Planned, type RunRequest, toJobRun } from '../job.ts';
import { heldMessages, previewApproval } from './approval.ts';
import { askDeliveries } from './ask.ts';
import { createAsking } from './questions.ts';
import type { OutboxContext } from './context.ts';
import { unlisted } from './deliveries.ts';
import { endingOf } from './ending.ts';
import { assertSame, identitiesOf, inputOf, inTab, lostHeaders } from './input.ts';
import { asUnknown, recallOutbox } from './ledger.ts';
import { readOutbox } from '../stored/stored.ts';
import { pausesOf, pauseTold } from './rows.ts';
import { toSavedMessages } from './saved.ts';
import { readTab } from './tab.ts';

export function planOutboxRun(outbox: OutboxContext, request: RunRequest): Promise<Planned> {
  return planWithoutLease(outbox, request, readOutbox, async (run, stored) => {
    const memory = recallOutbox(stored);
    const context = { ...outbox, ...toJobRun(outbox, request, run, memory.facts) };
    const tab = await readTab(context, memory.facts, false);
    assertSame(context, memory.facts, tab);
    const known = new Map([...memory.messages, ...asUnknown(memory.messages)]);
    const { heard, notice } = await askDeliveries(context, inTab(tab, known), known);
    const asking = createAsking(context);
    const messages = new Map([...known, ...heard]);
    const judged = { ...inputOf(context, memory, tab), messages, batchMax: Infinity, isDryRun: true };
    const { plan } = await asking.until(judged);
    const { sets, problems: ofRows } = pauseTold(pausesOf(context, memory), plan);
    const changes = [...plan.due.map(({ change }) => change), ...sets];
    const preview =
      plan.unapproved === 0 ? undefined : await previewApproval(asking, judged, { ...plan, problems: ofRows });
    const problems = [...lostHeaders(tab), ...unlisted(notice), ...(preview?.problems ?? ofRows)];
    const held = heldMessages(memory.facts.held, context, plan);
    return {
      ending: endingOf(plan, problems, new Map(), held),
      changes,
      ...(preview && { onceApproved: preview.onceApproved }),
      saved: toSavedMessages(outbox.config.name, run, identitiesOf(context, tab), changes),
    };
  });
}
