// The list of sabotages: small mistakes as a tired programmer makes them. Each replaces one text that occurs exactly once.

import { goingOn } from './going-on.ts';
import { hands } from './hands.ts';
import { recognising } from './recognising.ts';
import type { Sabotage } from './sabotage.ts';
import { pausing } from './pausing.ts';
import { sending } from './sending.ts';
import { sharing } from './sharing.ts';
import { twoCalls } from './two-calls.ts';

export type { Sabotage };

const merging: readonly Sabotage[] = [
  {
    name: 'a conflict under manual is settled for the CRM',
    file: 'sync/merge/merge-field.ts',
    text: "conflict === 'manual' ? undefined : conflict",
    instead: "conflict === 'manual' ? 'crm' : conflict",
  },
  {
    name: 'under newest the older side wins',
    file: 'sync/merge/field-notes.ts',
    text: "return lead > 0 ? 'crm' : 'sheet';",
    instead: "return lead > 0 ? 'sheet' : 'crm';",
  },
  {
    name: 'a field that the answer says is blank counts as missing from it',
    file: 'sync/settle/record-state.ts',
    text: '(value === undefined ? state.crm[index] : value)',
    instead: '(value ?? state.crm[index])',
  },
  {
    name: 'what was sent is believed to be stored, whatever the answer says',
    file: 'sync/settle/record-state.ts',
    text: 'if (stored === undefined || isSame(kind, stored, after))',
    instead: 'if (true as boolean)',
  },
  {
    name: 'the base holds what was sent, also where the sheet does not',
    file: 'sync/settle/settle.ts',
    text: "outcome.kind === 'done' ? (outcome.stored ?? {}) : 'stored' in outcome && outcome.stored",
    instead: "('stored' in outcome && outcome.stored) || {}",
  },
  {
    name: 'an update of unknown outcome counts as done',
    file: 'sync/settle/confirm.ts',
    text: "outcome.kind === 'unknown' ? withoutSent(before.crm, second) : before.crm",
    instead:
      "outcome.kind === 'unknown' ? before.crm.map((value, index) => second.fields.find(({ field }) => field === input.mapping.fields[index]!.name)?.after ?? value) : before.crm",
  },
  {
    name: 'a decision is carried out whatever the sides hold by now',
    file: 'sync/merge/merge-record.ts',
    text: 'if (!seen) return true;',
    instead: 'if (!seen || (true as boolean)) return true;',
  },
  {
    name: 'blanks are synced although they are to be ignored',
    file: 'sync/merge/merge-field.ts',
    text: "if (isBlank(value) && field.blank === 'ignore') {",
    instead: 'if (false as boolean) {',
  },
];

const identity: readonly Sabotage[] = [
  {
    name: 'of two rows with one ID the upper one is always kept',
    file: 'sync/match/copies.ts',
    text: 'const asSeen = known.last === undefined ?',
    instead: 'const asSeen = known.last !== null ?',
  },
  {
    name: 'a copy that names another person may take the place of the row',
    file: 'sync/match/copies.ts',
    text: 'hasContactKeys: keys.areIn(values) && (keys.areKnown || isMostlyAsSeen),',
    instead: 'hasContactKeys: keys !== undefined,',
  },
  {
    name: 'what copies of a row held is not remembered',
    file: 'sync/record/link.ts',
    text: 'return copies.length === 0 ? rest : { ...rest, copies };',
    instead: 'return copies.length >= 0 ? rest : { ...rest, copies };',
  },
  {
    name: 'a second row of a contact takes the place of the first',
    file: 'sync/match/by-key.ts',
    text: 'if (takenRows !== undefined) {',
    instead: 'if (takenRows !== undefined && rows.length > 1) {',
  },
];

const deleting: readonly Sabotage[] = [
  {
    name: 'who is on no page is gone, and is not asked for',
    file: 'sync/merge/contact-gone.ts',
    text: "return { link, changes: [], problems: [], question: 'D3' };",
    instead: 'return planContactGone(context, person, link);',
  },
  {
    name: 'a contact that changed is deleted with its row',
    file: 'sync/merge/row-gone.ts',
    text: "      if (contactIs === 'changed') {\n        return restore('D2'",
    instead: "      if (false as boolean) {\n        return restore('D2'",
  },
  {
    name: 'a row that was edited goes with its contact',
    file: 'sync/record/edited-since.ts',
    text: "return isEdited ? 'edited here since' : undefined;",
    instead: 'return isEdited ? undefined : undefined;',
  },
  {
    name: 'a contact is not looked at before it is deleted',
    file: 'engine/sync/push-crm.ts',
    text: "return isMoved ? { kind: 'moved' } : remove(uuid!);",
    instead: 'return isMoved ? remove(uuid!) : remove(uuid!);',
  },
];

