import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addDemoData } from '../../../src/standin/service/demo.ts';
import { Snapshot } from '../../../src/standin/service/snapshot.ts';
import { createServiceStandin } from '../../../src/standin/service/standin.ts';
import { startMs } from './support.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'standin-'));
  file = path.join(folder, 'snapshot.json');
});
afterEach(() => rm(folder, { recursive: true }));

/** A stand-in that saves its data to the file. */
function open() {
  let touched = 0;
  const standin = createServiceStandin({
    now: () => startMs,
    seed: 7,
    acceptedTokens: ['trial'],
    onChange: () => {
      touched += 1;
      snapshot.touch();
    },
  });
  const snapshot = new Snapshot(file, standin.model, standin.world);
  const call = (method: string, where: string, body?: object) =>
    standin.fetch(`http://service.test${where}`, {
      method,
      headers: { authorization: 'Bearer trial', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  return { standin, snapshot, call, touched: () => touched };
}

test('a restart restores records, hidden data, jobs, and the sequence of ids', async () => {
  const before = open();
  expect(await before.snapshot.load()).toBe(false);
  addDemoData(before.standin.model, before.standin.world, { contacts: 20 });
  const [contact] = before.standin.model.contacts.all();
  const lead_uuid = contact?.record.uuid ?? '';
  await before.call('PUT', `/flows/api/flows/leads/${lead_uuid}/cancel-all`);
  await before.snapshot.flush();
  const next = before.standin.world.random.uuid();

  const after = open();
  expect(await after.snapshot.load()).toBe(true);
  const [was, is] = [before.standin.model, after.standin.model];
  expect([...is.contacts.all()]).toEqual([...was.contacts.all()]);
  expect([...is.lists.table.all()]).toEqual([...was.lists.table.all()]);
  expect([...is.automations.table.all()]).toEqual([...was.automations.table.all()]);
  expect([...is.automations.enrolments()]).toEqual([...was.automations.enrolments()]);
  expect([...is.senderProfiles.table.all()]).toEqual([...was.senderProfiles.table.all()]);
  expect([...is.inbox.messages.all()]).toEqual([...was.inbox.messages.all()]);
  expect([...is.inbox.emails.all()]).toEqual([...was.inbox.emails.all()]);
  expect(is.inbox.bodyByUuid).toEqual(was.inbox.bodyByUuid);
  expect(is.jobs.pending).toEqual(was.jobs.pending);
  expect(after.standin.world.random.uuid()).toBe(next);
  const found = await after.call('POST', '/leads/api/leads/search', { filter: { uuid: lead_uuid } });
  expect(await found.json()).toMatchObject({ total: 1 });
});

test('it is saved after a write and not after a read', async () => {
  const it = open();
  await it.call('GET', '/leads/api/lists');
  await it.call('POST', '/leads/api/leads/search', {});
  expect(it.touched()).toBe(0);
  await it.call('POST', '/leads/api/lists', { name: 'EMEA' });
  expect(it.touched()).toBe(1);
  await it.snapshot.flush();
  expect(await readFile(file, 'utf8')).toContain('EMEA');
});

test.each([
  { description: 'half a file', content: '{"version": 1, "lists": [' },
  { description: 'another document', content: '{"name": "leadsheet"}' },
  { description: 'another version', content: '{"version": 2}' },
])('$description is an error that names it', async ({ content }) => {
  await writeFile(file, content);
  const loading = open().snapshot.load();
  await expect(loading).rejects.toMatchObject({ code: 'snapshot_damaged', file });
  await expect(loading).rejects.toThrow(file);
});

test('a file that cannot be written is an error at the end', async () => {
  file = path.join(folder, 'nowhere', 'snapshot.json');
  const it = open();
  await it.call('POST', '/leads/api/lists', { name: 'EMEA' });
  await expect(it.snapshot.flush()).rejects.toThrow('ENOENT');
});
