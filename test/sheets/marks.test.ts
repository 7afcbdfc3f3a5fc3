// The developer metadata of this project: its ids, and which marks are an owner's.
import { expect, test } from 'vitest';
import {
  anchorValue,
  assertMark,
  createAnchor,
  createAppendMark,
  createColumnPin,
  createPin,
  drawIds,
  fenceId,
  fenceRequests,
  isTemporaryMark,
  ownerToIdBlock,
} from '../../src/sheets/google/marks.ts';

const block = ownerToIdBlock('prospects');

test('the ids of an owner are 131,072 positive 32-bit integers, always the same, and others than those of another owner', () => {
  for (const owner of ['', 'prospects', 'customers', 'a'.repeat(1_000)]) {
    const { first, end } = ownerToIdBlock(owner);
    expect(end - first).toBe(131_072);
    expect(first).toBeGreaterThanOrEqual(131_072);
    expect(first % 131_072).toBe(0);
    expect(end).toBeLessThanOrEqual(2 ** 31);
  }
  // Known to every spreadsheet that has such marks.
  expect(block).toEqual({ first: 1_910_243_328, end: 1_910_374_400 });
  expect(ownerToIdBlock('customers')).not.toEqual(block);
});

test.each([1, 2, 1_000])('%i ids are consecutive, within the block, and never that of the fence', (count) => {
  const offsets = Array.from({ length: count }, (_, index) => index);
  expect(drawIds(block, count, () => 0)).toEqual(offsets.map((offset) => block.first + offset));
  const last = drawIds(block, count, () => 1 - Number.EPSILON);
  expect(last).toEqual(offsets.map((offset) => block.end - 1 - count + offset));
  expect(last.at(-1)).toBeLessThan(fenceId(block));
  expect(fenceId(block)).toBe(block.end - 1);
});

test.each([
  ['a pin', { metadataId: block.first, metadataKey: 'p' }, true],
  ['an append mark', { metadataId: block.end - 1, metadataKey: 'a' }, true],
  ['an anchor', { metadataId: block.first, metadataKey: 'c' }, false],
  ['the fence', { metadataId: block.end - 1, metadataKey: 'f' }, false],
  ['one before the block', { metadataId: block.first - 1, metadataKey: 'p' }, false],
  ['one behind the block', { metadataId: block.end, metadataKey: 'p' }, false],
  ['one without an id', { metadataKey: 'p' }, false],
  ['one without a key', { metadataId: block.first }, false],
])('%s is a temporary mark of the owner: %s', (_, mark, isIt) => expect(isTemporaryMark(mark, block)).toBe(isIt));

const created = (metadataId: number, metadataKey: string, location: object, value?: string) => ({
  createDeveloperMetadata: {
    developerMetadata: {
      metadataId,
      metadataKey,
      location,
      visibility: 'DOCUMENT',
      ...(value !== undefined && { metadataValue: value }),
    },
  },
});
const line = (dimension: string, startIndex: number) => ({
  dimensionRange: { sheetId: 7, dimension, startIndex, endIndex: startIndex + 1 },
});

test('each mark has its key, its place, and a value if it needs one', () => {
  expect(createPin(5, 7, 3)).toEqual(created(5, 'p', line('ROWS', 3)));
  expect(createColumnPin(5, 7, 3)).toEqual(created(5, 'p', line('COLUMNS', 3)));
  expect(createAppendMark(5, 7)).toEqual(created(5, 'a', { sheetId: 7 }));
  expect(createAnchor(5, 7, 3, anchorValue('me', 'email'))).toEqual(created(5, 'c', line('COLUMNS', 3), 'me/email'));
});

test('H4: the fence is created if there was none, and else takes the place of the value that was seen', () => {
  const create = created(block.end - 1, 'f', { sheetId: 7 }, '9');
  expect(fenceRequests(block, 7, undefined, 9)).toEqual([create]);
  expect(fenceRequests(block, 7, 0, 9)).toEqual([
    {
      deleteDeveloperMetadata: {
        dataFilter: { developerMetadataLookup: { metadataId: block.end - 1, metadataValue: '0' } },
      },
    },
    create,
  ]);
});

test('L9: a mark is asserted by deleting it at its exact place and creating it again', () => {
  const mark = createPin(5, 7, 3);
  expect(assertMark(mark)).toEqual([
    {
      deleteDeveloperMetadata: {
        dataFilter: {
          developerMetadataLookup: {
            metadataId: 5,
            locationMatchingStrategy: 'EXACT_LOCATION',
            metadataLocation: line('ROWS', 3),
          },
        },
      },
    },
    mark,
  ]);
});
