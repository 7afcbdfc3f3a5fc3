// An answer as bytes: whole however its pieces come, and an error that may be retried if it is not.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { toRawAnswer } from '../../src/sheets/google/raw-answer.ts';

const context = { spreadsheetId: 'sheet' };
const streamOf = (bytes: Uint8Array, pieceBytes: number) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += pieceBytes) controller.enqueue(bytes.slice(at, at + pieceBytes));
      controller.close();
    },
  });
const bytesOf = (text: string) => new TextEncoder().encode(text);
const answerOf = (text: string) => toRawAnswer(streamOf(bytesOf(text), 10), context);

const value = { rows: Array.from({ length: 20_000 }, (_, index) => `Zoë ${index}`) };
const whole = JSON.stringify(value);

test.each([1_000, 16_000, 16_001, 50_000, 1_000_000])(
  'L7: an answer of a quarter of a megabyte in pieces of %i bytes is whole, and has the digest of its bytes',
  async (pieceBytes) => {
    using answer = await toRawAnswer(streamOf(bytesOf(whole), pieceBytes), context);
    expect(answer.digest).toBe(createHash('sha256').update(whole).digest('base64url'));
    expect(answer.bytes.toString()).toBe(whole);
    expect(answer.parse()).toEqual(value);
  },
);

test('a digest that is asked for alone leaves the answer as it is', async () => {
  const [one, other] = [await answerOf('{"a":1}'), await answerOf('{"a":2}')];
  expect(one.digest).not.toBe(other.digest);
  expect(one.digest).toBe((await answerOf('{"a":1}')).digest);
  expect(other.parse()).toEqual({ a: 2 });
});

test('white space behind an answer belongs to it', async () => {
  expect((await answerOf(`{"a":1}\n${' '.repeat(20)}`)).parse()).toEqual({ a: 1 });
});

test('white space behind an answer may fill the end of it that arrives last', async () => {
  const full = JSON.stringify('x'.repeat(15_990));
  const body = bytesOf(`{"a":${full}}${' '.repeat(9_000)}`);
  expect((await toRawAnswer(streamOf(body, 16_000), context)).parse()).toEqual({ a: 'x'.repeat(15_990) });
});

test.each([false, true])('a disposed answer is blank (parsed before: %s)', async (isParsed) => {
  const answer = await answerOf('{"a":1}');
  if (isParsed) answer.parse();
  answer[Symbol.dispose]();
  expect(answer.bytes).toHaveLength(0);
});

test.each([
  ['nothing', '', 'not JSON'],
  ['a page', '<html></html>', 'not JSON'],
  ['a list', '[1]', 'not JSON'],
  ['one that is cut in a text', '{"a":"b', 'cut short'],
  ['one that is cut behind a text', '{"a":"b"  ', 'cut short'],
  ['one with something behind it', '{"a":"b"}!', 'cut short'],
  ['one with something behind it and white space', '{"a":"b"},\n \t', 'cut short'],
])('L7: %s is no answer, and may be asked for again', async (_, text, why) => {
  await expect(answerOf(text)).rejects.toMatchObject({
    code: 'unavailable',
    retryable: true,
    message: expect.stringContaining(why) as string,
  });
});

test('L7: an answer that ends with a brace within is found out when it is parsed', async () => {
  const answer = await answerOf('{"a":{}');
  expect(() => answer.parse()).toThrow('cut short');
});

test('L7: an answer without a body is no answer', async () => {
  await expect(toRawAnswer(undefined, context)).rejects.toThrow('not JSON');
});

test('L7: what a connection that breaks says is told, and the answer may be asked for again', async () => {
  const broken = (error: unknown) =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(bytesOf('{"a":'));
        controller.error(error);
      },
    });
  await expect(toRawAnswer(broken(new Error('socket hang up')), context)).rejects.toMatchObject({
    code: 'unavailable',
    retryable: true,
    message: expect.stringContaining('socket hang up') as string,
  });
  await expect(toRawAnswer(broken('gone'), context)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('the answer broke off') as string,
  });
});
