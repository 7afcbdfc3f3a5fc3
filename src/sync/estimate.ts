// What a plan costs, before anybody pays: calls to each side, and the time the slower budget needs for them.
import type { Change, Question } from './change.ts';
import { isPlaceholderEmail } from './record/keys.ts';

export interface Budgets {
  readonly crmPerMinute: number;
  readonly sheetReadsPerMinute: number;
  readonly sheetWritesPerMinute: number;
}

export interface Estimate {
  readonly crmCalls: number;
  readonly sheetReads: number;
  readonly sheetWrites: number;
  /** With nothing else in the budgets. */
  readonly seconds: number;
}

/** W3, E4: one search before each batch of updates or enrolments. */
const updatesPerSearch = 100;
/** `src/sheets`: rows in one pinned batch, and what a batch costs. */
const rowsPerBatch = 1000;

export function estimate(
  changes: readonly Change[],
  questions: readonly Question[],
  budgets: Budgets,
  isCustom: (field: string) => boolean,
): Estimate {
  const count = (op: Change['op']) => changes.filter((change) => change.op === op).length;
  const updates = changes.filter((change) => change.op === 'update');
  const updateCalls = updates.map(
    ({ fields }) =>
      Number(fields.some(({ field }) => isCustom(field))) + Number(fields.some(({ field }) => !isCustom(field))),
  );
  const crmCalls =
    questions.length +
    count('create') +
    // I8: a placeholder address is set once the contact is there.
    changes.filter((change) => change.op === 'create' && hasPlaceholder(change)).length +
    // E2: add-new-lead answers no contact, which is then looked up.
    changes.filter((change) => change.op === 'create' && change.enrol !== undefined).length +
    updateCalls.reduce((sum, calls) => sum + calls, 0) +
    Math.ceil(updates.length / updatesPerSearch) +
    count('enrol') +
    Math.ceil(count('enrol') / updatesPerSearch) +
    count('cancel') +
    count('send') +
    // P4: sender profiles, and contacts by the hundred, are asked for just before.
    Math.ceil(count('send') / updatesPerSearch) * 2 +
    // D5: each is looked at right before.
    count('delete') * 2;
  // Created contacts get their uuid written into their row.
  const setBatches = Math.ceil((count('set') + count('create') + count('send')) / rowsPerBatch);
  const appendBatches = Math.ceil(count('append') / rowsPerBatch);
  const removeBatches = Math.ceil(count('remove') / rowsPerBatch);
  const sheetReads = setBatches + removeBatches * 2;
  // The marks of appended rows go in one write at the end, or with the pins of rows that are removed.
  const markWrites = Number(appendBatches > 0 && removeBatches === 0);
  const sheetWrites = setBatches * 3 + appendBatches + markWrites + removeBatches * 2;
  const seconds = Math.ceil(
    60 *
      Math.max(
        crmCalls / budgets.crmPerMinute,
        sheetReads / budgets.sheetReadsPerMinute,
        sheetWrites / budgets.sheetWritesPerMinute,
      ),
  );
  return { crmCalls, sheetReads, sheetWrites, seconds };
}

function hasPlaceholder({ fields }: Change): boolean {
  return fields.some(({ field, after }) => field.endsWith('email') && isPlaceholderEmail(String(after)));
}
