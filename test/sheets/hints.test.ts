// Hints of Drive: what they say of edits, and what they say when Drive fails (W14, W16).
import { describe, expect, test } from 'vitest';
import { createChangeLog } from '../../src/sheets/google/change-log.ts';
import { createTrial, spreadsheetId, type TrialOptions } from '../support/sheets.ts';

const modes = ['version', 'changes'] as const;
const account = { email: 'robot@demo.iam.gserviceaccount.com', clientId: 'client', clientSecret: 'secret' };
const driveScope = 'https://www.googleapis.com/auth/drive.metadata.readonly';
const sheetsScope = 'https://www.googleapis.com/auth/spreadsheets';

function open(mode: (typeof modes)[number], options: TrialOptions = {}) {
  let elapsedMs = 0;
  const time = { elapsed: () => elapsedMs, sleep: async () => {}, random: () => 0 };
  const user = { ...account, refreshToken: 'refresh', scopes: [sheetsScope, driveScope] };
  const trial = createTrial({
    values: [['a']],
    ...options,
    standin: { credentials: { authorizedUsers: [user] }, ...options.standin },
    client: { hints: mode, time, ...options.client },
  });
  const hints = trial.sheets.hints!;
  const driveCalls = () =>
    trial.standin.log.entries.flatMap(({ operation }) => (/^(?:files|changes)\./.test(operation) ? [operation] : []));
  /** After whatever is shared is fresh no more. */
  const ask = (since: string | undefined, file = spreadsheetId) => {
    elapsedMs += 6_000;
    return hints.ask(file, since);
  };
  return { ...trial, hints, ask, driveCalls, pass: (ms: number) => void (elapsedMs += ms) };
}

describe.each(modes)('hints by %s', (mode) => {
  test('the first answer is a mark; then nothing moved, until somebody edits', async () => {
    const { ask, person } = open(mode);
    const { kind, mark } = await ask(undefined);
    expect(kind).toBe('unknown');
    expect((await ask(mark)).kind).toBe('unmoved');
    expect((await ask(mark)).kind).toBe('unmoved');
    person.type('Prospects!A1', 'b');
    expect((await ask(mark)).kind).toBe('moved');
    // The mark of a look stays: asking does not use the hint up.
    const later = await ask(mark);
    expect(later.kind).toBe('moved');
    expect((await ask(later.mark)).kind).toBe('unmoved');
  });

  test('W16: an edit between the mark and the look is one since the mark', async () => {
    const trial = open(mode);
    const { ask, person } = trial;
    const { mark } = await ask(undefined);
    person.type('Prospects!A2', 'b');
    await trial.openTable().read();
    expect((await ask(mark)).kind).toBe('moved');
  });

  test('W14: a late edit is told late, and one that Drive does not show is not told', async () => {
    const { ask, person, standin } = open(mode);
    const { mark } = await ask(undefined);
    standin.model.drive.isDeaf = true;
    person.type('Prospects!A1', 'b');
    expect((await ask(mark)).kind).toBe('unmoved');
    standin.model.drive.isDeaf = false;
    standin.model.drive.touch(spreadsheetId);
    expect((await ask(mark)).kind).toBe('moved');
  });

  test('an edit of another spreadsheet is none of this one', async () => {
    const { ask, standin } = open(mode);
    const other = standin.model.create({ writers: [account.email] });
    const [here, there] = [await ask(undefined), await ask(undefined, other.id)];
    standin.person(other.id).type('Sheet1!A1', 'x');
    expect((await ask(here.mark)).kind).toBe('unmoved');
    expect((await ask(there.mark, other.id)).kind).toBe('moved');
  });

  test('a mark means the same to another process', async () => {
    const { ask, person, standin } = open(mode);
    const other = open(mode, { client: { fetch: (url, init) => standin.fetch(url, init) } });
    const { mark } = await ask(undefined);
    await other.ask(undefined);
    expect((await other.ask(mark)).kind).toBe('unmoved');
    person.type('Prospects!A1', 'b');
    expect((await other.ask(mark)).kind).toBe('moved');
  });

  test.each(['lost', 'status', 'html', 'empty', 'bare', 'cut'] as const)(
    'an answer that is %s says nothing, and the next one does',
    async (type) => {
      const { ask, standin } = open(mode);
      const { mark } = await ask(undefined);
      const effect = type === 'status' || type === 'html' ? { type, status: 503 } : { type };
      const operation = mode === 'version' ? 'files.get' : 'changes.list';
      standin.faults.add({ effect, match: { operation } });
      expect(await ask(mark)).toEqual({ kind: 'unknown' });
      expect((await ask(mark)).kind).toBe('unmoved');
    },
  );

  test('W14: refused for its scope, it says nothing, asks again after a quarter of an hour, and Sheets is read as ever', async () => {
    const user = { ...account, refreshToken: 'refresh', scopes: [sheetsScope] };
    const trial = open(mode, {
      standin: { credentials: { authorizedUsers: [user] } },
    });
    const { ask, hints, pass, driveCalls } = trial;
    expect(await ask(undefined)).toEqual({ kind: 'unknown' });
    const calls = driveCalls().length;
    expect(await ask(undefined)).toEqual({ kind: 'unknown' });
    expect(driveCalls().length).toBe(calls);
    pass(15 * 60_000);
    await ask(undefined);
    expect(driveCalls().length).toBe(calls + 1);
    expect((await trial.openTable().read()).title).toBe('Prospects');
    expect(await hints.whyNot(spreadsheetId)).toBe(
      `the credentials lack the scope ${driveScope}: authorise again with it`,
    );
  });

  test('with the scope it is told so, and a spreadsheet that Drive does not show is named', async () => {
    const { hints } = open(mode);
    expect(await hints.whyNot(spreadsheetId)).toBeUndefined();
    expect(await hints.whyNot('1AbCdEfGhIjKlMnOpQrStUvWxYz-not_shared')).toContain('does not show this spreadsheet');
  });

  test('an aborted wait says nothing', async () => {
    const { hints, standin } = open(mode);
    standin.faults.add({ effect: { type: 'hang' }, times: 9 });
    const stop = new AbortController();
    const answer = hints.ask(spreadsheetId, undefined, { signal: stop.signal });
    stop.abort();
    expect(await answer).toEqual({ kind: 'unknown' });
  });
});

