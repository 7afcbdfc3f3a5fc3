// The lists of the service behind the port.
import type { Lists } from '../port.ts';
import { listsNamed, readCollection } from './listing.ts';
import { operations } from './operations/table.ts';
import type { ServiceClient } from './service-client.ts';

export function createLists(client: ServiceClient): Lists {
  return {
    named: (name, call) => listsNamed(client, name, call),
    async all(call) {
      const { records, notice } = await readCollection(client, operations.lists.list, { limit: 100 }, call);
      const lists = records.map(({ uuid, name }) => ({ uuid, name: name ?? '' }));
      return { lists, ...(notice !== undefined && { notice }) };
    },
    create: (name, call) => client.lists.create({ name }, call),
    async get(uuid, call) {
      const { name } = await client.lists.get({ uuid }, call);
      return { name: name ?? undefined };
    },
  };
}
