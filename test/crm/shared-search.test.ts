// Several scans of changes share one search, and each sees what it would have seen alone (W17).
import { expect, test, vi } from 'vitest';
import { scanContacts } from '../../src/crm/outreach/scan/scan.ts';
import type { ContactScanOptions } from '../../src/crm/outreach/scan/scan.ts';
import { createSharedSearches } from '../../src/crm/outreach/scan/shared-search.ts';
import { createService, seedContacts } from '../support/service.ts';

type Service = ReturnType<typeof createService>;

async function scan(service: Service, options: Partial<ContactScanOptions<string>>) {
  const scanning = scanContacts({ ...service, scope: {}, keep: ({ uuid }) => uuid, ...options });
  const uuids: string[] = [];
  for await (const page of scanning) uuids.push(...page);
  return { uuids: uuids.toSorted(), report: scanning.report() };
}

/** So long before now, as a scan puts it: it begins ten minutes earlier. */
const ago = (ms: number) => new Date(Date.now() - ms + 600_000).toISOString();
const hourMs = 3_600_000;

/** Ten contacts, one edited each hour, the last one just now. */
function edited(count = 10) {
  const service = createService();
  const { list_uuid, uuids } = seedContacts(service, count);
  for (const uuid of uuids) {
    vi.setSystemTime(Date.now() + hourMs);
    service.standin.model.contacts.change(uuid, { fields: { first_name: 'Edited' } });
  }
  const shared = createSharedSearches();
  const scans = (froms: readonly number[]) =>
    Promise.all(froms.map((ms) => scan(service, { scope: { list_uuid }, since: ago(ms), shared })));
  return { service, list_uuid, uuids, shared, scans };
}

test('W17: scans that ask while none is under way cost one search, and each gets the changes since its own instant', async () => {
  const { service, scans, uuids } = edited();
  const froms = [0.5, 2.5, 4.5, 8.5, 0.5].map((hours) => hours * hourMs);
  const before = service.calls('contacts.search').length;
  const results = await scans(froms);
  expect(service.calls('contacts.search').length - before).toBe(1);
  const wanted = froms.map((ms) => uuids.slice(uuids.length - Math.ceil(ms / hourMs)).toSorted());
  expect(results.map(({ uuids: read }) => read)).toEqual(wanted);
  for (const { report } of results) expect(report).toMatchObject({ mode: 'incremental', whole: true, reasons: [] });
});

test('W17: an idle tick of fifty syncs over one list is one search', async () => {
  const { service, scans } = edited(3);
  vi.setSystemTime(Date.now() + 24 * hourMs);
  const before = service.calls('contacts.search').length;
  const results = await scans(Array.from({ length: 50 }, (_, index) => 660_000 + index));
  expect(service.calls('contacts.search').length - before).toBe(1);
  expect(results.flatMap(({ uuids }) => uuids)).toEqual([]);
});

test('W17: a scan that asks while a search is under way gets a search of its own, which sees an edit made meanwhile', async () => {
  const { service, list_uuid, uuids, shared } = edited();
  const options = { scope: { list_uuid }, since: ago(hourMs / 2), shared };
  const first = scan(service, options);
  const later = new Promise((resolve) => setImmediate(resolve)).then(() => {
    service.standin.model.contacts.change(uuids[0]!, { fields: { first_name: 'Meanwhile' } });
    return scan(service, options);
  });
  await first;
  expect((await later).uuids).toContain(uuids[0]);
});

test('W17: a search that was begun before a scan asked is not its answer', async () => {
  const shared = createSharedSearches();
  const asked: PromiseWithResolvers<string>[] = [];
  const page = (uuid: string) => {
    const rows = [{ uuid, updated_at: ago(0) }];
    return { contacts: rows, read: rows, rows: 1, unreadable: 0, total: 1, isLast: true };
  };
  const ask = async () => {
    const answer = Promise.withResolvers<string>();
    asked.push(answer);
    return page(await answer.promise);
  };
  const wanted = { scope: 'list', from: ago(hourMs) };
  const first = shared.firstPage(wanted, ask, Date.now);
  await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 100_000 });
  const others = [1, 2, 3].map(() => shared.firstPage(wanted, ask, Date.now));
  asked[0]!.resolve('before');
  expect((await first)?.page.contacts[0]?.uuid).toBe('before');
  await vi.waitFor(() => expect(asked).toHaveLength(2), { timeout: 100_000 });
  asked[1]!.resolve('after');
  expect((await Promise.all(others)).map((each) => each?.page.contacts[0]?.uuid)).toEqual(['after', 'after', 'after']);
  expect(asked).toHaveLength(2);
});

test('W17: the watermark is not later than the answer', async () => {
  const { scans } = edited();
  const [one, two] = await scans([hourMs, 2 * hourMs]);
  expect(one!.report.cursor).toBe(two!.report.cursor);
  expect(Date.parse(one!.report.cursor)).toBeLessThanOrEqual(Date.now());
});

