// Finds the list of a sync by its name, and names the lists that there are where none has it.
import type { SyncConfig } from '../../config/config.ts';
import type { Crm, CrmCall } from '../../crm/port.ts';
import { nearestFirst, nearestWord } from '../../lib/nearest.ts';
import { RunFailed } from '../errors.ts';

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A person reads no more names than this in one message. */
const namedMax = 50;

function isUuid(list: string): boolean {
  return uuidForm.test(list);
}

/**
 * The uuid of the sync's list; a uuid in the configuration is taken as it is. Throws RunFailed if no list has the name and
 * there is no `otherwise`, and if several have it.
 */
export async function findList(
  crm: Pick<Crm, 'lists'>,
  { name: sync, contacts: { list: name, createList } }: SyncConfig,
  call: CrmCall,
  otherwise?: string,
): Promise<string> {
  if (isUuid(name)) return name.toLowerCase();
  const { lists, notice } = await crm.lists.named(name, call);
  const [list] = lists;
  if (!list) {
    // L7: the list is not created either. If it exists and was not shown, there would be two.
    if (notice !== undefined) {
      throw new RunFailed(`whether there is a list "${name}" is not known: ${notice}. The next run asks again`);
    }
    if (otherwise !== undefined) return otherwise;
    throw new RunFailed(await missingList(crm, { sync, name, createList }, call));
  }
  if (lists.length > 1) {
    const uuids = lists.map(({ uuid }) => uuid).join(', ');
    throw new RunFailed(
      `${lists.length} lists are called "${name}": write the uuid of one into contacts.list (${uuids})`,
    );
  }
  return list.uuid;
}

/** Names the lists that there are, the nearest name first. */
async function missingList(
  { lists: all }: Pick<Crm, 'lists'>,
  { sync, name, createList }: { readonly sync: string; readonly name: string; readonly createList: boolean },
  call: CrmCall,
) {
  const { lists, notice } = await all.list(call);
  const names = nearestFirst(
    name,
    lists.flatMap((list) => list.name ?? []),
  );
  // A list that a sync has had is not made again: it was renamed, or somebody deleted it.
  const make = createList
    ? 'make the list in the service: contacts.create_list makes it only once'
    : 'make the list in the service, or set contacts.create_list';
  const about = notice === undefined ? '' : ` (${notice})`;
  if (names.length === 0) return `there is no list "${name}", and the service shows no other${about}: ${make}`;
  const nearest = nearestWord(name, names);
  const hint = nearest === undefined ? '.' : `, did you mean ${nearest}?`;
  // Without quotation marks: the log hides what stands between them, unless the configuration has it.
  const shown = names.slice(0, namedMax);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return (
    `there is no list "${name}"${hint} Lists that there are, nearest first: ${shown.join(', ')}${more}${about}. ` +
    `Correct contacts.list of ${sync}, ${createList ? 'or ' : ''}${make}`
  );
}
