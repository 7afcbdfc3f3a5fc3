// Decides whose message a row is (P2, P6): by its ID, else by the uuid, else by what it says.
//
// A row that says it was sent, and that the ledger does not know, is proof of an earlier state or is quarantined. It is
// never sent.
import { firstFew } from '../change.ts';
import {
  contentText,
  isTakenBack,
  isUuid,
  type Message,
  type OutboxRow,
  readPayload,
  readRecipient,
  readSend,
} from './message.ts';
import { instantOf, isBlankCell, textOf } from './cells.ts';
import { withoutEditedWish } from './again.ts';
import { type Draft, isResendAsked, addProblem } from './draft.ts';
import { isDone, saidOf, sentDigests } from './known.ts';
import { withMoved } from './moved-yes.ts';
import { payloadOf, textIn } from './payload.ts';
import { reportOutcome, saysUnknown, unknownIdIn } from './report.ts';
import { waitForId, judgeWish } from './wish.ts';

export function identifyRows(draft: Draft): void {
  const { input, keepers, doubted } = draft;
  for (const row of input.rows) {
    const keeper = keepers.get(row.id);
    const doubtful = doubted.get(row.id);
    if (doubtful) quarantineDoubtful(draft, row, doubtful);
    else if (!keeper) considerNameless(draft, row);
    else if (keeper === row) considerNamed(draft, row);
    else considerCopy(draft, row, keeper);
  }
  for (const id of input.messages.keys()) if (!keepers.has(id)) noteWithdrawn(draft, id);
}

/** P1: so that nobody is told that its turn comes. While a column is missing, nothing is known of its row (W11). */
function noteWithdrawn(draft: Draft, id: string): void {
  const message = knownOf(draft, id);
  const isOpen = message?.state === 'waiting' || message?.state === 'refused';
  if (!isOpen || message.isWithdrawn || draft.input.missing.length > 0) return;
  draft.messages.set(id, { ...withMoved(message, false), isWithdrawn: true });
}

/** P2: a row that has no ID of ours, or lost it. */
function considerNameless(draft: Draft, row: OutboxRow): void {
  const { input, known, keepers, namings } = draft;
  const uuid = textOf(row.uuid);
  const owner = known.idByUuid.get(uuid);
  const unknown = lostUnknownIn(draft, row);
  if (isUuid(uuid) && owner === undefined) {
    // P6: leadsheet sent it, and this state does not know of it.
    draft.isBehind = true;
    namings.push({ row: row.number, message: provenBy(draft, row) });
    draft.sent += 1;
  } else if (owner !== undefined) {
    const other = keepers.get(owner);
    if (other) return quarantineCopy(draft, row, other);
    giveIdBack(draft, row, owner);
  } else if (unknown !== undefined) {
    // P3: whatever its Send cell says. Else another sentence would take the place of this one, and a later yes would send it again.
    noteUnknown(draft, row, unknown);
    giveIdBack(draft, row, unknown);
  } else if (isWished(draft, row)) {
    const lost = known.idsBySaid.get(saidOf(input, row))?.find((id) => !keepers.has(id));
    // A sent row that has its time alone lost its ID and its uuid, as by merged cells over both.
    const message = lost === undefined ? undefined : knownOf(draft, lost);
    const saysSent = uuid !== '' || (!isBlankCell(row.sentAt) && !(message && isDone(message)));
    if (saysSent) return quarantineSentElsewhere(draft, row);
    if (lost !== undefined) return giveIdBack(draft, row, lost);
    judgeWish(draft, row, undefined, undefined);
  }
}

/**
 * P3: the ID of the message of which the row says that its outcome is unknown, where the row lost this ID, no other row has it, and the
 * ledger lost the call.
 */
function lostUnknownIn(draft: Draft, row: OutboxRow): string | undefined {
  const id = unknownIdIn(row);
  const isOfRow = id !== undefined && isUuid(id) && !draft.keepers.has(id);
  if (!isOfRow || textOf(row.uuid) !== '' || !isBlankCell(row.sentAt)) return undefined;
  return isCallLost(draft, id) ? id : undefined;
}

/**
 * P3, S3: a restored ledger may have a message as one that was never sent, and a new one does not have it at all, while its row says
 * that the outcome of its call is unknown. An approval, which the rows without proof wait for (P6), does not say that it is not there.
 */
