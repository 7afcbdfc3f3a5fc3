// The fence (H4): what arrives of a holder that was taken over changes nothing in the sheet, as far as Google refuses it.
import { expect, test } from 'vitest';
import { AbortedError } from '../../src/sheets/errors.ts';
import type { CallSettings, Table } from '../../src/sheets/port.ts';
import { createTrial, header, openAnchored, rowOf, temporaryMarks, type Trial } from '../support/sheets.ts';

const rows = [header, ...['a', 'b', 'c'].map((id, index) => [id, `Name ${id}`, '', `${id}@firm.io`, index])];

/** Two workers on one tab: a table each, as two processes have them. */
async function createFenceTrial(options: Parameters<typeof createTrial>[0] = {}) {
  const trial = createTrial({ values: rows, ...options });
  await openAnchored(trial);
  const told: number[] = [];
  const under = (epoch: number): CallSettings => ({ fence: { epoch, overtaken: (by) => void told.push(by) } });
  return { trial, told, under, stale: trial.openTable(), heir: trial.openTable() };
}

const setName = async (table: Table, id: string, name: string, settings: CallSettings) => {
  const snapshot = await table.read();
  return table.update(snapshot, [{ row: rowOf(snapshot, id), set: { first_name: name } }], settings);
};

const names = ({ person }: Trial) => person.read("'Prospects'!B2:B9").map(([name]) => name);

test('H4: a holder writes under its fence, and so do those after it', async () => {
  const { trial, told, under, stale, heir } = await createFenceTrial();
  expect(await setName(stale, 'a', 'One', under(1))).toMatchObject([{ kind: 'written' }]);
  expect(await setName(heir, 'a', 'Two', under(2))).toMatchObject([{ kind: 'written' }]);
  expect(await setName(stale, 'b', 'Three', under(7))).toMatchObject([{ kind: 'written' }]);
  const snapshot = await heir.read();
  const added = await heir.append(snapshot, [{ id: 'd', set: { first_name: 'New' } }], under(9));
  expect(added).toMatchObject([{ kind: 'appended' }]);
  const seen = await heir.read();
  expect(await heir.remove(seen, [rowOf(seen, 'c')], under(9))).toMatchObject([{ kind: 'removed' }]);
  await heir.clearMarks(under(9));
  expect(names(trial)).toEqual(['Two', 'Three', 'New']);
  expect(told).toEqual([]);
  expect(await heir.tidy(under(9))).toBe(0);
});

test.each(['update', 'append', 'remove', 'ensure'] as const)(
  'H4: after its heir wrote, a stale holder’s %s changes nothing, and it is told',
  async (what) => {
    const { trial, told, under, stale, heir } = await createFenceTrial();
    await setName(stale, 'a', 'One', under(1));
    const snapshot = await stale.read();
    await setName(heir, 'b', 'Heir', under(2));
    const before = trial.person.read("'Prospects'!A1:H9");
    const settings = under(1);
    const [outcome] =
      what === 'update'
        ? await stale.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'Late' } }], settings)
        : what === 'append'
          ? await stale.append(snapshot, [{ id: 'z', set: { first_name: 'Late' } }], settings)
          : what === 'remove'
            ? await stale.remove(snapshot, [rowOf(snapshot, 'c')], settings)
            : await stale.ensure({ ...snapshot, unanchored: ['email'] }, [], settings).then(
                () => [],
                (error: unknown) => [{ kind: 'failed', error }],
              );
    expect(outcome).toMatchObject({ kind: 'failed', error: expect.any(AbortedError) });
    expect(told).toEqual([2]);
    expect(trial.person.read("'Prospects'!A1:H9")).toEqual(before);
  },
);

