// One list of changes for all jobs of a process: what it says when a list has no end, grows long, or a token is old.
import { expect, test } from 'vitest';
import { createChangeLog } from '../../src/sheets/google/change-log.ts';
import { type ChangesPage, DriveError } from '../../src/sheets/google/drive-client.ts';

/** Each token is the number of changes before it. `listed` has the tokens that were listed from. */
function createDrive(changes: string[], pageSize = Infinity) {
  const listed: string[] = [];
  const page = (token: string): ChangesPage => {
    const from = Number(token);
    const fileIds = changes.slice(from, from + pageSize);
    const isEnd = from + fileIds.length >= changes.length;
    return {
      fileIds,
      nextPageToken: isEnd ? undefined : String(from + fileIds.length),
      newStartPageToken: isEnd ? String(changes.length) : undefined,
    };
  };
  const drive = {
    page,
    startPageToken: async () => String(changes.length),
    async changes(token: string) {
      listed.push(token);
      return drive.page(token);
    },
  };
  return { drive, listed };
}

function open(changes: string[], pageSize?: number) {
  let elapsedMs = 0;
  const { drive, listed } = createDrive(changes, pageSize);
  const log = createChangeLog(drive, () => elapsedMs);
  return { drive, listed, log, pass: (ms: number) => void (elapsedMs += ms) };
}

test('a list serves those who ask within five seconds, and the next one is made after them', async () => {
  const { log, listed, pass } = open([]);
  const { token } = await log.ask('a', undefined);
  pass(4_999);
  await log.ask('a', token);
  expect(listed).toEqual([]);
  pass(1);
  await log.ask('a', token);
  expect(listed).toEqual(['0']);
});

test('the five seconds count from the beginning of the list: what changes during it is told by the next one', async () => {
  const changes: string[] = [];
  const { drive, log, pass } = open(changes);
  const { token } = await log.ask('a', undefined);
  pass(5_000);
  const { page } = drive;
  drive.page = (from) => {
    const answered = page(from);
    pass(5_000);
    changes.push('a');
    drive.page = page;
    return answered;
  };
  expect((await log.ask('a', token)).isChanged).toBe(false);
  expect((await log.ask('a', token)).isChanged).toBe(true);
});

test('a list of 100 pages is followed, and one of more counts as a gap: every job looks once', async () => {
  const changes: string[] = [];
  const { log, listed, pass } = open(changes, 1);
  const { token } = await log.ask('a', undefined);
  changes.push(...Array.from({ length: 99 }, () => 'b'), 'a');
  pass(5_000);
  const followed = await log.ask('a', token);
  expect(followed.isChanged).toBe(true);
  expect(listed).toHaveLength(100);
  changes.push(...Array.from({ length: 101 }, () => 'b'));
  pass(5_000);
  const after = await log.ask('a', followed.token);
  expect(after.isChanged).toBeUndefined();
  expect((await log.ask('a', after.token)).isChanged).toBe(false);
});

test('a page without a token is a failure that passes, and nothing is taken from it', async () => {
  const changes: string[] = [];
  const { drive, log, pass } = open(changes);
  const { token } = await log.ask('a', undefined);
  changes.push('a');
  pass(5_000);
  const { page } = drive;
  drive.page = () => ({ fileIds: ['b'], nextPageToken: undefined, newStartPageToken: undefined });
  await expect(log.ask('a', token)).rejects.toMatchObject({ kind: 'passing' });
  drive.page = page;
  expect((await log.ask('b', token)).isChanged).toBe(false);
  expect((await log.ask('a', token)).isChanged).toBe(true);
});

test('any other failure is told, and the token stays good', async () => {
  const { drive, log, pass } = open([]);
  const { token } = await log.ask('a', undefined);
  pass(5_000);
  const { page } = drive;
  drive.page = () => {
    throw new DriveError('refused', 'no');
  };
  await expect(log.ask('a', token)).rejects.toMatchObject({ kind: 'refused' });
  // Of another process: it is listed for itself.
  await expect(log.ask('a', '00')).rejects.toMatchObject({ kind: 'refused' });
  drive.page = page;
  expect(await log.ask('a', token)).toEqual({ isChanged: false, token });
  expect((await log.ask('a', '00')).isChanged).toBe(false);
});

test('a token of another process is listed from once, however many come with it', async () => {
  const changes = ['a', 'b'];
  const { log, listed, pass } = open(changes);
  const answers = await Promise.all([log.ask('a', '1'), log.ask('b', '1')]);
  expect(answers.map(({ isChanged }) => isChanged)).toEqual([false, true]);
  expect(listed).toEqual(['1']);
  pass(5_000);
  expect((await log.ask('b', '1')).isChanged).toBe(true);
  expect(listed).toEqual(['1', '2']);
});

test('changes of 100,000 files are kept; of more, all are forgotten, and every job looks once', async () => {
  const changes: string[] = [];
  const { log, pass } = open(changes);
  const { token } = await log.ask('a', undefined);
  changes.push(...Array.from({ length: 100_000 }, (_, file) => `file ${file}`));
  pass(5_000);
  expect((await log.ask('a', token)).isChanged).toBe(false);
  const known = await log.ask('file 7', token);
  expect(known.isChanged).toBe(true);
  changes.push('one more');
  pass(5_000);
  expect((await log.ask('file 7', known.token)).isChanged).toBeUndefined();
});

test('of more than 1,000 tokens the oldest is listed from anew, with the same answer', async () => {
  const changes: string[] = [];
  const { log, listed, pass } = open(changes);
  const tokens: string[] = [];
  for (let each = 0; each <= 1_000; each += 1) {
    changes.push(each === 1 ? 'a' : 'b');
    pass(5_000);
    tokens.push((await log.ask('a', undefined)).token);
  }
  expect(new Set(tokens).size).toBe(1_001);
  const before = listed.length;
  expect((await log.ask('a', tokens[1])).isChanged).toBe(false);
  expect(listed).toHaveLength(before);
  expect((await log.ask('a', tokens[0])).isChanged).toBe(true);
  expect(listed).toHaveLength(before + 1);
});

test('tokens of other processes that Google refuses are listed from once each, and stay unknown', async () => {
  const { drive, listed, log } = open([]);
  const { page } = drive;
  drive.page = (token) => {
    if (token === '0') return page(token);
    throw new DriveError('token', 'no');
  };
  for (const token of ['old', 'older', 'old', 'older']) {
    expect(await log.ask('a', token)).toEqual({ token: '0' });
  }
  expect(listed).toEqual(['old', 'older']);
});

test('W16: changes listed with the very token that was asked with are told to whoever has it, also the next time', async () => {
  const changes: string[] = [];
  const { drive, log, pass } = open(changes);
  const { token } = await log.ask('a', undefined);
  drive.page = (from) => ({ fileIds: ['a'], nextPageToken: undefined, newStartPageToken: from });
  for (let look = 1; look <= 2; look += 1) {
    pass(5_000);
    expect(await log.ask('a', token)).toEqual({ isChanged: true, token });
    expect(await log.ask('b', token)).toEqual({ isChanged: false, token });
  }
});
