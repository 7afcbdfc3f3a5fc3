// The driver of the outreach service: the parts of the port, put together on one client.
import type { Crm, CrmUsage } from '../port.ts';
import { createAutomations } from './automations.ts';
import { createCollections } from './collections.ts';
import { openContacts } from './contacts/contacts.ts';
import { outreachDescription } from './description.ts';
import { createLists } from './lists.ts';
import { createMessages } from './messages.ts';
import { createCapabilities } from './scan/capabilities.ts';
import { createSharedSearches } from './scan/shared-search.ts';
import type { ServiceClient } from './service-client.ts';

export interface OutreachDep {
  readonly client: ServiceClient;
  /** `Crm.account`. */
  readonly account: string;
  readonly usage: () => CrmUsage;
  /** Epoch milliseconds on our clock. */
  readonly now: () => number;
}

export function createOutreachCrm({ client, account, usage, now }: OutreachDep): Crm {
  const capabilities = createCapabilities(now);
  const shared = createSharedSearches();
  return {
    description: outreachDescription,
    account,
    now: () => client.serviceNow(),
    usage,
    probe: async (call) => ({ lists: (await client.lists.list({ limit: 1 }, call)).total }),
    openContacts: (spec) => openContacts({ client, capabilities, shared }, spec),
    lists: createLists(client),
    automations: createAutomations(client),
    messages: createMessages({ client, capabilities }),
    collections: createCollections(client),
  };
}
