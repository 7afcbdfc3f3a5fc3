import { expect, test } from 'vitest';
import { addDemoData } from '../../../src/standin/service/demo.ts';
import { createServiceStandin } from '../../../src/standin/service/standin.ts';
import { startMs } from './support.ts';

function demo(seed: number) {
  const { model, world } = createServiceStandin({ now: () => startMs, seed });
  addDemoData(model, world);
  return model;
}

test('is the same for the same seed, and differs for another', () => {
  const [first, same, other] = [demo(1), demo(1), demo(2)];
  expect([...first.contacts.all()]).toEqual([...same.contacts.all()]);
  expect([...first.inbox.emails.all()]).toEqual([...same.inbox.emails.all()]);
  expect([...first.contacts.all()]).not.toEqual([...other.contacts.all()]);
});

test('has 600 contacts in 3 lists, 500 of them in the first, an automation in each status, 2 sender profiles, messages and e-mails', () => {
  const { contacts, lists, automations, senderProfiles, inbox } = demo(1);
  expect(contacts.size).toBe(600);
  const sizes = [...lists.table.all()].map(
    ({ uuid }) => [...contacts.all()].filter(({ record }) => record.list_uuid === uuid).length,
  );
  expect(sizes).toEqual([500, 50, 50]);
  expect([...automations.table.all()].map(({ status }) => status)).toEqual(['on', 'off', 'draft', 'archived']);
  expect(senderProfiles.table.size).toBe(2);
  expect(inbox.messages.size).toBe(40);
  expect(inbox.emails.size).toBe(25);
});

test('has invented people, with addresses that have no owner', () => {
  const records = [...demo(1).contacts.all()].map(({ record }) => record);
  const addresses = records
    .flatMap(({ work_email, personal_email }) => [work_email, personal_email])
    .filter((address) => address !== null);
  expect(addresses.every((address) => /^[a-z0-9.-]+@[a-z0-9-]+\.test$/.test(address))).toBe(true);
  expect(new Set(addresses).size).toBe(addresses.length);
  expect(new Set(records.map(({ network }) => network)).size).toBe(600);
  expect(records.some(({ work_email }) => work_email === null)).toBe(true);
});

test('is dated in the past', () => {
  const now = new Date(startMs).toISOString();
  const { contacts, inbox } = demo(3);
  const latest = [
    ...[...contacts.all()].map(({ record }) => record.updated_at),
    ...[...inbox.messages.all()].map(({ updated_at }) => updated_at),
  ].reduce((a, b) => (a > b ? a : b));
  expect(latest < now).toBe(true);
});