const guards: readonly Sabotage[] = [
  {
    name: 'the run after a hold goes by the earlier answers',
    file: 'engine/sync/run.ts',
    text: ' || isAnsweredAnew(input, whole);',
    instead: ';',
  },
  {
    name: 'an empty side passes',
    file: 'sync/guard/guard.ts',
    text: 'if (expected < linksForEmptySide) return undefined;',
    instead: 'if (expected >= 0) return undefined;',
  },
  {
    name: 'no limit holds a run',
    file: 'sync/guard/guard.ts',
    text: 'if (count + before <= limit.count || counts[what] <= (approved[what] ?? 0)) return [];',
    instead: 'if (counts[what] >= 0) return [];',
  },
  {
    name: 'rows are taken for gone while others have an ID in doubt',
    file: 'sync/merge/row-gone.ts',
    text: 'if (mayHaveRow(context)) {',
    instead: 'if (mayHaveRow(context) && (false as boolean)) {',
  },
];

const deciding: readonly Sabotage[] = [
  {
    name: 'an approval of some records lets all of the plan through',
    file: 'engine/sync/let-through.ts',
    text: 'const changes = plan.changes.filter((change) => carried.has(change));',
    instead: 'const changes = plan.changes.filter(() => carried.size > 0);',
  },
  {
    name: 'an approved record is let through whatever is to be done with it by now',
    file: 'engine/sync/let-through.ts',
    text: 'approved.digests.has(digestOf(each))));',
    instead: '[...approved.idByDigest.values()].includes(idOf(each[0]!))));',
  },
  {
    name: 'what was let through one by one does not count for the limits',
    file: 'sync/guard/guard.ts',
    text: 'count > 0 ? (letThrough?.counts[what] ?? 0) : 0;',
    instead: 'count > 0 ? (letThrough?.counts[what] ?? 0) * 0 : 0;',
  },
  {
    name: 'a refusal leaves the approval that was recorded before it',
    file: 'engine/at-once.ts',
    text: 'approved === run ? [approval] : []',
    instead: 'approved === `${run} ` ? [approval] : []',
  },
  {
    name: 'the next run has forgotten that its plan was refused',
    file: 'engine/held.ts',
    text: '...(held.refused && { isRefused: true })',
    instead: '...(held.refused && {})',
  },
];

const service: readonly Sabotage[] = [
  {
    name: 'a create is sent again when its answer is lost',
    file: 'crm/outreach/contacts/send-once.ts',
    text: 'return await send({ ...call, repeat: false });',
    instead: 'return await send({ ...call, repeat: true });',
  },
  {
    name: 'a contact is not looked at again before it is written',
    file: 'engine/sync/push-crm.ts',
    text: 'const isOther = hasMoved(',
    instead: 'const isOther = (false as boolean) && hasMoved(',
  },
  {
    name: 'a new row writes over the contact that is there',
    file: 'crm/outreach/contacts/contacts.ts',
    text: 'update_if_exists: isMove,',
    instead: 'update_if_exists: true,',
  },
  {
    name: 'changes are asked for from ten minutes after the last run on, not before',
    file: 'crm/outreach/scan/scan.ts',
    text: 'Date.parse(since) - overlapMs',
    instead: 'Date.parse(since) + overlapMs',
  },
];

const scanning: readonly Sabotage[] = [
  {
    name: 'a scan ends with its first page',
    file: 'crm/outreach/scan/windows.ts',
    text: 'if (page.isLast) end = {',
    instead: 'if (page.rows >= 0) return {',
  },
];

