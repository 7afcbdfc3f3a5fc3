// The stored sender profiles.
import { senderProfile } from '../../crm/outreach/operations/records.ts';
import { officeHours } from './automations.ts';
import { Refusal } from './refusal.ts';
import { recordOf } from './stored.ts';
import type { SenderProfileRecord } from './stored.ts';
import { RecordTable } from './table.ts';
import { instantText } from './world.ts';
import type { World } from './world.ts';

export class SenderProfiles {
  readonly #world: World;
  readonly table: RecordTable<SenderProfileRecord>;
  /** The external browser profile of each connected sender profile. */
  readonly externalIdByProfile = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
    this.table = new RecordTable(world, 'The sender profile');
  }

  add(
    given: Partial<SenderProfileRecord> & Pick<SenderProfileRecord, 'first_name' | 'last_name'>,
  ): SenderProfileRecord {
    const { random, teamId, userId, now } = this.#world;
    const at = instantText(now());
    return this.table.put(
      recordOf<SenderProfileRecord>(senderProfile, {
        uuid: random.uuid(),
        team_id: teamId,
        user_id: userId,
        assignee_user_id: userId,
        status: 'enabled',
        schedule: officeHours,
        smart_limits_enabled: true,
        notification_emails: [],
        created_at: at,
        updated_at: at,
        ...given,
      }),
    );
  }

  assertRoom(): void {
    if (this.table.size >= this.#world.switches.profilesMax) this.#refuse('The sender profile limit is reached.');
  }

  assertSubscription(): void {
    if (!this.#world.switches.subscriptionActive) this.#refuse('An active subscription is required.');
  }

  #refuse(message: string): never {
    const status = this.#world.switches.profileLimitStatus;
    throw new Refusal({ status, reason: limitReasons[status], message });
  }
}

const limitReasons = { 402: 'payment_required', 403: 'access_denied', 422: 'validation_error' } as const;
