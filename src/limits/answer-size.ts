// Bounds how much of an answer is read, so that an endless or highly compressed answer does not fill the memory.

/** An answer is larger than any valid one. It was not kept, and its connection is closed. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
  readonly code = 'ERR_ANSWER_TOO_LARGE';
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`the answer is larger than ${sizeText(bytesMax)}`);
    this.bytesMax = bytesMax;
  }
}

/**
 * The part that is read of an answer without success: people see its first words, and a field map is seldom over 10 kB.
 */
export const refusalBytesMax = 64_000;

/**
 * The same response with a bounded body: each piece is counted as it is read, unpacked, and not copied. Beyond
 * `bytesMax` the connection is closed, and the body ends there (`cut`) or fails with AnswerTooLarge (`fail`).
 */
export function boundResponse(response: Response, bytesMax: number, beyond: 'cut' | 'fail'): Response {
  if (response.body === null) return response;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let left = bytesMax;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      if (value.byteLength <= left) {
        left -= value.byteLength;
        return controller.enqueue(value);
      }
      // Closing the connection is not awaited.
      void reader.cancel().catch(() => undefined);
      if (beyond === 'fail') return controller.error(new AnswerTooLarge(bytesMax));
      if (left > 0) controller.enqueue(value.subarray(0, left));
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/** The body of the response as text, with the bound of `boundResponse`; without a second response around the first. */
export async function textWithin(response: Response, bytesMax: number, beyond: 'cut' | 'fail'): Promise<string> {
  if (response.body === null) return '';
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let left = bytesMax; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    if (value.byteLength <= left) {
      left -= value.byteLength;
      text += decoder.decode(value, { stream: true });
      continue;
    }
    // Closing the connection is not awaited.
    void reader.cancel().catch(() => undefined);
    if (beyond === 'fail') throw new AnswerTooLarge(bytesMax);
    return text + decoder.decode(value.subarray(0, left));
  }
}

/** Characters kept of a sentence from outside: it becomes a part of our sentences, in cells, logs and mails. */
const saidCharsMax = 500;

/** The beginning of a text from the other side, so that reading it is quick. */
export function cutSaid(text: string, charsMax = saidCharsMax): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}...` : text;
}

/** The AnswerTooLarge among an error and its causes. */
export function findTooLarge(error: unknown): AnswerTooLarge | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at instanceof AnswerTooLarge) return at;
  }
  return undefined;
}

/** `32 MB`, `64 kB`. */
export function sizeText(bytes: number): string {
  return bytes >= 1_000_000 ? `${Math.round(bytes / 1_000_000)} MB` : `${Math.round(bytes / 1_000)} kB`;
}
