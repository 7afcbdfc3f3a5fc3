// Both stand-ins in a process of their own, for many syncs of one list: as many contacts as the first argument says, in as
// many tabs as the second one. Prints its addresses, and ends with its parent.
import { randomInt } from 'node:crypto';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { serve } from '../../src/standin/serve.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';
import { sheetIdOf, spreadsheetOf, tabOf, tabsOfOne } from './jobs.ts';
import { syncColumns } from './sync.ts';

const [contacts, tabs] = [Number(process.argv[2]), Number(process.argv[3])];
const service = createServiceStandin({
  now: () => Date.now(),
  seed: 1,
  acceptedTokens: ['the-key-of-the-bench'],
  switches: { rateLimits: [] },
  receivedMax: 1_000,
});
const sheets = createSheetsStandin({
  now: Date.now,
  random: () => randomInt(2 ** 32) / 2 ** 32,
  access: 'open',
  quotas: 'none',
});
const { uuid: list_uuid } = service.model.lists.add({ name: 'Bench' });
const started = Date.now() - (contacts + 3_600) * 1_000;
const columns = Object.keys(syncColumns);
const rows = Array.from({ length: contacts }, (_, index) => {
  const fields = {
    list_uuid,
    first_name: `First ${index}`,
    last_name: `Last ${index}`,
    name: `First ${index} Last ${index}`,
    company_name: `Company ${index % 97}`,
    position: 'Head of Procurement',
    headline: `Head of Procurement at Company ${index % 97}`,
    work_email: `person.${index}@company.test`,
    network: `person-${index}`,
    raw_address: 'Hamburg, Germany',
    about: `About person ${index}`,
    primary_language: 'de',
    personal_phone_number: `040 ${index}`,
  };
  const { record } = service.model.contacts.add({ fields }, started + index * 1_000);
  const { first_name, last_name, company_name, position, headline, work_email, network, raw_address, about } = fields;
  const texts = [first_name, last_name, company_name, position, headline, work_email, network, raw_address, about];
  return [record.uuid, ...texts, 'de', fields.personal_phone_number, record.status ?? null];
});
for (let first = 0; first < tabs; first += tabsOfOne) {
  sheets.model.create({
    id: spreadsheetOf(first),
    tabs: Array.from({ length: Math.min(tabsOfOne, tabs - first) }, (_, index) => ({
      title: tabOf(first + index),
      sheetId: sheetIdOf(first + index),
      rowCount: contacts + 1,
      columnCount: columns.length + 1,
      values: [['Contact ID', ...columns], ...rows],
    })),
  });
}
const [crm, google] = [await serve(service.app, 0), await serve(sheets.app, 0)];
process.on('disconnect', () => {
  void crm.close();
  void google.close();
});
process.send?.({ crm: crm.url, google: google.url });