const sheet: readonly Sabotage[] = [
  {
    name: 'an empty answer to a write into the sheet counts as done',
    file: 'sheets/google/client.ts',
    text: "if (kind === 'writes' && !isAnswerOf(spreadsheetId, data)) {",
    instead: "if (kind === 'writes' && (false as boolean)) {",
  },
  {
    name: 'a row is not looked at again before it is written',
    file: 'sheets/google/verify.ts',
    text: 'if (changed.length > 0) {',
    instead: 'if (changed.length > 0 && (false as boolean)) {',
  },
  {
    name: 'rows are appended again when the answer is lost',
    file: 'sheets/google/append.ts',
    text: 'seen.grid.sheetMarks.some(({ metadataId }) => metadataId === mark) && unknown',
    instead: 'seen.grid.sheetMarks.some(({ metadataId }) => metadataId === -1) && unknown',
  },
  {
    name: 'a formula is written over',
    file: 'sync/merge/merge-record.ts',
    text: 'toCell && record.row.formulas?.includes(field.name)',
    instead: 'toCell && record.row.formulas?.includes(`${field.name} `)',
  },
  {
    name: 'a cell that cannot be read is merged all the same',
    file: 'sync/merge/merge-record.ts',
    text: 'if (shown !== undefined) {',
    instead: 'if (shown === `${record.uuid}`) {',
  },
];

const enrolling: readonly Sabotage[] = [
  {
    name: 'the intent to enrol is not written down',
    file: 'engine/enrolment/calls.ts',
    text: "await book.put(new Map([[key, { state: 'intended', at, run, name, calls: [...earlier, at] }]]));",
    instead: '',
  },
  {
    name: 'an enrolment of unknown outcome waits for its next turn',
    file: 'engine/enrolment/calls.ts',
    text: "return settle({ state: 'unknown', at: now, run, name, calls: [...earlier, now] }, { kind: 'unknown', message });",
    instead:
      "return settle({ state: 'waiting', at: now, run, name, calls: [...earlier, now] }, { kind: 'unknown', message });",
  },
  {
    name: 'nobody is vetoed',
    file: 'sync/enrolment/veto.ts',
    text: 'if (text !== undefined) return',
    instead: "if (text === '') return",
  },
  {
    name: 'a cancel is done with, and the ledger does not have it',
    file: 'engine/cancel.ts',
    text: 'if (entry) put.set(key, entry);',
    instead: 'if (entry && (false as boolean)) put.set(key, entry);',
  },
  {
    name: 'a wish that was cancelled waits again in the next run',
    file: 'sync/enrolment/row-wishes.ts',
    text: "if (entry && entry.state !== 'waiting' && !isRetried(draft, wish))",
    instead: "if (entry && entry.state !== 'waiting' && entry.state !== 'cancelled' && !isRetried(draft, wish))",
  },
  {
    name: 'one more an hour than the cap',
    file: 'sync/enrolment/queue.ts',
    text: 'let free = rules.perHour - countSince(ledger, input.now - hourMs);',
    instead: 'let free = rules.perHour + 1 - countSince(ledger, input.now - hourMs);',
  },
];

const state: readonly Sabotage[] = [
  {
    name: 'steps are not noted before they begin',
    file: 'engine/sync/commit.ts',
    text: 'if (changes.length === 0) return;\n      steps += 1;',
    instead: 'if (changes.length >= 0) return;\n      steps += 1;',
  },
  {
    name: 'the marks of a run that died stay in the tab',
    file: 'sheets/google/tab-layout.ts',
    text: 'if (!context.areMarksKnown) await noteLeftovers(context, options);',
    instead: 'context.areMarksKnown = true;',
  },
  {
    name: 'values are read by the new order of the columns, and were stored in the old one',
    file: 'engine/sync/commit.ts',
    text: "memory.facts.fields !== undefined && facted.has('fields')",
    instead: '(false as boolean)',
  },
  {
    name: 'another meaning of blanks opens no record',
    file: 'engine/sync/memory.ts',
    text: 'const isReopened = turned.length > 0 || fields.some(',
    instead: 'const isReopened = turned.length > 0 || [].some(',
  },
  {
    name: 'the lock of a process that was killed keeps everybody out',
    file: 'state/file/lock-file.ts',
    text: "if (found === 'gone') return 'ended';",
    instead: "if (found === 'gone') return 'living';",
  },
  {
    name: 'files are not synced to the disk',
    file: 'state/file/disk.ts',
    text: '    await file.sync();\n  } finally {',
    instead: '  } finally {',
  },
];

