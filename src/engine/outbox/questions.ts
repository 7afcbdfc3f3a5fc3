// Plans an outbox, and asks the service until the plan has no open questions.
import type { OutboxAnswers, OutboxInput, RecipientAnswer, Sender } from '../../sync/outbox/input.ts';
import { type OutboxPlan, planOutbox } from '../../sync/outbox/outbox.ts';
import type { OutboxRow } from '../../sync/outbox/message.ts';
import { sheetCall } from '../read-calls.ts';
import { askRecipients, askSenders } from './ask.ts';
import type { OutboxRun } from './context.ts';
import { hasBlankCell, withCovered } from './covered.ts';

export interface Asked {
  readonly plan: OutboxPlan;
  /** The rows of the plan, with what merged cells cover. */
  readonly rows: readonly OutboxRow[];
}

export interface Asking {
  /** Plans, asks what the plan wants to know, and plans again. Throws ServiceErrors and SheetsErrors. */
  until(input: OutboxInput): Promise<Asked>;
}

/**
 * P4: recipients and sender profiles are asked for afresh in each batch. Profiles that were read once a run had messages go out from a
 * person whose label another one got meanwhile; the list costs one call for each hundred profiles.
 */
export function createAsking(context: OutboxRun): Asking {
  return {
    async until(input) {
      let senders: readonly Sender[] | undefined;
      let { rows } = input;
      let hasLooked = false;
      const recipients = new Map<string, RecipientAnswer>();
      for (;;) {
        const answers: OutboxAnswers = { recipients, ...(senders && { senders }) };
        const plan = planOutbox({ ...input, rows, answers });
        if (plan.questions.recipients.length === 0 && !plan.questions.senders) {
          if (hasLooked || !hasBlankCell(rows, plan)) return { plan, rows };
          hasLooked = true;
          const covered = await context.table.covered?.(sheetCall(context));
          if (covered) rows = withCovered(rows, input.fields, covered);
          continue;
        }
        if (plan.questions.senders) senders = await askSenders(context);
        for (const [asked, answer] of await askRecipients(context, plan.questions.recipients))
          recipients.set(asked, answer);
      }
    },
  };
}
