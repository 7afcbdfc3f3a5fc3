// The lines of a file, read from an offset on, however they lie in the pieces in which it is read.
import { expect, test } from 'vitest';
import { readLines } from '../../src/state/file/lines.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';

const chunk = 64 * 1024;

async function createTrial(text: string) {
  const disk = createMemoryDisk(1);
  await disk.mkdir('/f', { recursive: true, mode: 0o700 });
  disk.put('/f/a', Buffer.from(text));
  return (from = 0, ...needles: readonly string[]) =>
    Array.fromAsync(readLines(disk, '/f/a', from, (line) => !needles.every((needle) => line.includes(needle))));
}

test('each line has its text, and the bytes at which it begins and ends', async () => {
  const read = await createTrial('one\n\nthrée\nfo');
  expect(await read()).toEqual([
    { text: 'one', start: 0, end: 4 },
    { text: '', start: 4, end: 5 },
    { text: 'thrée', start: 5, end: 12 },
  ]);
  expect(await read(5)).toEqual([{ text: 'thrée', start: 5, end: 12 }]);
  expect(await read(12)).toEqual([]);
  expect(await read(99)).toEqual([]);
});

test('a file that is not there has no line, and one that cannot be read is an error', async () => {
  const disk = createMemoryDisk(1);
  expect(await Array.fromAsync(readLines(disk, '/none/a', 0))).toEqual([]);
  disk.turnOff();
  await expect(Array.fromAsync(readLines(disk, '/none/a', 0))).rejects.toThrow('EIO');
});

test('lines without one of the texts that are looked for are passed over, to the end of the last of them', async () => {
  const read = await createTrial('a b\na\nb\na b c\nc\n');
  expect(await read(0, 'a', 'b')).toEqual([
    { text: 'a b', start: 0, end: 4 },
    { text: 'a b c', start: 8, end: 14 },
    { text: undefined, start: 16, end: 16 },
  ]);
  expect(await read(0, 'a b')).toEqual([
    { text: 'a b', start: 0, end: 4 },
    { text: 'a b c', start: 8, end: 14 },
    { text: undefined, start: 16, end: 16 },
  ]);
  // The last line is one of those that are looked for: nothing is left to pass over.
  expect(await read(0, 'c')).toEqual([
    { text: 'a b c', start: 8, end: 14 },
    { text: 'c', start: 14, end: 16 },
  ]);
  expect(await read(16, 'c')).toEqual([]);
});

test.each([-2, -1, 0, 1, 2])('a line of the length of a piece and %i bytes is whole', async (more) => {
  const long = 'x'.repeat(chunk + more);
  const read = await createTrial(`${long}\nnext\n${long}${long}\nlast\n`);
  const lines = await read();
  expect(lines.map(({ text }) => text)).toEqual([long, 'next', long + long, 'last']);
  for (const { text, start, end } of lines) expect(end - start).toBe(text!.length + 1);
  expect(lines[0]?.start).toBe(0);
  for (const [index, { end }] of lines.slice(0, -1).entries()) expect(lines[index + 1]?.start).toBe(end);
  expect(await read(lines[0]!.end)).toEqual(lines.slice(1));
});

test('a text that is looked for is found across two pieces', async () => {
  const before = 'x'.repeat(chunk - 3);
  const read = await createTrial(`${before}needle\nother\n`);
  expect(await read(0, 'needle')).toEqual([
    { text: `${before}needle`, start: 0, end: before.length + 7 },
    { text: undefined, start: before.length + 13, end: before.length + 13 },
  ]);
});

test('the file is closed at the end, and when a reader stops before', async () => {
  const memory = createMemoryDisk(1);
  await memory.mkdir('/f', { recursive: true, mode: 0o700 });
  memory.put('/f/a', Buffer.from('one\ntwo\n'));
  let open = 0;
  const disk: typeof memory = {
    ...memory,
    async open(...asked) {
      const file = await memory.open(...asked);
      open += 1;
      return { ...file, close: async () => void (open -= 1) };
    },
  };
  for await (const { text } of readLines(disk, '/f/a', 0)) {
    expect([text, open]).toEqual(['one', 1]);
    break;
  }
  expect(open).toBe(0);
  expect(await Array.fromAsync(readLines(disk, '/f/a', 0))).toHaveLength(2);
  expect(open).toBe(0);
});
