import { describe, expect, test } from 'vitest';
import { conflictsPage } from '../../src/operator/answers/conflicts.ts';
import { logPage } from '../../src/operator/answers/history.ts';
import { problemsPage } from '../../src/operator/answers/problems.ts';
import { runPage, runsPage, runStrips } from '../../src/operator/answers/runs.ts';
import { readConflicts, readConflictsPage } from '../../src/operator/conflicts.ts';
import { readLogPage } from '../../src/operator/history.ts';
import { readProblemsPage } from '../../src/operator/problems.ts';
import { readRunPage, readRuns, readRunStrips } from '../../src/operator/runs.ts';
import { createConflicts, createLinkedTrial, operatorError } from './support.ts';

/* Lists of the console, page by page: each item is on one page, also where several have one instant. */

/** All pages of a list, two items a page. */
async function pagesOf<Item>(
  read: (after: string | undefined) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>,
): Promise<readonly (readonly Item[])[]> {
  const pages: (readonly Item[])[] = [];
  for (let after: string | undefined, isOver = false; !isOver;) {
    const { items, next } = await read(after);
    pages.push(items);
    after = next ?? undefined;
    isOver = next === null;
  }
  return pages;
}

const names = ['Ann', 'Bob', 'Cy', 'Dan', 'Eve'];

describe('pages of runs', () => {
  async function createRuns() {
    const trial = await createLinkedTrial(['Ann']);
    for (const company of ['B', 'C', 'D', 'E']) {
      trial.type('ann@firm.io', 'Company', company);
      await trial.run();
    }
    return trial;
  }

  test('forwards and backwards, each run is on one page, and cursors end where the list does', async () => {
    const { operator } = await createRuns();
    const all = runsPage.parse(await readRuns(operator, { names: [], limit: 100 }));
    expect(all).toMatchObject({ next: null, previous: null });
    expect(all.runs).toHaveLength(5);
    const pages = await pagesOf(async (after) => {
      const { runs, next } = await readRuns(operator, { names: [], limit: 2, after });
      return { items: runs, next };
    });
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(all.runs);
    const first = await readRuns(operator, { names: [], limit: 2 });
    const second = await readRuns(operator, { names: [], limit: 2, after: first.next! });
    const back = await readRuns(operator, { names: [], limit: 2, before: second.previous! });
    expect(back).toEqual({ ...first, next: first.next, previous: null });
  });

  test('a run that is stored meanwhile does not move the pages after it', async () => {
    const { operator, ...trial } = await createRuns();
    const first = await readRuns(operator, { names: [], limit: 2 });
    const before = await readRuns(operator, { names: [], limit: 2, after: first.next! });
    trial.type('ann@firm.io', 'Company', 'F');
    await trial.run();
    expect(await readRuns(operator, { names: [], limit: 2, after: first.next! })).toEqual(before);
  });

  test('by status, and in brief for a strip', async () => {
    const { operator } = await createRuns();
    const { runs } = await readRuns(operator, { names: [], limit: 100 });
    expect((await readRuns(operator, { names: [], limit: 100, status: 'succeeded' })).runs).toEqual(runs);
    expect(await readRuns(operator, { names: [], limit: 100, status: 'failed' })).toEqual({
      runs: [],
      next: null,
      previous: null,
    });
    const { strips } = runStrips.parse(await readRunStrips(operator, { names: [], limit: 3 }));
    const brief = runs.slice(0, 3).map(({ run, status, ended_at }) => ({ run, status, ended_at }));
    expect(strips).toEqual([{ name: 'prospects', runs: brief }]);
  });

  test('a run with its changes, page by page, oldest first', async () => {
    const { operator, ...trial } = await createLinkedTrial(names, { sync: { limits: { changes: '100%' } } });
    for (const name of names) trial.type(`${name.toLowerCase()}@firm.io`, 'Company', 'New firm');
    const { run } = await trial.run();
    const pages = await pagesOf(async (after) => {
      const { changes, next } = runPage.parse(await readRunPage(operator, run, { limit: 2, after }));
      return { items: changes, next };
    });
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(new Set(pages.flat().map(({ contact }) => contact)).size).toBe(5);
  });
});