const undoing: readonly Sabotage[] = [
  {
    name: 'an undo puts back what was edited since',
    file: 'sync/undo/fields.ts',
    text: 'const changed = readings.find(([, now]) => !isSame(field.kind, now, write.after));',
    instead: 'const changed = readings.find(([, now]) => now === undefined);',
  },
  {
    name: 'an undo deletes a created contact that was edited since',
    file: 'sync/undo/records.ts',
    text: "const why = whyTouched(input.mapping, person, create.held, ['crm', 'sheet']);",
    instead: 'const why = whyTouched(input.mapping, person, create.held, []);',
  },
  {
    name: 'a row that an undo deleted is forgotten, and the next run appends it again',
    file: 'sync/settle/settle.ts',
    text: "if (rule !== 'S7' || !link) return null;",
    instead: "if (rule !== 'S8' || !link) return null;",
  },
  {
    name: 'an undo writes the status of a row that it is to delete',
    file: 'engine/sync/push-sheet.ts',
    text: 'if (leaving?.has(row.number)) continue;',
    instead: '',
  },
  {
    name: 'an undo puts back the cell and leaves the contact',
    file: 'sync/undo/fields.ts',
    text: 'if (fields.crm.length > 0) changes.push(',
    instead: 'if (fields.crm.length < 0) changes.push(',
  },
];

const looking: readonly Sabotage[] = [
  {
    name: 'what a lookup showed of a contact is forgotten before the write',
    file: 'engine/sync/looked-up.ts',
    text: 'if (shown === undefined) return [found];',
    instead: 'if (shown === undefined || lookedUp.size > 0) return [found];',
  },
];

const holding: readonly Sabotage[] = [
  {
    name: 'a holder that was taken over saves',
    file: '../test/support/memory-store.ts',
    text: 'if (job.epoch !== epoch) throw new LeaseLostError(name);',
    instead: 'if (job.epoch < epoch) throw new LeaseLostError(name);',
  },
  {
    name: 'the next holder takes an intent for a wish that waits',
    file: 'engine/sync/in-flight.ts',
    text: "learn(key, { ...entry, state: 'unknown' });",
    instead: "learn(key, { ...entry, state: 'waiting' });",
  },
  {
    name: 'batches carry no fence',
    file: 'sheets/google/fence.ts',
    text: 'if (!fence) return send([...requests]);',
    instead: 'if (!fence || requests.length > 0) return send([...requests]);',
  },
  {
    name: 'calls are sent however soon the lease ends',
    file: 'limits/time-to-live.ts',
    text: 'if (remainingMs === Infinity) return timeoutMs;',
    instead: 'if (remainingMs >= 0) return timeoutMs;',
  },
];

const hinting: readonly Sabotage[] = [
  {
    name: 'with hints no full look ever comes',
    file: 'sync/must-look.ts',
    text: "if (!(sinceMs >= 0 && sinceMs < fullLookMs)) return 'full look';",
    instead: "if (!(sinceMs >= 0)) return 'full look';",
  },
  {
    name: 'with hints a change of the service brings no look',
    file: 'engine/sync/pull.ts',
    text: "if (quiet && typeof seen === 'string' && isAsRemembered(contacts.crm, memory)) {",
    instead:
      "if (quiet && (seen === 'unread' || (typeof seen === 'string' && isAsRemembered(contacts.crm, memory)))) {",
  },
  {
    name: 'with hints a change of the service is planned over the rows of an earlier look',
    file: 'engine/sync/pull.ts',
    text: "let snapshot = typeof seen === 'string' ? await read() : seen;",
    instead:
      "let snapshot = typeof seen === 'string' ? ((context.session as any).last ?? (await read())) : ((context.session as any).last = seen);",
  },
];

export const sabotages: readonly Sabotage[] = [
  ...merging,
  ...identity,
  ...deleting,
  ...guards,
  ...deciding,
  ...service,
  ...scanning,
  ...sheet,
  ...enrolling,
  ...state,
  ...undoing,
  ...looking,
  ...holding,
  ...hinting,
  ...recognising,
  ...goingOn,
  ...sending,
  ...pausing,
  ...sharing,
  ...twoCalls,
  ...hands,
];
