// What the lock file says of its holder, and what becomes of it: each branch of the life of a holder.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LeaseLostError } from '../../src/state/errors.ts';
import { takeEpoch } from '../../src/state/file/epoch.ts';
import { draftForm, type Fence, linkDraft, renameDraft } from '../../src/state/file/fence.ts';
import { createLockFile, type Holder } from '../../src/state/file/lock-file.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';

const lockPath = '/f/lock';

async function createTrial({ looksMax = 3, host = 'here' } = {}) {
  const disk = createMemoryDisk(1);
  await disk.mkdir('/f', { recursive: true, mode: 0o700 });
  const startByPid = new Map<number, string | null>();
  let ids = 0;
  const processes = {
    host,
    pid: 1,
    space: async () => 'space',
    startOf: async (pid: number) => (startByPid.has(pid) ? { start: startByPid.get(pid)! } : ('gone' as const)),
  };
  const randomId = () => {
    ids += 1;
    return `id-${ids}`;
  };
  const file = createLockFile('/f', { disk, processes, randomId, looksMax });
  const own = holder({ token: 'own', pid: 1, start: 'boot/1' });
  const hold = (standing: object) => disk.put(lockPath, Buffer.from(`${JSON.stringify(standing)}\n`));
  const text = (path = lockPath) => disk.files().get(path)?.toString();
  const names = () => [...disk.files().keys()].map((path) => path.slice('/f/'.length)).toSorted();
  return { disk, file, own, hold, text, names, startByPid };
}

function holder(more: Partial<Holder>): Holder {
  return {
    sync: 's',
    host: 'here',
    pid: 2,
    since: '2026-01-31T12:00:00.000Z',
    start: 'boot/2',
    token: 'theirs',
    space: 'space',
    kernel: null,
    beat: 0,
    ...more,
  };
}

/** As a holder writes it. */
const written = ({ beat = 0, ...rest }: Holder) => ({ ...rest, beat: String(beat).padStart(10, '0') });