function isCallLost(draft: Draft, id: string): boolean {
  const message = knownOf(draft, id);
  const isNeverSent = !message || (!isDone(message) && message.was === undefined && sentDigests(message).length === 0);
  return isNeverSent && !isResendAsked(draft, id);
}

function knownOf({ input, messages }: Draft, id: string): Message | undefined {
  return messages.get(id) ?? input.messages.get(id);
}

function noteUnknown(draft: Draft, row: OutboxRow, id: string): Message {
  draft.isBehind = true;
  const { message: _words, rule: _rule, retryAt: _retryAt, ...rest } = knownOf(draft, id) ?? provenBy(draft, row);
  const unknown: Message = { ...rest, state: 'unknown', run: '' };
  draft.messages.set(id, unknown);
  return unknown;
}

function giveIdBack(draft: Draft, row: OutboxRow, id: string): void {
  const { input, keepers, namings } = draft;
  keepers.set(id, row);
  namings.push({ row: row.number, id });
  const message = entryOf(draft, row, id)!;
  if (isDone(message) && !isResendAsked(draft, id)) reportOutcome(draft, row, id, message);
  else if (input.isDryRun) judgeWish(draft, row, id, message);
  else waitForId(draft, row);
}

/** P3, P5: an entry that waits to be sent again is what it was before, once the row says something else. */
function entryOf(draft: Draft, row: OutboxRow, id: string): Message | undefined {
  const { input, messages, agreed, edited } = draft;
  const known = knownOf(draft, id);
  const restored = agreed.again.has(id) ? undefined : withoutEditedWish(input, row, known);
  if (!restored) return known;
  edited.add(id);
  messages.set(id, restored);
  return restored;
}

function considerNamed(draft: Draft, row: OutboxRow): void {
  const { input, known, keepers, messages } = draft;
  const { id } = row;
  const message = entryOf(draft, row, id);
  const uuid = textOf(row.uuid);
  const owner = known.idByUuid.get(uuid);
  if (owner !== undefined && owner !== id) {
    const other = keepers.get(owner);
    if (other) return quarantineCopy(draft, row, other);
    return message ? quarantineSentElsewhere(draft, row) : giveIdBack(draft, row, owner);
  }
  const isNamed = isUuid(uuid) && owner === undefined;
  if (message && isNamed && (message.state === 'unknown' || message.state === 'intended')) {
    // P3: a person looked in the service and wrote down the uuid.
    const found: Message = { ...message, state: 'sent', uuid: uuid.toLowerCase() };
    messages.set(id, found);
    return reportOutcome(draft, row, id, found);
  }
  if (message && isDone(message) && !isResendAsked(draft, id)) return reportOutcome(draft, row, id, message);
  if (!isNamed && isUuid(id) && saysUnknown(row) && isCallLost(draft, id)) {
    return reportOutcome(draft, row, id, noteUnknown(draft, row, id));
  }
  const unknown = message ? undefined : lostUnknownIn(draft, row);
  if (unknown !== undefined) {
    // P3: somebody typed over its ID.
    noteUnknown(draft, row, unknown);
    return giveIdBack(draft, row, unknown);
  }
  if (isNamed || (!message && !isBlankCell(row.sentAt) && isUuid(id))) {
    draft.isBehind = true;
    const proof = provenBy(draft, row);
    messages.set(id, proof);
    return reportOutcome(draft, row, id, proof);
  }
  if (!message && !isUuid(id)) {
    if (isWished(draft, row))
      addProblem(draft, row, 'quarantined', 'P2', 'its ID is not one that leadsheet gave: clear it');
    return;
  }
  if (!isWished(draft, row)) {
    // P8: once the column is put back, it says yes as it did, and nobody has decided anew.
    if (draft.moved.size > 0 && !message?.isMoved) return;
    // P7: the next yes is another decision of a person than the one that was cancelled.
    const isRenewed = message?.state === 'cancelled' && input.missing.length === 0 && isTakenBack(row);
    if (isRenewed) messages.set(id, { ...message, state: 'waiting', at: input.now });
    if (isTakenBack(row) || readSend(row) !== 'no') noteWithdrawn(draft, id);
    return;
  }
  if (!message) draft.isBehind = true;
  else if (!message.isAgain && !isResendAsked(draft, id) && (uuid !== '' || !isBlankCell(row.sentAt))) {
    return quarantineSentElsewhere(draft, row);
  }
  judgeWish(draft, row, id, message);
}

