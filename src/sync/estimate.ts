// The cost of a plan: calls to each side, and the time that the slower budget needs for them.
import type { Change, Question } from './change.ts';
import { isNoKey } from './record/keys.ts';

export interface Budgets {
  readonly crmPerMinute: number;
  readonly sheetReadsPerMinute: number;
  readonly sheetWritesPerMinute: number;
}

export interface Estimate {
  readonly crmCalls: number;
  readonly sheetReads: number;
  readonly sheetWrites: number;
  /** If nothing else uses the budgets. */
  readonly seconds: number;
}

/** W3, E4: one search before each batch of updates or enrolments. */
const updatesPerSearch = 100;
/** `src/sheets`: rows in one pinned batch. The costs of a batch are below. */
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
      // W1: the contact is looked up by its identifier first.
      2 * Number(fields.some(({ field }) => isCustom(field))) + Number(fields.some(({ field }) => !isCustom(field))),
  );
  const crmCalls =
    questions.length +
    count('create') +
    // I2: a contact is looked up by its identifier before it is moved.
    changes.filter((change) => change.op === 'create' && change.moves !== undefined).length +
    // I8: an address or profile that identifies nobody is set by a second call, once the contact exists.
    changes.filter((change) => change.op === 'create' && hasNoKey(change)).length +
    // E2: add-new-lead does not answer the contact, which is then looked up.
    changes.filter((change) => change.op === 'create' && change.enrol !== undefined).length +
    updateCalls.reduce((sum, calls) => sum + calls, 0) +
    Math.ceil(updates.length / updatesPerSearch) +
    count('enrol') +
    Math.ceil(count('enrol') / updatesPerSearch) +
    count('cancel') +
    count('send') +
    // P4: sender profiles are listed, and contacts searched by the hundred, just before sending.
    Math.ceil(count('send') / updatesPerSearch) * 2 +
    // D5: each contact is read right before its deletion.
    count('delete') * 2;
  // Created contacts get their uuid written into their row.
  const setBatches = Math.ceil((count('set') + count('create') + count('send')) / rowsPerBatch);
  const appendBatches = Math.ceil(count('append') / rowsPerBatch);
  const removeBatches = Math.ceil(count('remove') / rowsPerBatch);
  const sheetReads = setBatches + removeBatches * 2;
  // The marks of appended rows are written once at the end, or together with the pins of rows that are removed.
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

function hasNoKey({ fields }: Change): boolean {
  return fields.some(({ field, after }) =>
    isNoKey({ kind: field.endsWith('email') ? 'email' : field.startsWith('network') ? 'handle' : 'text' }, after),
  );
}