describe('W7: a lock file that stands', () => {
  test('is read as its holder, whoever wrote it', async () => {
    const { file, hold, own } = await createTrial();
    expect(await file.read()).toBeUndefined();
    expect(await file.tryAcquire(own)).toBe('linked');
    expect(await file.read()).toEqual(own);
    const { sync, host, pid, since, token } = own;
    hold({ sync, host, pid, since, token });
    expect(await file.read()).toEqual({
      sync,
      host,
      pid,
      since,
      token,
      start: null,
      space: null,
      kernel: null,
      beat: undefined,
    });
    hold({ ...written(holder({ kernel: 'k' })), beat: '0000000012' });
    expect(await file.read()).toEqual(holder({ kernel: 'k', beat: 12 }));
    hold({ ...own, beat: 'no number' });
    expect((await file.read())?.beat).toBe(0);
  });

  test.each(['sync', 'host', 'pid', 'since', 'token'])('without %s has no holder, and is replaced', async (name) => {
    const { file, hold, own } = await createTrial();
    hold({ ...own, [name]: null });
    expect(await file.read()).toBeUndefined();
    expect(await file.tryAcquire(own)).toBe('replaced');
    expect(await file.read()).toEqual(own);
  });

  test.each(['', 'garbage', 'null', '[]'])('of the text "%s" has no holder, and is replaced', async (content) => {
    const { disk, file, own, names } = await createTrial();
    disk.put(lockPath, Buffer.from(content));
    expect(await file.read()).toBeUndefined();
    expect(await file.tryAcquire(own)).toBe('replaced');
    expect(names()).toEqual(['lock']);
  });

  test.each<[string, Partial<Holder>, string | null | undefined, string]>([
    ['a running process', {}, 'boot/2', 'living'],
    ['an ended process', {}, undefined, 'replaced'],
    ['a process whose number another has now', {}, 'boot/9', 'replaced'],
    ['a process of another machine, once seen', { host: 'there' }, undefined, 'silent'],
    ['a process of another container, once seen', { space: 'other' }, undefined, 'silent'],
    ['a process that did not say its space, ended', { space: null }, undefined, 'replaced'],
    ['a process that did not say its start, once seen', { start: null }, 'boot/2', 'silent'],
    ['a process whose start the system does not say, once seen', {}, null, 'silent'],
    ['a process of an earlier version that runs', { start: null, beat: undefined }, 'boot/2', 'living'],
    ['a process of an earlier version elsewhere', { host: 'there', beat: undefined }, undefined, 'unproved'],
    [
      'a process elsewhere with the lock of the kernel that we have',
      { host: 'there', kernel: 'k' },
      undefined,
      'replaced',
    ],
    ['a process elsewhere with another lock of the kernel', { host: 'there', kernel: 'other' }, undefined, 'silent'],
  ])('of %s: it is %s', async (_, more, start, expected) => {
    const { file, hold, own, startByPid } = await createTrial();
    const { beat, ...rest } = holder({ beat: 0, ...more });
    hold(beat === undefined ? rest : written(holder(more)));
    if (start !== undefined) startByPid.set(2, start);
    const answer = await file.tryAcquire({ ...own, kernel: 'k' });
    const said = typeof answer === 'string' ? answer : `${answer.life}: ${answer.holder.token}`;
    expect(said).toBe(expected === 'replaced' ? expected : `${expected}: theirs`);
    expect((await file.read())?.token).toBe(expected === 'replaced' ? 'own' : 'theirs');
  });

  test.each<[string, string | undefined]>([
    ['has no process of that number', undefined],
    ['has another process of that number', 'boot/2'],
  ])(
    'H1: of a machine with the name of this one, on a network drive, is left to its holder while it shows signs of life: this machine %s',
    async (_, start) => {
      const { file, hold, own, startByPid } = await createTrial({ looksMax: 3 });
      if (start !== undefined) startByPid.set(2, start);
      for (const beat of [1, 2, 3, 4, 5]) {
        hold(written(holder({ start: 'other boot/2', beat })));
        expect(await file.tryAcquire(own)).toMatchObject({ holder: { token: 'theirs' } });
      }
      // The rest of a machine that was started again shows none.
      for (let time = 0; time < 2; time += 1) await file.tryAcquire(own);
      expect(await file.tryAcquire(own)).toBe('silenced');
    },
  );

  test('of before this machine was started again, on a disk of its own, is replaced at once', async () => {
    const { file, hold, own } = await createTrial();
    hold(written(holder({ start: 'earlier boot/2', kernel: 'earlier boot/7' })));
    expect(await file.tryAcquire({ ...own, kernel: 'boot/7' })).toBe('replaced');
  });

  test('of a system that says no space is of this one', async () => {
    const { file, hold, own } = await createTrial();
    hold(written(holder({})));
    expect(await file.tryAcquire({ ...own, space: null })).toBe('replaced');
  });

  test('without a lock of the kernel two holders without one are not the same', async () => {
    const { file, hold, own } = await createTrial();
    hold(written(holder({ host: 'there' })));
    expect(await file.tryAcquire(own)).toMatchObject({ life: 'silent' });
  });

  test('H1: that shows no sign of life is taken over after so many looks, and each sign begins the count anew', async () => {
    const { file, hold, own } = await createTrial({ looksMax: 3 });
    const lives: string[] = [];
    const look = async (beat: number, token = 'theirs') => {
      hold(written(holder({ host: 'there', beat, token })));
      const answer = await file.tryAcquire(own);
      lives.push(typeof answer === 'string' ? answer : answer.life);
    };
    for (const beat of [1, 1, 1, 2, 2, 2]) await look(beat);
    // Another holder with the same count is another one.
    await look(2, 'others');
    for (let time = 0; time < 3; time += 1) await look(2, 'others');
    expect(lives).toEqual([
      'silent',
      'silent',
      'silent',
      'renewed',
      'silent',
      'silent',
      'silent',
      'silent',
      'silent',
      'silenced',
    ]);
    expect(await file.read()).toEqual(own);
  });

  /** A lock of a process that ended, and so many claims on it, each on the one before, of processes that ended as well. */
  async function createClaimed(count: number) {
    const trial = await createTrial();
    trial.hold(written(holder({})));
    let content = Buffer.from(trial.text()!);
    for (let claim = 1; claim <= count; claim += 1) {
      const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
      content = Buffer.from(JSON.stringify(written(holder({ token: `claim ${claim}` }))));
      trial.disk.put(`/f/lock.${digest}.claim`, content);
    }
    return trial;
  }

  test.each([1, 4])('is taken over past %i claims in a row whose processes ended', async (count) => {
    const { file, own, names } = await createClaimed(count);
    expect(await file.tryAcquire(own)).toBe('replaced');
    expect(await file.read()).toEqual(own);
    expect(names()).toEqual(['lock']);
  });

  test('is left alone where more claims stand in a row than accidents leave', async () => {
    const { file, own, names } = await createClaimed(6);
    const before = names();
    expect(await file.tryAcquire(own)).toMatchObject({ life: 'living' });
    expect((await file.read())?.token).toBe('theirs');
    expect(names()).toEqual(before);
  });

  test('nothing but the lock is left behind, whatever became of it', async () => {
    const { file, hold, own, names, startByPid } = await createTrial();
    expect(await file.tryAcquire(own)).toBe('linked');
    expect(names()).toEqual(['lock']);
    startByPid.set(2, 'boot/2');
    hold(written(holder({})));
    await file.tryAcquire(own);
    expect(names()).toEqual(['lock']);
    startByPid.clear();
    expect(await file.tryAcquire(own)).toBe('replaced');
    expect(names()).toEqual(['lock']);
  });
});

