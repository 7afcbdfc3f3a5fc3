// W18: a glance gives what an idle run needs, or nothing if the load has something to mend or to tell.
import { expect, test } from 'vitest';
import type { Batch } from '../../src/state/port.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { commitAll, createMachine, openTrial } from '../support/state.ts';

const batch: Batch = {
  links: {
    put: new Map([
      ['u-1', { agreed: 'one' }],
      ['u-2', { agreed: 'two' }],
    ]),
  },
  ledger: { put: new Map([['u-1 a', { state: 'intended' }]]) },
  facts: { put: new Map([['n', 1]]) },
};

async function createTrial({ isWritten = true } = {}) {
  const disk = createMemoryDisk(1);
  // Each look is of another process, which remembers nothing.
  const open = () => openTrial('/state', { disk, machine: createMachine() }).store;
  if (isWritten) await commitAll(open(), 's', [batch]);
  const damage = (file: RegExp, change: (text: string) => string) => {
    const [path, bytes] = [...disk.files()].find(([each]) => file.test(each))!;
    disk.put(path, Buffer.from(change(bytes.toString('utf8'))));
  };
  const look = async (uuids: readonly string[] = []) => {
    await using lease = await open().sync('s').acquireLease();
    const glanced = await lease.glance(uuids);
    return { glanced, loaded: await lease.load() };
  };
  return { open, damage, look };
}

test('W18: a glance has the facts, the requests and the links of its uuids', async () => {
  const { open, look } = await createTrial();
  await open().sync('s').addRequest({ kind: 'run' });
  const { glanced, loaded } = await look(['u-2']);
  expect(glanced?.facts).toEqual(new Map([['n', 1]]));
  expect(glanced?.links.get('u-2')).toEqual({ agreed: 'two' });
  expect([...glanced!.requests.values()]).toEqual([{ kind: 'run' }]);
  expect(glanced?.notices).toEqual([]);
  expect([...loaded.links.keys()]).toEqual(['u-1', 'u-2']);
});

test('W18: of a job without a state there is none, and the load says so', async () => {
  const { look } = await createTrial({ isWritten: false });
  const { glanced, loaded } = await look();
  expect(glanced).toBeUndefined();
  expect(loaded.notices).toHaveLength(1);
});

test.each<[string, RegExp, (text: string) => string]>([
  ['a request that is damaged', /requests/, (text) => text.slice(0, -5)],
  ['a document that is damaged', /base\.json$/, (text) => text.slice(0, -20)],
  ['a log that is damaged', /base\.log$/, (text) => text.replace('three', 'threE')],
])('W18: of %s there is none, and the load tells it', async (_, file, change) => {
  const { damage, open, look } = await createTrial();
  await open().sync('s').addRequest({ kind: 'run' });
  await commitAll(open(), 's', [{ links: { put: new Map([['u-3', { agreed: 'three' }]]) } }]);
  damage(file, change);
  const { glanced, loaded } = await look();
  expect(glanced).toBeUndefined();
  expect(loaded.notices).not.toEqual([]);
});

test('W18: a glance after a commit has what was committed', async () => {
  const { open } = await createTrial();
  const store = open();
  await using lease = await store.sync('s').acquireLease();
  await lease.load();
  await lease.commit({ facts: { put: new Map([['n', 2]]) } });
  expect((await lease.glance(['u-1']))?.facts.get('n')).toBe(2);
});
