// The lists of the service behind the port.
import type { Lists } from '../port.ts';
import { listsNamed } from './listing.ts';
import type { ServiceClient } from './service-client.ts';

export function createLists(client: ServiceClient): Lists {
  return {
    named: (name, call) => listsNamed(client, name, call),
    create: (name, call) => client.lists.create({ name }, call),
    async get(uuid, call) {
      const { name } = await client.lists.get({ uuid }, call);
      return { name: name ?? undefined };
    },
  };
}
