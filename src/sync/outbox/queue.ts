// The queue of an outbox: approval, settle delay and cap decide which rows are sent now (P4, P6, P8, W10). Oldest first
// (L11).
import { type Draft, addProblem, addSilentProblem } from './draft.ts';
import { type Due, judgeByService } from './judge.ts';
import { countCalls } from './known.ts';

/** The last step of the plan. Fields of the same names as in `OutboxPlan` mean the same. */
export interface QueuePlan {
  readonly due: readonly Due[];
  readonly questions: { readonly recipients: readonly string[]; readonly senders: boolean };
  readonly unapproved: number;
  readonly isTrusted: boolean;
}

export function planQueue(draft: Draft): QueuePlan {
  const { input, queue } = draft;
  const { perHour, batchMax, settleMs, now } = input;
  const { unapproved, isTrusted } = judgeTrust(draft);
  const due: Due[] = [];
  const recipients = new Set<string>();
  /** The IDs of the rows that are sent now, by `Due.key`. */
  const taken = new Map<string, string>();
  let free = perHour - countCalls(input);
  let ahead = 0;
  let asked = 0;
  for (const each of queue.toSorted((a, b) => a.message.at - b.message.at || a.row.number - b.row.number)) {
    const { id, row, message, recipient } = each;
    const failure = input.tried.get(id ?? '');
    if (unapproved > 0) addProblem(draft, row, 'held', 'P6', 'the state is new: approve once what it would send');
    else if (draft.moved.has(row.number))
      addProblem(draft, row, 'held', 'P8', 'its yes may be that of another row: put the column back, or approve');
    else if (failure !== undefined)
      addProblem(draft, row, 'failed', 'P3', `not sent, is tried in the next run: ${failure}`);
    else if (settleMs !== undefined && now - message.at < settleMs)
      addSilentProblem(draft, row, 'W10', 'waits to settle');
    else if (free <= 0) {
      addProblem(draft, row, 'waiting', 'P4', `${ahead} ahead, cap ${perHour}/h`);
      ahead += 1;
    } else if (due.length + asked >= batchMax || input.only?.has(id ?? '') === false)
      addSilentProblem(draft, row, 'P1', 'is tried in the next run');
    else {
      const verdict = judgeByService(draft, each, taken);
      if (verdict.kind === 'refused') continue;
      free -= 1;
      if (verdict.kind === 'due') {
        due.push(verdict.due);
        taken.set(verdict.due.key, verdict.due.id);
      } else {
        asked += 1;
        if (!input.answers.recipients.has(recipient)) recipients.add(recipient);
      }
    }
  }
  const questions = { recipients: [...recipients], senders: asked > 0 && !input.answers.senders };
  return { due, questions, unapproved: Math.max(unapproved, draft.moved.size), isTrusted };
}

/**
 * P6: if the ledger may be incomplete, nothing is sent until a person approved as many messages as say yes. While a column is
 * missing, that number is not known (W11): nothing can be approved, and an incomplete ledger stays one.
 */
function judgeTrust({ input, queue, pending, isBehind }: Draft): Pick<QueuePlan, 'unapproved' | 'isTrusted'> {
  if (input.isTrusted && !isBehind) return { unapproved: 0, isTrusted: true };
  if (input.missing.length > 0) return { unapproved: 0, isTrusted: false };
  const wished = queue.length + pending;
  const isApproved = wished <= input.approved;
  return { unapproved: isApproved ? 0 : wished, isTrusted: isApproved };
}
