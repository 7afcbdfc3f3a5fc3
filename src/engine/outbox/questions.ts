// Plans an outbox, and asks the service until the plan has no open questions.
import type { OutboxAnswers, OutboxInput, RecipientAnswer, Sender } from '../../sync/outbox/input.ts';
import { type OutboxPlan, planOutbox } from '../../sync/outbox/outbox.ts';
import { askRecipients, askSenders } from './ask.ts';
import type { OutboxRun } from './context.ts';

export interface Asking {
  /** Plans, asks what the plan wants to know, and plans again. Throws ServiceErrors. */
  until(input: OutboxInput): Promise<OutboxPlan>;
}

/** P4: recipients are asked for afresh in each batch, sender profiles once a run. */
export function createAsking(context: OutboxRun): Asking {
  let senders: readonly Sender[] | undefined;
  return {
    async until(input) {
      const recipients = new Map<string, RecipientAnswer>();
      for (;;) {
        const answers: OutboxAnswers = { recipients, ...(senders && { senders }) };
        const plan = planOutbox({ ...input, answers });
        if (plan.questions.recipients.length === 0 && !plan.questions.senders) return plan;
        if (plan.questions.senders) senders = await askSenders(context);
        for (const [asked, answer] of await askRecipients(context, plan.questions.recipients))
          recipients.set(asked, answer);
      }
    },
  };
}
