// The laws of an outbox (L8, P1 to P7): no message twice, none without its row, none that was taken back, and each row says the truth.
import { type MessageEvidence, plain, type Sent } from '../oracle/messages.ts';
import type { Violation } from '../oracle/evidence.ts';
import { type MessageRow, saysYes } from '../people/outbox-acts.ts';

const hourMs = 3_600_000;

/** Judges all that was sent so far. */
export function messagesSent({
  sent,
  again,
  takenBack,
  unproven,
  log,
  cap,
  isStateLost,
  overwritten,
}: MessageEvidence): readonly Violation[] {
  const broken: Violation[] = overwritten.map((text) => ({ law: 'L13', text }));
  const tell = (law: string, text: string) => void broken.push({ law, text });
  const allowed = (tag: string) => 1 + again.filter((each) => each.tag === tag).length;
  for (const [message, same] of Map.groupBy(sent, contentOf)) {
    const { tag } = same[0]!;
    const most = allowed(tag);
    // P6: without the state the row is all that proves it, and people emptied that.
    if (isStateLost && log.unproved.has(tag)) continue;
    if (same.length > most) tell('P1', `"${message}" was sent ${same.length} times, ${most} allowed`);
  }
  for (const [tag, ofTag] of Map.groupBy(sent, (each) => each.tag)) {
    if (log.loosened.has(tag) || (isStateLost && log.unproved.has(tag))) continue;
    if (ofTag.length > allowed(tag)) tell('P1', `row ${tag} was sent ${ofTag.length} times, ${allowed(tag)} allowed`);
    if (isStateLost) continue;
    for (const later of ofTag.slice(1)) {
      const asked = again.filter((each) => each.tag === tag && each.seq < later.seq);
      if (!asked.some(({ shown }) => shown.has(later.text)))
        tell('P3', `"${later.text}" was sent a second time, and no person who asked for it had been shown this text`);
    }
  }
  for (const each of sent) {
    const why = whyNotOfRow(each);
    if (why !== undefined) tell('P4', `"${each.text}" was sent to ${each.uuid}: ${why}`);
    const back = takenBack.findLast(({ tag, seq }) => tag === each.tag && seq < each.seq);
    const isSaidAgain = (log.unsaid.get(each.tag) ?? 0) > (back?.unsaid ?? 0);
    const isAskedAgain = again.some(({ tag, seq }) => tag === each.tag && seq > (back?.seq ?? 0) && seq < each.seq);
    if (back && !isSaidAgain && !isAskedAgain && !log.loosened.has(each.tag))
      tell('P7', `"${each.text}" was sent after it was cancelled`);
    const held = unproven.get(each.text);
    const isHeld = held && held.seq < each.seq && held.unsaid === (log.unsaid.get(each.tag) ?? 0);
    if (isHeld && !log.loosened.has(each.tag) && !again.some(({ tag }) => tag === each.tag))
      tell('P6', `"${each.text}" was sent: its row said yes when the state was lost, and no person approved it`);
    // With the state the calls of the hour before are lost.
    const inHour = sent.filter(({ at }) => at <= each.at && at > each.at - hourMs).length;
    if (inHour > cap && !isStateLost) tell('P4', `${inHour} messages in the hour before "${each.text}", cap ${cap}`);
  }
  return broken;
}

/** Whoever types over the ID and over the uuid of the message has a text that nobody says is to be sent. */
function isTypedOver({ id, uuid }: { readonly id: string; readonly uuid: string }): boolean {
  return id.startsWith('typed') && uuid.startsWith('typed');
}

/** P2: another subject makes it another message. */
function contentOf({ uuid, text, subject }: Sent): string {
  return `${text}${subject === '' ? '' : ` (${subject})`} to ${uuid}`;
}