test.each([false, true])(
  'H4: a write through pins that is on its way while the heir begins finds no pins (refused: %s)',
  async (unmatchedFilterRefuses) => {
    const { trial, told, under, stale, heir } = await createFenceTrial({
      standin: { behaviour: { unmatchedFilterRefuses } },
    });
    let isHeirDone = false;
    trial.onRequest = (path) => {
      if (isHeirDone || !path.includes('values:batchUpdateByDataFilter')) return;
      isHeirDone = true;
      trial.reroute = async (url, init) => {
        trial.reroute = trial.standin.fetch;
        // The request of the stale holder is held up; meanwhile its heir reads, plans and writes.
        expect(await setName(heir, 'a', 'Heir', under(2))).toMatchObject([{ kind: 'written' }]);
        return trial.standin.fetch(url, init);
      };
    };
    const [outcome] = await setName(stale, 'a', 'Late', under(1));
    expect(isHeirDone).toBe(true);
    expect(outcome?.kind).not.toBe('written');
    expect(names(trial)[0]).toBe('Heir');
    expect(told.every((by) => by === 2)).toBe(true);
  },
);

test('H4: of two that take the fence in one moment, each between any two requests of the other, the later one wins', async () => {
  for (let at = 1; at <= 9; at += 1) {
    const { trial, under, stale, heir } = await createFenceTrial();
    let requests = 0;
    trial.onRequest = () => {
      if ((requests += 1) !== at) return;
      const { reroute } = trial;
      trial.reroute = async (url, init) => {
        trial.reroute = reroute;
        expect(await setName(heir, 'b', 'Heir', under(2))).toMatchObject([{ kind: 'written' }]);
        const before = JSON.stringify(names(trial));
        const answer = await trial.standin.fetch(url, init);
        expect(JSON.stringify(names(trial))).toBe(before);
        return answer;
      };
    };
    const [outcome] = await setName(stale, 'a', 'Stale', under(1));
    const isWritten = outcome?.kind === 'written';
    expect(names(trial)).toEqual([isWritten ? 'Stale' : 'Name a', at <= requests ? 'Heir' : 'Name b', 'Name c']);
    // Whoever was first: nothing of the stale one comes after the heir.
    await setName(heir, 'c', 'Last', under(2));
    expect(await setName(stale, 'c', 'Late', under(1))).toMatchObject([{ kind: 'failed' }]);
    expect(names(trial)[2]).toBe('Last');
  }
});

test('H4: somebody who deletes the mark stops nobody', async () => {
  const { trial, told, under, heir } = await createFenceTrial();
  await setName(heir, 'a', 'One', under(3));
  for (const id of trial.file.content.metadataById.keys()) {
    if (trial.file.content.metadataById.get(id)?.key === 'f') trial.file.content.removeMetadata(id);
  }
  expect(await setName(heir, 'a', 'Two', under(3))).toMatchObject([{ kind: 'written' }]);
  expect(told).toEqual([]);
});

test('H4: without a lease that can run out nothing is marked, and no call is made for it', async () => {
  const costs: { reads: number; writes: number }[] = [];
  for (const settings of [{}, { fence: { epoch: 1, overtaken: () => undefined } }]) {
    const { trial, heir } = await createFenceTrial();
    const snapshot = await heir.read();
    const { reads, writes } = trial.standin.log.counters;
    await heir.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { first_name: 'One' } }], settings);
    const after = trial.standin.log.counters;
    costs.push({ reads: after.reads - reads, writes: after.writes - writes });
    const keys = [...trial.file.content.metadataById.values()].map(({ key }) => key);
    expect(keys.includes('f')).toBe('fence' in settings);
  }
  expect(costs).toEqual([
    { reads: 1, writes: 3 },
    { reads: 3, writes: 4 },
  ]);
});

