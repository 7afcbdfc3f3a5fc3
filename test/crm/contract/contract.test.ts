import delay from 'delay';
import { createOutreachCrm } from '../../../src/crm/outreach/crm.ts';
import { createReferenceCrm } from '../../support/reference-crm.ts';
import { createService, useJumpingClock } from '../../support/service.ts';
import { type CrmDriver, describeCrmCapabilities, describeCrmContract } from './contract.ts';

/** Longer than any delayed work of the stand-in, and than the resolution of its instants. */
const settled = async () => void (await delay(60_000));

function openOutreach(switches: Parameters<typeof createService>[0] = {}): CrmDriver {
  const { client, standin } = createService(switches);
  const { automations, senderProfiles } = standin.model;
  const now = () => Date.now();
  const usage = () => ({ calls: standin.received.entries.length, lastMinute: 0, perMinute: 60_000 });
  return {
    crm: createOutreachCrm({ client, account: 'http://service.test', usage, now }),
    settle: settled,
    person: {
      addAutomation: (name) => automations.add({ name, status: 'off' }).uuid,
      addSender: (label) => senderProfiles.add({ first_name: 'Jo', last_name: 'Sender', label }).uuid,
    },
  };
}

describeCrmContract('the outreach service over its stand-in', () => openOutreach());
describeCrmCapabilities('the outreach service over its stand-in', () => openOutreach());
// It answers a contact for a while after the deletion: for the port it is gone (T30).
describeCrmContract('the outreach service, which deletes a minute later', () =>
  openOutreach({ deleteDelayMs: 60_000 }),
);

describeCrmContract('the reference driver', () => {
  useJumpingClock();
  return { crm: createReferenceCrm(() => Date.now()), settle: settled };
});
