// The stored network messages and e-mails.
import { email, networkMessage } from '../../crm/outreach/operations/records.ts';
import { recordOf } from './stored.ts';
import type { EmailRecord, NetworkMessageRecord } from './stored.ts';
import { RecordTable } from './table.ts';
import { instantText } from './world.ts';
import type { World } from './world.ts';

/** Stored beside the e-mail, whose rows have no body. */
export interface EmailBody {
  readonly uuid: string;
  readonly subject: string | null;
  readonly body: string;
  readonly attachments: readonly unknown[];
}

/** Network messages and e-mails, in both directions. */
export class Inbox {
  readonly #world: World;
  readonly messages: RecordTable<NetworkMessageRecord>;
  readonly emails: RecordTable<EmailRecord>;
  readonly bodyByUuid = new Map<string, EmailBody>();

  constructor(world: World) {
    this.#world = world;
    this.emails = new RecordTable(world, 'The e-mail');
    this.messages = new RecordTable(world, 'The message');
  }

  addMessage(
    given: Partial<NetworkMessageRecord> & Pick<NetworkMessageRecord, 'sender_profile_uuid' | 'lead_uuid'>,
  ): NetworkMessageRecord {
    const { random, teamId, userId, now } = this.#world;
    const at = instantText(now());
    return this.messages.put(
      recordOf<NetworkMessageRecord>(networkMessage, {
        uuid: random.uuid(),
        team_id: teamId,
        user_id: userId,
        conversation_uuid: random.uuid(),
        message_hash: random.uuid().replaceAll('-', ''),
        attachments: [],
        type: 'outbox',
        kind: 'message',
        automation: 'manual',
        status: 'new',
        created_at: at,
        updated_at: at,
        ...given,
      }),
    );
  }

  addEmail(
    given: Partial<EmailRecord> & Pick<EmailRecord, 'lead_uuid'>,
    { body, attachments = [] }: { readonly body: string; readonly attachments?: readonly unknown[] },
  ): { readonly email: EmailRecord; readonly body: EmailBody } {
    const { random, teamId, userId, now } = this.#world;
    const at = instantText(now());
    const stored: EmailBody = { uuid: random.uuid(), subject: given.subject ?? null, body, attachments };
    this.bodyByUuid.set(stored.uuid, stored);
    const record = this.emails.put(
      recordOf<EmailRecord>(email, {
        uuid: random.uuid(),
        team_id: teamId,
        user_id: userId,
        email_body_uuid: stored.uuid,
        type: 'outbox',
        status: 'waiting',
        cc: [],
        bcc: [],
        created_at: at,
        updated_at: at,
        ...given,
      }),
    );
    return { email: record, body: stored };
  }

  /** The final state of a queued message, by the switches. */
  deliverMessage(uuid: string, at: number): void {
    if (!this.messages.has(uuid)) return;
    const outcome = this.#world.switches.messageOutcome;
    const ending =
      outcome === 'done'
        ? { status: outcome, sent_at: instantText(at) }
        : { status: outcome, fail_reason: 'The contact could not be reached.' };
    this.messages.change(uuid, ending, at);
  }

  /** The final state of a queued e-mail. A bounce arrives as an e-mail of its own. */
  deliverEmail(uuid: string, at: number): void {
    const sent = this.emails.find(uuid);
    if (!sent) return;
    const outcome = this.#world.switches.emailOutcome;
    if (outcome !== 'bounced') {
      this.emails.change(uuid, { status: outcome, ...(outcome === 'sent' && { sent_at: instantText(at) }) }, at);
      return;
    }
    const bounce = this.addEmail(
      {
        lead_uuid: sent.lead_uuid,
        sender_profile_uuid: sent.sender_profile_uuid,
        type: 'inbox',
        status: 'sync',
        to_email: sent.from_email,
        subject: `Undelivered: ${sent.subject ?? ''}`,
        replied_to_uuid: uuid,
        sent_at: instantText(at),
      },
      { body: 'The address could not be reached.' },
    );
    this.emails.change(uuid, { status: outcome, sent_at: instantText(at), bounced_by_uuid: bounce.email.uuid }, at);
  }
}