test('H4: pins that a stale holder placed after the heir had looked are removed when the heir takes the fence', async () => {
  const { trial, told, under, stale, heir } = await createFenceTrial();
  const seen = await heir.read();
  let late: (() => Promise<Response>) | undefined;
  trial.reroute = async (url, init) => {
    if (!url.pathname.endsWith('values:batchUpdateByDataFilter')) return trial.standin.fetch(url, init);
    trial.reroute = trial.standin.fetch;
    const request = { ...init, headers: new Headers(init.headers) };
    late = () => trial.standin.fetch(url, request);
    const outcomes = await heir.update(seen, [{ row: rowOf(seen, 'b'), set: { first_name: 'Heir' } }], under(2));
    expect(outcomes).toMatchObject([{ kind: 'written' }]);
    expect(temporaryMarks(trial)).toEqual([]);
    return late();
  };
  const [outcome] = await setName(stale, 'a', 'Late', under(1));
  expect(late).toBeDefined();
  expect(outcome?.kind).not.toBe('written');
  expect(names(trial)).toEqual(['Name a', 'Heir', 'Name c']);
  expect(told.every((by) => by === 2)).toBe(true);
});

test('H4: of the marks on the tab the heir removes those of this table alone, and none if there are none', async () => {
  const { trial, under, heir } = await createFenceTrial();
  const other = trial.openTable({ owner: 'customers' });
  const theirs = await other.read();
  await other.append(theirs, [{ id: 'z', set: {} }]);
  const marks = temporaryMarks(trial);
  expect(marks).toHaveLength(1);
  const snapshot = await heir.read();
  trial.standin.log.clear();
  await heir.remove(snapshot, [rowOf(snapshot, 'c')], under(1));
  expect(temporaryMarks(trial).filter((mark) => !mark.startsWith('f'))).toEqual(marks);
  // The fence, the pins, and the deletion.
  expect(trial.standin.log.counters.writes).toBe(3);
});

test.each(['none', '0.5', '9e99'])(
  'H4: a mark whose value is no epoch (%s) counts as none of anybody, and is not written through',
  async (metadataValue) => {
    const { trial, told, under, heir } = await createFenceTrial();
    await setName(heir, 'a', 'One', under(1));
    const mark = [...trial.file.content.metadataById.values()].find(({ key }) => key === 'f')!;
    trial.person.request({
      updateDeveloperMetadata: {
        dataFilters: [{ developerMetadataLookup: { metadataId: mark.id } }],
        developerMetadata: { metadataValue },
        fields: 'metadataValue',
      },
    });
    trial.standin.log.clear();
    expect(await setName(heir, 'a', 'Two', under(1))).toMatchObject([{ kind: 'failed', error: { code: 'refused' } }]);
    expect(names(trial)[0]).toBe('One');
    expect(told).toEqual([]);
  },
);

/** Refuses each batch while a column gets its anchor: how many were sent until the write was given up. */
async function refusedBatches(trial: Trial, table: Table, options: Parameters<Table['ensure']>[2]): Promise<number> {
  const snapshot = await table.read();
  const { fetch } = trial.standin;
  let batches = 0;
  trial.reroute = (url, init) => {
    if (!url.pathname.endsWith(':batchUpdate')) return fetch(url, init);
    batches += 1;
    const error = { code: 400, message: 'no', status: 'INVALID_ARGUMENT' };
    return Promise.resolve(Response.json({ error }, { status: 400 }));
  };
  const ensured = table.ensure({ ...snapshot, unanchored: ['email'] }, [], options);
  await expect(ensured).rejects.toMatchObject({ code: 'refused' });
  return batches;
}

test('H4: something else that is refused under the fence is refused once', async () => {
  const { trial, told, under, heir } = await createFenceTrial();
  await setName(heir, 'a', 'One', under(1));
  expect(await refusedBatches(trial, heir, under(1))).toBe(1);
  expect(told).toEqual([]);
});

test('H4: a fence that cannot be taken is tried three times', async () => {
  const { trial, told, under, heir } = await createFenceTrial();
  expect(await refusedBatches(trial, heir, under(1))).toBe(3);
  expect(told).toEqual([]);
});
