// Both stand-ins in a process of their own, for a whole sync: as many contacts as the first argument says, and a tab
// that has them all, or only its header if the second one is `empty`. Prints its addresses, and ends with its parent.
import { randomInt } from 'node:crypto';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { serve } from '../../src/standin/serve.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';
import { syncColumns, syncSpreadsheet } from './sync.ts';

const contacts = Number(process.argv[2]);
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
const records = Array.from({ length: contacts }, (_, index) => {
  const fields = {
    list_uuid,
    first_name: `First ${index}`,
    last_name: `Last ${index}`,
    name: `First ${index} Last ${index}`,
    company_name: `Company ${index % 997}`,
    position: 'Head of Procurement',
    headline: `Head of Procurement at Company ${index % 997}`,
    work_email: `person.${index}@company.test`,
    network: `person-${index}`,
    raw_address: 'Hamburg, Germany',
    about: `About person ${index}`,
    primary_language: 'de',
    personal_phone_number: `040 ${index}`,
  };
  return service.model.contacts.add({ fields }, started + index * 1_000).record;
});
const isEmpty = process.argv[3] === 'empty';
const storedAs: Readonly<Record<string, string>> = { email: 'work_email', network_id: 'network' };
const fieldNames = Object.values(syncColumns).map((name) => storedAs[name] ?? name);
sheets.model.create({
  id: syncSpreadsheet,
  tabs: [
    {
      title: 'Bench',
      rowCount: isEmpty ? 1_000 : contacts + 1,
      columnCount: fieldNames.length + 1,
      values: [
        ['Contact ID', ...Object.keys(syncColumns)],
        ...(isEmpty
          ? []
          : records.map((record) => [
              record.uuid,
              ...fieldNames.map((name) => (record as unknown as Record<string, string>)[name] ?? null),
            ])),
      ],
    },
  ],
});
process.on('message', ({ touch, rows }: { touch?: number; rows?: number }) => {
  for (const { uuid } of records.slice(0, touch ?? 0))
    service.model.contacts.change(uuid, { fields: { position: `Changed ${Date.now()}` } });
  if (rows) {
    const added = Array.from({ length: rows }, (_, index) => [
      '',
      `New ${index}`,
      '',
      '',
      '',
      '',
      `new.${index}@company.test`,
    ]);
    const person = sheets.person(syncSpreadsheet);
    person.paste(`'Bench'!A2`, added);
  }
  process.send?.('done');
});
const [crm, google] = [await serve(service.app, 0), await serve(sheets.app, 0)];
process.on('disconnect', () => {
  void crm.close();
  void google.close();
});
process.send?.({ crm: crm.url, google: google.url });
