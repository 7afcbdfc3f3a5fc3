// How much of an answer is read: whoever answers for ever, or packs a thousandfold, must not fill the memory.

/** An answer is larger than any honest one. It was not kept, and its connection is closed. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
  readonly code = 'ERR_ANSWER_TOO_LARGE';
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`the answer is larger than ${sizeText(bytesMax)}`);
    this.bytesMax = bytesMax;
  }
}

/** What is read of an answer that is no success: people are shown its first words, and a field map is seldom over 10 kB. */
export const refusalBytesMax = 64_000;

/**
 * The same response, whose body is counted piece by piece as it is read, unpacked, without being copied. Beyond `bytesMax` the
 * connection is closed, and the body ends there (`cut`) or fails with AnswerTooLarge (`fail`).
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
      // Nobody waits for the connection to be closed.
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

/** Characters that are kept of a sentence from outside: it goes on in ours, into cells, logs and mails. */
const saidCharsMax = 500;

/** The beginning of what the other side said, so that nothing that reads it takes long. */
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