describe('pages of the log', () => {
  test('newest first, with every filter of the log', async () => {
    const { operator, ...trial } = await createLinkedTrial(names, { sync: { limits: { changes: '100%' } } });
    for (const name of names) trial.type(`${name.toLowerCase()}@firm.io`, 'Company', 'New firm');
    const { run } = await trial.run();
    const read = (filter: Parameters<typeof readLogPage>[1]) =>
      pagesOf(async (after) => {
        const { lines, next } = logPage.parse(await readLogPage(operator, filter, { limit: 2, after }));
        return { items: lines, next };
      });
    const all = (await read({})).flat();
    expect(all.map(({ time }) => time)).toEqual(
      all
        .map(({ time }) => time)
        .toSorted()
        .toReversed(),
    );
    const ofRun = all.filter((line) => line.run === run);
    expect(ofRun).toHaveLength(5);
    expect((await read({ run })).map(({ length }) => length)).toEqual([2, 2, 1]);
    expect((await read({ field: 'Company', outcome: 'done', run })).flat()).toEqual(ofRun);
    expect((await read({ contact: 'bob@firm.io', run })).flat()).toEqual(
      ofRun.filter(({ contact }) => contact === trial.uuidOf('Bob')),
    );
    expect(await read({ outcome: 'failed' })).toEqual([[]]);
    expect(await read({ until: '2020-01-01' })).toEqual([[]]);
    await expect(read({ run: 'none' })).rejects.toMatchObject(operatorError('unknown', /there is no run none/));
  });
});

describe('pages of what is open', () => {
  test('conflicts: in one order, with the number of all', async () => {
    const { operator } = await createConflicts(names);
    const pages = await pagesOf(async (after) => {
      const answer = conflictsPage.parse(await readConflictsPage(operator, {}, { limit: 2, after }));
      expect(answer.total).toBe(5);
      return { items: answer.conflicts, next: answer.next };
    });
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    const ids = (await readConflicts(operator, {})).map(({ id }) => id);
    expect(new Set(pages.flat().map(({ id }) => id))).toEqual(new Set(ids));
  });

  test('problems: by kind, with the kinds there are', async () => {
    const { operator } = await createConflicts(names);
    const pages = await pagesOf(async (after) => {
      const answer = problemsPage.parse(
        await readProblemsPage(operator, { kind: 'conflict', needsSomebody: true }, { limit: 2, after }),
      );
      expect(answer).toMatchObject({ total: 5, kinds: [{ kind: 'conflict', count: 5 }] });
      return { items: answer.problems, next: answer.next };
    });
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(new Set(pages.flat().map(({ contact }) => contact)).size).toBe(5);
    expect(pages[0]![0]).toMatchObject({ job: 'prospects', job_kind: 'sync', needs_somebody: true });
    expect(await readProblemsPage(operator, { kind: 'held' }, { limit: 2 })).toMatchObject({ problems: [], total: 0 });
  });
});

describe('a cursor that is none is refused in words', () => {
  test.each(['', 'x', 'AAAA', '%00', 'e'.repeat(50)])('%j', async (after) => {
    const { operator } = await createLinkedTrial(['Ann']);
    const refused = operatorError('invalid', /^the cursor is not one of this list/);
    const page = { limit: 2, after };
    await expect(readRuns(operator, { names: [], ...page })).rejects.toMatchObject(refused);
    await expect(readRuns(operator, { names: [], limit: 2, before: after })).rejects.toMatchObject(refused);
    await expect(readLogPage(operator, {}, page)).rejects.toMatchObject(refused);
    await expect(readConflictsPage(operator, {}, page)).rejects.toMatchObject(refused);
    await expect(readProblemsPage(operator, {}, page)).rejects.toMatchObject(refused);
  });

  test('one of another list, one that was cut off, and two at once', async () => {
    const { operator } = await createConflicts(names);
    const { next } = await readConflictsPage(operator, {}, { limit: 2 });
    const refused = operatorError('invalid', /^the cursor is not one of this list/);
    await expect(readProblemsPage(operator, {}, { limit: 2, after: next! })).rejects.toMatchObject(refused);
    await expect(readConflictsPage(operator, {}, { limit: 2, after: next!.slice(0, -3) })).rejects.toMatchObject(
      refused,
    );
    await expect(readRuns(operator, { names: [], limit: 1, after: next!, before: next! })).rejects.toMatchObject({
      code: 'invalid',
    });
  });
});