describe('W7: a sign of life', () => {
  test('changes the count alone, and is not given for the lock of another', async () => {
    const { file, own, hold, text } = await createTrial();
    expect(await file.renew(own, 1)).toBe(false);
    await file.tryAcquire(own);
    const before = text()!;
    expect(await file.renew(own, 12)).toBe(true);
    expect(text()).toBe(before.replace('0000000000', '0000000012'));
    hold(written(holder({})));
    const theirs = text();
    expect(await file.renew(own, 13)).toBe(false);
    expect(text()).toBe(theirs);
  });

  test('is durable', async () => {
    const { disk, file, own } = await createTrial();
    await file.tryAcquire(own);
    await (await disk.open('/f', 'r')).sync();
    await file.renew(own, 3);
    disk.restart('power loss');
    expect((await file.read())?.beat).toBe(3);
  });
});

describe('W7: giving a lock back', () => {
  test('removes our own, and never that of another', async () => {
    const { file, own, hold, names } = await createTrial();
    await file.tryAcquire(own);
    await file.remove(own);
    expect(names()).toEqual([]);
    await file.remove(own);
    hold(written(holder({})));
    await file.remove(own);
    expect((await file.read())?.token).toBe('theirs');
  });

  test('one that the disk did not let go is taken over by this process, and only that one', async () => {
    const { disk, file, own, startByPid } = await createTrial();
    startByPid.set(1, 'boot/1');
    await file.tryAcquire(own);
    const next = { ...own, token: 'next' };
    expect(await file.tryAcquire(next)).toMatchObject({ life: 'living' });
    disk.planFault({ operation: disk.operations + 1, effect: { code: 'EIO' } });
    await expect(file.remove(own)).rejects.toThrow('EIO');
    expect(await file.tryAcquire(next)).toBe('replaced');
    expect(await file.tryAcquire({ ...own, token: 'third' })).toMatchObject({
      holder: { token: 'next' },
      life: 'living',
    });
  });

  test('drafts and claims go with it, unless their process may still run', async () => {
    const { disk, file, own, names, startByPid } = await createTrial();
    startByPid.set(2, 'boot/2');
    const put = (name: string, content: object | string) =>
      disk.put(`/f/${name}`, Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)));
    put('lock.a.tmp', written(holder({})));
    put('lock.b.tmp', written(holder({ pid: 3 })));
    put('lock.c.claim', written(holder({ host: 'there' })));
    put('lock.d.claim', written(holder({ pid: 3 })));
    put('lock.e.tmp', 'cut sho');
    put('lock.epoch-7', '');
    put('lock.db', '');
    put('base.log.other.tmp', 'x');
    put('rows.json.tmp', 'x');
    put('base.json', 'x');
    put('notes.tmp', 'x');
    await file.sweep(own);
    expect(names()).toEqual(['base.json', 'lock.a.tmp', 'lock.c.claim', 'lock.db', 'lock.epoch-7', 'notes.tmp']);
  });
});