/**
 * I4: of the rows with one ID, one keeps it. A copy of a row that was not sent is a message of its own and needs an ID of
 * its own.
 */
function considerCopy(draft: Draft, row: OutboxRow, keeper: OutboxRow): void {
  if (!isBlankCell(row.uuid) || !isBlankCell(row.sentAt)) return quarantineCopy(draft, row, keeper);
  if (saysUnknown(row) && isProven(draft, row.id)) {
    // P3: the ledger lost the call, so that nothing tells for which of the rows it was.
    quarantineDoubtful(draft, row, [keeper.number]);
    return noteProofOfCopy(draft, row, keeper);
  }
  if (isWished(draft, row)) judgeWish(draft, row, undefined, undefined);
}

/** P1: whether Send says yes. If it says anything else than yes or no, the row is told what keeps it from being sent. */
function isWished(draft: Draft, row: OutboxRow): boolean {
  const { send } = draft.input.headers;
  const word = readSend(row);
  if (word === 'formula') addProblem(draft, row, 'held', 'P1', `a formula stands in ${send}: type yes`);
  else if (word === 'other') addProblem(draft, row, 'waiting', 'P1', `it is sent once ${send} says yes`);
  // Removes what was said of a wish that is gone.
  else if (word === 'no') draft.texts.set(row.number, '');
  return word === 'yes';
}

/**
 * P6: the message that the row proves. It was sent before this state began; its present content counts as what was sent.
 */
function provenBy({ input }: Draft, row: OutboxRow): Message {
  const { fields, missing } = input;
  const [uuid, at, delivery] = [textOf(row.uuid), instantOf(row), textOf(row.delivery)];
  const values = row.cells.map(readPayload);
  const recipient = readRecipient(textIn(fields, 'lead_uuid', values));
  const content =
    recipient !== undefined && isUuid(recipient) && contentText(recipient, payloadOf(fields, values, '', ''));
  return {
    state: 'sent',
    at: at ?? 0,
    // The cap of this hour counts it too.
    ...(at !== undefined && { calls: [at] }),
    run: '',
    said: missing.length > 0 ? '' : saidOf(input, row),
    ...(content && { key: input.digest(content) }),
    ...(uuid !== '' && { uuid }),
    ...(delivery !== '' && { delivery }),
  };
}

/** Whether only a row says that it was sent, or may have been. */
function isProven({ input, messages }: Draft, id: string): boolean {
  const [known, proof] = [input.messages.get(id), messages.get(id)];
  return proof !== undefined && isDone(proof) && !(known && isDone(known));
}

function quarantineCopy(draft: Draft, row: OutboxRow, keeper: OutboxRow): void {
  const { uuid, sentAt } = draft.input.headers;
  const remedy = `to make it a message of its own, clear ${uuid} and ${sentAt}`;
  addProblem(draft, row, 'quarantined', 'P2', `copy of row ${keeper.number}, nothing is sent: ${remedy}`);
  noteProofOfCopy(draft, row, keeper);
}

/**
 * P6: which of the rows says what was sent is not known, because the ledger of that time is gone: one of them was edited.
 * What each of them says counts as sent.
 */
function noteProofOfCopy(draft: Draft, row: OutboxRow, { id, uuid }: OutboxRow): void {
  const { messages } = draft;
  const proof = isProven(draft, id) ? messages.get(id) : undefined;
  if (!proof || textOf(row.uuid) !== textOf(uuid)) return;
  const before = new Set([...(proof.before ?? []), ...sentDigests(provenBy(draft, row))]);
  messages.set(id, { ...proof, before: [...before] });
}

/** I4, P3: it cannot be told which of the rows was sent, or may have been. */
function quarantineDoubtful(draft: Draft, row: OutboxRow, rows: readonly number[]): void {
  const others = firstFew(rows.filter((number) => number !== row.number));
  const what = draft.input.messages.get(row.id)?.state === 'cancelled' ? 'cancelled' : 'sent';
  const reason = `has the same ID as row ${others}, and which of them was ${what} cannot be told, nothing is sent: clear the ID in the rows that are new messages`;
  addProblem(draft, row, 'quarantined', 'I4', reason);
}

function quarantineSentElsewhere(draft: Draft, row: OutboxRow): void {
  const { uuid, sentAt } = draft.input.headers;
  const remedy = `if it is a new message, clear ${uuid} and ${sentAt}`;
  addProblem(draft, row, 'quarantined', 'P2', `says that it was sent: ${remedy}`);
}
