// The judge of undos by writes that are made up: a program that writes again what an undo took back is hard to make from this one.
import { expect, test } from 'vitest';
import { takenBackStays } from './laws/undo.ts';
import type { RunView, Write } from './oracle/evidence.ts';
import { createLog } from './people/log.ts';
import { drawScenario } from './scenario/draw.ts';

const { setting } = drawScenario(1);
const isolated = { ...setting, switches: {} };

function write(seq: number, over: Partial<Write>): Write {
  return {
    seq,
    pid: 1,
    side: 'crm',
    uuid: 'ann',
    person: 'p0',
    field: 'company_name',
    before: 'New',
    after: 'Old',
    isTyped: false,
    wasAgreed: true,
    isUnseen: false,
    isOfOtherSide: true,
    isOfThisSide: true,
    wasFormula: false,
    at: seq,
    typedAt: undefined,
    shownAt: undefined,
    contactChangedAt: undefined,
    isOfCopy: false,
    isCleared: false,
    isOtherUnchanged: false,
    direction: 'both',
    isUnmapped: false,
    isUndo: false,
    ...over,
  };
}

function begun(seq: number): RunView {
  return { run: `run-${seq}`, seq, pid: 1, rows: 1, contactsHere: 1, linked: 1, everLinked: 1, isApproved: false };
}

/** At 100 an undo puts "Old" back on both sides. At 300 the next run writes "New" into the cell. */
function judge(...meanwhile: readonly Write[]) {
  const undone = [write(101, { isUndo: true }), write(102, { isUndo: true, side: 'sheet' })];
  const again = write(301, { side: 'sheet', before: 'Old', after: 'New' });
  const runs = [100, 200, 300].map(begun);
  const evidence = { writes: [...undone, ...meanwhile, again], runs, log: createLog(), setting: isolated };
  return takenBackStays({ ...evidence, isStateTampered: false, removals: [] }).map(({ law }) => law);
}

test('S8: a run that writes again what an undo took back is noticed', () => {
  expect(judge()).toEqual(['S8']);
});

test('S8, L10: an undo of that undo, half done, has the next run of the same process do the rest', () => {
  expect(judge(write(201, { isUndo: true, before: 'Old', after: 'New' }))).toEqual([]);
});

test('S8: an undo that put another value there is no reason', () => {
  expect(judge(write(201, { isUndo: true, before: 'Old', after: 'Third' }))).toEqual(['S8']);
});

test('S8: nor is what the same undo wrote before it ended', () => {
  expect(judge(write(103, { isUndo: true, before: 'Old', after: 'New' }))).toEqual(['S8']);
});

test('S8: nor is an undo of another record', () => {
  expect(judge(write(201, { isUndo: true, uuid: 'bob', before: 'Old', after: 'New' }))).toEqual(['S8']);
});