test('one list of changes serves all jobs that ask within some seconds', async () => {
  const { hints, driveCalls, standin } = open('changes');
  const files = Array.from({ length: 50 }, () => standin.model.create({ writers: [account.email] }).id);
  const marks = await Promise.all(files.map((file) => hints.ask(file, undefined)));
  const answers = await Promise.all(files.map((file, index) => hints.ask(file, marks[index]!.mark)));
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['unmoved']));
  expect(driveCalls()).toEqual(['changes.getStartPageToken']);
});

test('W14: after a page token that Google refuses all jobs look once, and then hints go on', async () => {
  const { ask, standin, person, driveCalls } = open('changes');
  const { mark } = await ask(undefined);
  standin.model.drive.expireTokens();
  const after = await ask(mark);
  expect(after.kind).toBe('unknown');
  expect((await ask(mark)).kind).toBe('unknown');
  expect((await ask(after.mark)).kind).toBe('unmoved');
  person.type('Prospects!A1', 'b');
  expect((await ask(after.mark)).kind).toBe('moved');
  // The refused list is asked for once, though two questions have its token.
  expect(driveCalls()).toEqual([
    'changes.getStartPageToken',
    'changes.list',
    'changes.getStartPageToken',
    'changes.list',
    'changes.list',
    'changes.list',
  ]);
});

describe('a change is told to each job, whoever listened first', () => {
  /** A list of changes as plain data: each token is the number of changes before it. */
  function drive(changes: string[], pageSize = 2) {
    return {
      startPageToken: async () => String(changes.length),
      async changes(token: string) {
        const from = Number(token);
        const page = changes.slice(from, from + pageSize);
        const isEnd = from + page.length >= changes.length;
        return {
          fileIds: page,
          nextPageToken: isEnd ? undefined : String(from + page.length),
          newStartPageToken: isEnd ? String(changes.length) : undefined,
        };
      },
    };
  }

  test.each([1, 2, 3, 4, 5])('over random jobs, edits and processes (%s)', async (seed) => {
    let state = seed * 7_919;
    const random = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % below;
    const changes: string[] = [];
    let elapsedMs = 0;
    const logs = [0, 1].map(() => createChangeLog(drive(changes), () => elapsedMs));
    const jobs = ['a', 'b', 'c', 'd'].map((file) => ({ file, mark: undefined as string | undefined, lookedAt: 0 }));
    const missed: number[] = [];
    for (let step = 0; step < 400; step += 1) {
      elapsedMs += 6_000;
      if (random(3) === 0) changes.push('abcdxyz'[random(7)]!);
      const job = jobs[random(jobs.length)]!;
      const { isChanged, token } = await logs[random(logs.length)]!.ask(job.file, job.mark);
      const isReallyChanged = changes.slice(job.lookedAt).includes(job.file);
      if (isReallyChanged && job.mark !== undefined && isChanged !== true) missed.push(step);
      if (isChanged === false) continue;
      [job.mark, job.lookedAt] = [token, changes.length];
    }
    expect(missed).toEqual([]);
  });
});

test.each(modes)('by %s: an address that names no spreadsheet is an error, not a reason of Drive', async (mode) => {
  const { hints } = open(mode);
  await expect(hints.whyNot('Prospects')).rejects.toMatchObject({ code: 'bad-spreadsheet-reference' });
  await expect(hints.ask('Prospects', undefined)).rejects.toMatchObject({ code: 'bad-spreadsheet-reference' });
  expect(await hints.whyNot(spreadsheetId)).toBeUndefined();
});