describe('H1: the count of leases', () => {
  async function createFolder(...names: readonly string[]) {
    const disk = createMemoryDisk(1);
    await disk.mkdir('/f', { recursive: true, mode: 0o700 });
    for (const name of names) disk.put(`/f/${name}`, Buffer.alloc(0));
    return { disk, names: () => [...disk.files().keys()].map((path) => path.slice(3)).toSorted() };
  }

  test('begins with 1, or above the one that is asked for', async () => {
    const { disk, names } = await createFolder();
    expect(await takeEpoch(disk, '/f')).toBe(1);
    expect(names()).toEqual(['lock.epoch-1']);
    expect(await takeEpoch(disk, '/f')).toBe(2);
    expect(await takeEpoch(disk, '/f', 2)).toBe(3);
    expect(await takeEpoch(disk, '/f', 9)).toBe(10);
    expect(await takeEpoch(disk, '/f', 5)).toBe(11);
    expect(names()).toEqual(['lock.epoch-11']);
    expect(await takeEpoch((await createFolder()).disk, '/f', 4)).toBe(5);
  });

  test('goes on after the greatest, as a number, and removes the others', async () => {
    const { disk, names } = await createFolder('lock.epoch-9', 'lock.epoch-10', 'lock.epoch-x', 'xlock.epoch-99');
    expect(await takeEpoch(disk, '/f')).toBe(11);
    expect(names()).toEqual(['lock.epoch-11', 'lock.epoch-x', 'xlock.epoch-99']);
  });

  test('is taken again where another process counted meanwhile, and given up after a hundred times', async () => {
    const { disk } = await createFolder('lock.epoch-1');
    let tries = 0;
    const racing = (till: number): typeof disk => ({
      ...disk,
      async rename(from, to) {
        tries += 1;
        if (tries < till) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
        return disk.rename(from, to);
      },
    });
    expect(await takeEpoch(racing(100), '/f')).toBe(2);
    expect(tries).toBe(100);
    tries = 0;
    await expect(takeEpoch(racing(Infinity), '/f')).rejects.toThrow('could not be counted');
    expect(tries).toBe(100);
  });

  test.each(['EACCES', 'EIO'])('is not taken on a disk that refuses: %s', async (code) => {
    const { disk } = await createFolder();
    disk.planFault({ operation: disk.operations + 1, effect: { code } });
    await expect(takeEpoch(disk, '/f')).rejects.toThrow(code);
  });
});

describe('H1: drafts keep a late holder out', () => {
  const fenceOf = (look: () => Promise<void> = async () => {}): Fence => ({
    isSole: false,
    draftOf: (file) => `${file}.own.tmp`,
    look,
  });
  const lost = async () => {
    throw new LeaseLostError('/f/lock');
  };

  test('a draft gets its name; one that a successor removed says that the lease is lost', async () => {
    const disk = createMemoryDisk(1);
    await disk.mkdir('/f', { recursive: true, mode: 0o700 });
    disk.put('/f/draft', Buffer.from('x'));
    await renameDraft(disk, '/f/draft', '/f/file', fenceOf(lost));
    expect([...disk.files().keys()]).toEqual(['/f/file']);
    await expect(renameDraft(disk, '/f/draft', '/f/file', fenceOf(lost))).rejects.toThrow(LeaseLostError);
    await expect(renameDraft(disk, '/f/draft', '/f/file', fenceOf())).rejects.toThrow('ENOENT');
    disk.planFault({ operation: disk.operations + 1, effect: { code: 'EIO' } });
    await expect(renameDraft(disk, '/f/file', '/f/other', fenceOf(lost))).rejects.toThrow('EIO');
  });

  test('a file is linked under the name of the draft of its target, in place of an earlier try', async () => {
    const disk = createMemoryDisk(1);
    await disk.mkdir('/f', { recursive: true, mode: 0o700 });
    disk.put('/f/a', Buffer.from('new'));
    disk.put('/f/b.own.tmp', Buffer.from('old'));
    expect(await linkDraft(disk, { file: '/f/a', target: '/f/b' }, fenceOf())).toBe('/f/b.own.tmp');
    expect(String(disk.files().get('/f/b.own.tmp'))).toBe('new');
    expect(await linkDraft(disk, { file: '/f/a' }, fenceOf())).toBe('/f/a.own.tmp');
    expect(await linkDraft(disk, { file: '/f/none' }, fenceOf())).toBeUndefined();
    disk.planFault({ operation: disk.operations + 2, effect: { code: 'EMLINK' } });
    await expect(linkDraft(disk, { file: '/f/a' }, fenceOf())).rejects.toThrow('EMLINK');
  });

  test.each<[string, boolean]>([
    ['base.json.own.tmp', true],
    ['base.log.tmp', true],
    ['outbox.log.own.tmp', true],
    ['rows.json.own.tmp', true],
    ['draft.own.tmp', true],
    ['base.json', false],
    ['database.tmp', false],
    ['bases.tmp', false],
    ['lock.own.tmp', false],
    ['base.tmp.json', false],
  ])('%s is the name of a draft: %s', (name, isOne) => {
    expect(draftForm.test(name)).toBe(isOne);
  });
});
