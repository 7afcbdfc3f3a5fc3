// The stored lists.
import { list } from '../../crm/outreach/operations/records.ts';
import { recordOf } from './stored.ts';
import type { ListRecord } from './stored.ts';
import { RecordTable } from './table.ts';
import { instantText } from './world.ts';
import type { World } from './world.ts';

export class Lists {
  readonly #world: World;
  readonly table: RecordTable<ListRecord>;

  constructor(world: World) {
    this.#world = world;
    this.table = new RecordTable(world, 'The list');
  }

  /** Names need not be unique. */
  add(given: Partial<ListRecord> & Pick<ListRecord, 'name'>): ListRecord {
    const { random, teamId, userId, now } = this.#world;
    const at = instantText(now());
    return this.table.put(
      recordOf<ListRecord>(list, {
        uuid: random.uuid(),
        team_id: teamId,
        user_id: userId,
        created_at: at,
        updated_at: at,
        ...given,
      }),
    );
  }
}