test('W17: more changes than one page has are read by each scan itself', async () => {
  const { scans, uuids } = edited(130);
  const [all, few] = await scans([200 * hourMs, 2.5 * hourMs]);
  expect(all!.uuids).toEqual(uuids.toSorted());
  expect(few!.uuids).toEqual(uuids.slice(-3).toSorted());
});

test('W17: scans of other contacts share nothing', async () => {
  const { service, shared, list_uuid, uuids } = edited(3);
  const other = seedContacts(service, 2, { list: 'Others' });
  const since = ago(hourMs / 2);
  const [here, there] = await Promise.all(
    [list_uuid, other.list_uuid].map((list) => scan(service, { scope: { list_uuid: list }, since, shared })),
  );
  expect(here!.uuids).toEqual([uuids.at(-1)]);
  expect(there!.uuids).toEqual(other.uuids.toSorted());
});

test('W17, W8: a scan that is stopped leaves, and the others get their answer', async () => {
  const { service, list_uuid, uuids, shared } = edited();
  const stop = new AbortController();
  const options = { scope: { list_uuid }, since: ago(hourMs / 2), shared };
  const stopped = scan(service, { ...options, signal: stop.signal });
  const other = scan(service, options);
  stop.abort(new Error('stopped by SIGTERM'));
  await expect(stopped).rejects.toThrow('stopped by SIGTERM');
  expect((await other).uuids).toEqual([uuids.at(-1)]);
});

/**
 * Searches of one scope, whose answers the test gives. `join` has one more scan ask; the returned function has it leave.
 * `asked` are the searches that were sent.
 */
function joining() {
  const shared = createSharedSearches();
  const asked: { readonly signal: AbortSignal; readonly answer: (uuid: string) => void }[] = [];
  async function ask(_from: string, signal: AbortSignal) {
    signal.throwIfAborted();
    const answer = Promise.withResolvers<string>();
    signal.addEventListener('abort', () => answer.reject(signal.reason));
    asked.push({ signal, answer: answer.resolve });
    const row = { uuid: await answer.promise, updated_at: ago(0) };
    return { contacts: [row], read: [row], rows: 1, unreadable: 0, total: 1, isLast: true };
  }
  function join(who: string) {
    const stop = new AbortController();
    const wanted = { scope: 'list', from: ago(hourMs), signal: stop.signal };
    const end = shared.firstPage(wanted, ask, Date.now).then(
      (answer) => answer?.page.contacts[0]?.uuid,
      (error: Error) => error.message,
    );
    return { end, leave: () => stop.abort(new Error(`${who} lost its lease`)) };
  }
  const isAsked = (count: number) => vi.waitFor(() => expect(asked).toHaveLength(count), { timeout: 100_000 });
  return { asked, join, isAsked };
}

test('W17: a scan that asks after another one left the search that waits gets an answer, and no search is sent for the one that left', async () => {
  const { asked, join, isAsked } = joining();
  const a = join('A');
  await isAsked(1);
  const b = join('B');
  b.leave();
  expect(await b.end).toBe('B lost its lease');
  const [c, d] = [join('C'), join('D')];
  asked[0]!.answer('first');
  expect(await a.end).toBe('first');
  await isAsked(2);
  asked[1]!.answer('second');
  expect(await Promise.all([c.end, d.end])).toEqual(['second', 'second']);
  expect(asked).toHaveLength(2);
});

test('W17: a scan that joins after two others left together gets an answer, and so does one that asks once its search is under way', async () => {
  const { asked, join, isAsked } = joining();
  const a = join('A');
  await isAsked(1);
  const gone = [join('B'), join('C')];
  for (const { leave } of gone) leave();
  expect(await Promise.all(gone.map(({ end }) => end))).toEqual(['B lost its lease', 'C lost its lease']);
  const d = join('D');
  asked[0]!.answer('first');
  await isAsked(2);
  const e = join('E');
  asked[1]!.answer('second');
  await isAsked(3);
  asked[2]!.answer('third');
  expect(await Promise.all([a.end, d.end, e.end])).toEqual(['first', 'second', 'third']);
});

test('W17: the scan that started a search leaves before it is sent, and the one that joined gets its answer', async () => {
  const { asked, join, isAsked } = joining();
  const [a, b] = [join('A'), join('B')];
  a.leave();
  await isAsked(1);
  asked[0]!.answer('first');
  expect(await Promise.all([a.end, b.end])).toEqual(['A lost its lease', 'first']);
});

test('W17, W8: the last scan leaves a search under way, which is aborted, and one that asks then gets the next', async () => {
  const { asked, join, isAsked } = joining();
  const [a, b] = [join('A'), join('B')];
  await isAsked(1);
  const c = join('C');
  a.leave();
  expect(asked[0]!.signal.aborted).toBe(false);
  b.leave();
  expect(asked[0]!.signal.aborted).toBe(true);
  const d = join('D');
  await isAsked(2);
  asked[1]!.answer('second');
  const ends = await Promise.all([a, b, c, d].map(({ end }) => end));
  expect(ends).toEqual(['A lost its lease', 'B lost its lease', 'second', 'second']);
});
