// The automations of the service behind the port.
import type { Automations } from '../port.ts';
import { readCollection } from './listing.ts';
import { operations } from './operations/table.ts';
import type { ServiceClient } from './service-client.ts';

export function createAutomations(client: ServiceClient): Automations {
  return {
    async list(call) {
      const query = { limit: 100, order_field: 'created_at', order_type: 'asc' } as const;
      const { records, notice } = await readCollection(client, operations.automations.list, query, call);
      return {
        automations: records.map(({ uuid, name, status }) => ({ uuid, name: name ?? '', status: status ?? '' })),
        ...(notice !== undefined && { notice }),
      };
    },
    enrol: (contact, automation, call) =>
      client.automations.addContact({ flowUuid: automation, leadUuid: contact }, call),
    async cancel(contact, automation, call) {
      const leadUuid = contact;
      if (automation === null) await client.automations.cancelAll({ leadUuid }, call);
      else await client.automations.cancel({ leadUuid, flow_uuids: [automation] }, call);
    },
  };
}
