import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Snapshot } from '../../src/standin/service/snapshot.ts';
import { createSyncTrial, inOrder, type TrialOptions } from '../support/app.ts';
import { useJumpingClock } from '../support/service.ts';

/*
 * Runs over state folders of an earlier version (test/state/fixtures/schema-1/README.md), on the sides as that version left
 * them.
 */

const fixtures = join(import.meta.dirname, '..', 'state', 'fixtures', 'schema-1');

type Values = NonNullable<TrialOptions['values']>;

async function createMigrated(name: string, options: TrialOptions, damage: (folder: string) => void = () => {}) {
  useJumpingClock('2026-11-21T12:00:00Z');
  const values = JSON.parse(readFileSync(join(fixtures, `${name}.sheet.json`), 'utf8')) as Values;
  const trial = createSyncTrial({ ...options, values });
  const { model, world } = trial.service;
  await new Snapshot(join(fixtures, `${name}.service.json`), model, world).load();
  const folder = join(trial.folder, 'state', name);
  cpSync(join(fixtures, 'state', name), folder, { recursive: true });
  damage(folder);
  return trial;
}

const ofSync: TrialOptions = { sync: { automation: { column: 'Automation' } } };

function enrolled({ service: { model } }: Awaited<ReturnType<typeof createMigrated>>): string[] {
  const all = [...model.automations.enrolments()].map(({ flow_uuid, lead_uuid }) => {
    const contact = model.contacts.find(lead_uuid)?.record;
    return `${contact?.work_email ?? lead_uuid} ${model.automations.table.get(flow_uuid).name}`;
  });
  return inOrder(all);
}

function damageFile(folder: string, name: string, change: (bytes: Buffer) => Buffer): void {
  const file = join(folder, name);
  writeFileSync(file, change(readFileSync(file)));
}

const cut = (bytes: Buffer) => bytes.subarray(0, -20);
const turnBit = (bytes: Buffer) => {
  const at = bytes.indexOf('"enrolled"');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
};

describe('S2, E1: a run over a state of version 1', () => {
  test.each([
    { what: 'whole', damage: () => {} },
    { what: 'base.log cut in its last line', damage: (folder: string) => damageFile(folder, 'base.log', cut) },
    { what: 'outbox.log cut in its last line', damage: (folder: string) => damageFile(folder, 'outbox.log', cut) },
    { what: 'a bit turned in outbox.log', damage: (folder: string) => damageFile(folder, 'outbox.log', turnBit) },
    { what: 'a bit turned in base.log', damage: (folder: string) => damageFile(folder, 'base.log', turnBit) },
    { what: 'without base.json', damage: (folder: string) => rmSync(join(folder, 'base.json')) },
    { what: 'without outbox.json', damage: (folder: string) => rmSync(join(folder, 'outbox.json')) },
    { what: 'without outbox.log', damage: (folder: string) => rmSync(join(folder, 'outbox.log')) },
    { what: 'with half a document', damage: (folder: string) => truncateSync(join(folder, 'base.json'), 300) },
  ])('$what: nobody is enrolled twice, and no link is lost', async ({ damage }) => {
    const trial = await createMigrated('prospects', ofSync, damage);
    const contacts = inOrder(trial.contacts().map(({ uuid }) => uuid));
    const first = await trial.run();
    expect(first.status).not.toBe('failed');
    expect(first.counts).toMatchObject({ deleted: 0, removed: 0, created: 0 });
    const last = await trial.run();
    // The three linked contacts, and Eve, which the killed run had created and enrolled.
    expect(last.counts).toMatchObject({ linked: 4, enrolled: 0 });
    expect(enrolled(trial)).toEqual(['ann@firm.io Welcome', 'cy@firm.io Nurture', 'eve@firm.io Welcome']);
    expect(inOrder(trial.contacts().map(({ uuid }) => uuid))).toEqual(contacts);
    expect(trial.grid().filter((row) => row['Contact ID'] !== undefined)).toHaveLength(4);
  });

  test('M1: a decision from before the migration is carried out, and the conflict is over', async () => {
    const trial = await createMigrated('prospects', ofSync);
    const report = await trial.run();
    expect(report.counts).toMatchObject({ linked: 4, conflicts: 0 });
    expect(trial.rowOf('bob@firm.io')['Company']).toBe('Firm of the service');
    expect(trial.contactOf('bob@firm.io').company_name).toBe('Firm of the service');
  });

  test('P3: an outbox repeats no message that was sent or may have been', async () => {
    const columns = { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' };
    const trial = await createMigrated('messages', {
      outbox: { messages: { resource: 'network_messages', columns } },
    });
    const sent = () => [...trial.service.model.inbox.messages.all()].length;
    const before = sent();
    const report = await trial.run({ sync: 'messages' });
    expect(report).toMatchObject({ counts: { linked: 3, sent: 0 } });
    expect(sent()).toBe(before);
  });

  test('F1: a feed finds its rows as they were', async () => {
    const columns = { ID: 'uuid', Name: 'name', Status: 'status', Priority: 'priority' };
    const trial = await createMigrated('flows', { feeds: { flows: { resource: 'automations', columns } } });
    expect(await trial.runFeed('flows')).toMatchObject({
      status: 'succeeded',
      counts: { linked: 2, appended: 0, removed: 0, set: 0 },
    });
  });
});