/** A row said all of it, with yes, at some instant from the last look before the call on. */
function whyNotOfRow({ text, subject, uuid, addresses, since }: Sent): string | undefined {
  const rows = since.flatMap((state) => state.rows).filter((row) => row.text.trim() === text);
  if (rows.length === 0) return 'no row said this since the last look';
  const meant = rows.filter(({ to }) => plain(to) === uuid || addresses.has(plain(to)));
  if (meant.length === 0) return `its row names ${[...new Set(rows.map(({ to }) => to))].join(' and ')}`;
  const whole = meant.filter((row) => row.subject?.trim() === subject);
  if (whole.length === 0) return `the subject "${subject}" is not that of its row`;
  return whole.some(saysYes) ? undefined : 'its row did not say yes';
}

export interface OutboxSeen {
  readonly evidence: MessageEvidence;
  readonly rows: readonly MessageRow[];
  /** The uuids of all messages that the service has. */
  readonly taken: ReadonlySet<string>;
  /** How many contacts a text in `To` names. */
  readonly named: (to: string) => number;
  readonly isSender: (from: string) => boolean;
  /** Write calls of a run over an unchanged outbox. */
  readonly idleWrites: number;
}

/** Once all is quiet: each row that says yes was sent or says why not, and what it says is true. */
export function outboxAtRest({ evidence, rows, taken, named, isSender, idleWrites }: OutboxSeen): readonly Violation[] {
  const { isStateLost, sent, again, log } = evidence;
  const broken: Violation[] = [];
  for (const row of rows) {
    // V3, W5: what its covered cells would hold nobody knows, and it is told nothing while the spreadsheet refuses a cell.
    if (row.isCovered) continue;
    const { to, from, text, sync, uuid } = row;
    const tell = (law: string, what: string) => void broken.push({ law, text: `${what}: ${JSON.stringify(row)}` });
    const isWaiting = /^(?:waiting|failed)/.test(sync) && !sync.includes('once Send says yes');
    if (isWaiting) tell('P4', 'the row still waits after quiet');
    if (sync.startsWith('sent') && !isStateLost && !taken.has(uuid)) tell('P5', 'the row says sent, and was not');
    if (sync.includes('the contact does not exist') && named(to) > 0) tell('P4', 'there is such a contact');
    if (sync.includes('no such sender') && isSender(from)) tell('P4', 'there is such a sender');
    const isLikeAnother = /looks the same(?!.*(?:outcome is unknown|may have been|another row))/.test(sync);
    if (isLikeAnother && !isStateLost && !sent.some((each) => each.text === text.trim()))
      tell('P2', 'nothing like it was sent');
    if (!saysYes(row)) continue;
    if (sync === '') tell('P1', 'nothing is said of the row');
    if (sync.startsWith('held') && !isStateLost) tell('P6', 'the row is held, and the state was never lost');
    const isSendable = named(to) === 1 && isSender(from) && text.trim() !== '';
    const isAnswered =
      /^(?:sent|cancelled|refused: (?:looks|Injected fault)|quarantined: (?:outcome|copy of|says that|not sent again|has the same|its ID is not)|held)/.test(
        sync,
      );
    if (isSendable && !isAnswered) tell('P1', 'the row could have been sent');
  }
  for (const { tag, text, uuid } of sent) {
    const own = rows.filter((row) => row.tag === tag && row.text.trim() === text);
    const isAsked = again.some((each) => each.tag === tag) || log.loosened.has(tag) || isStateLost;
    if (isAsked || own.some(({ isCovered, sync }) => isCovered || /^(?:sent|quarantined)/.test(sync))) continue;
    for (const row of own.filter((each) => saysYes(each) || !isTypedOver(each)))
      broken.push({
        law: 'P5',
        text: `"${text}" was sent to ${uuid}, and its row does not say so: ${JSON.stringify(row)}`,
      });
  }
  if (idleWrites > 0) broken.push({ law: 'W9', text: `a run over an unchanged outbox made ${idleWrites} write calls` });
  return broken;
}
