// An answer as bytes, before parsing: its digest shows whether anything changed.
// The answer to a large read is tens of megabytes. It is digested as it arrives, becomes text only for parsing, and is
// freed right then.
import { createHash } from 'node:crypto';
import type { MethodOptions } from '@googleapis/sheets';
import { findTooLarge, sizeText } from '../../limits/answer-size.ts';
import { AnswerTooLargeError, type SheetsErrorContext } from '../errors.ts';
import { UnavailableError } from './errors.ts';

/** Disposing frees the memory of the body at once, without waiting for the garbage collector. */
export interface RawAnswer extends Disposable {
  /** SHA-256 of the body, base64url. */
  readonly digest: string;
  /** The body, UTF-8; blank once disposed. */
  readonly bytes: Buffer;
  /** Throws `UnavailableError` if it is not JSON. */
  parse(): unknown;
}

/** Added to a call's options; without it Google's client would parse at once and keep no bytes to compare. */
export const rawOptions = { responseType: 'stream' } satisfies MethodOptions;

const openingBrace = 0x7b;
const closingBrace = 0x7d;
const space = 0x20;

/** For use within a read: an answer that breaks off, or is no JSON object, is an error that may be retried. */
export async function toRawAnswer(body: unknown, context: SheetsErrorContext): Promise<RawAnswer> {
  const digest = createHash('sha256');
  const stretches = await collect(body, (piece) => digest.update(piece), context);
  if (stretches[0]?.[0] !== openingBrace) throw new UnavailableError('an answer that is not JSON', context);
  if (lastByte(stretches) !== closingBrace) throw new UnavailableError('an answer that is cut short', context);
  let whole: Buffer | undefined;
  // A look that finds the digest of the last one needs no more: joining would take as much memory once more.
  const bytes = () => (whole ??= joined(stretches));
  return {
    digest: digest.digest('base64url'),
    get bytes() {
      return bytes();
    },
    parse() {
      try {
        return JSON.parse(bytes().toString('utf8'));
      } catch {
        throw new UnavailableError('an answer that is cut short', context);
      }
    },
    [Symbol.dispose]() {
      for (const stretch of stretches.splice(0)) free(stretch);
      if (whole) free(whole);
    },
  };
}

/** Ignores white space: with it almost every cut shows before parsing, while the call may still be repeated. */
function lastByte(stretches: readonly Uint8Array[]): number | undefined {
  for (const stretch of stretches.toReversed()) {
    const found = stretch.findLast((byte) => byte > space);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Measured on 26 MB (bench/sheets-read.ts): stretches of 4 MB take half the processor time of a growing buffer, because
 * they give the garbage collector less work than hundreds of pieces from the network.
 */
const stretchBytes = 4_000_000;
/** Most answers are small. Each further stretch is four times as long, up to `stretchBytes`. */
const firstStretchBytes = 16_000;

async function collect(
  body: unknown,
  onPiece: (piece: Uint8Array) => void,
  context: SheetsErrorContext,
): Promise<Uint8Array[]> {
  const stretches: Uint8Array[] = [];
  let stretch = new Uint8Array(firstStretchBytes);
  let used = 0;
  const close = () => {
    if (used > 0) stretches.push(stretch.subarray(0, used));
    used = 0;
  };
  try {
    for await (const piece of body instanceof ReadableStream ? (body as ReadableStream<Uint8Array>) : []) {
      onPiece(piece);
      if (used + piece.length > stretch.length) {
        close();
        stretch = new Uint8Array(Math.max(Math.min(stretch.length * 4, stretchBytes), piece.length));
      }
      stretch.set(piece, used);
      used += piece.length;
    }
  } catch (error) {
    const tooLarge = findTooLarge(error);
    if (tooLarge) throw new AnswerTooLargeError(sizeText(tooLarge.bytesMax), context);
    throw new UnavailableError(error instanceof Error ? error.message : 'the answer broke off', context);
  }
  close();
  return stretches;
}

/** Frees the stretches one by one. */
function joined(stretches: Uint8Array[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(stretches.reduce((sum, { length }) => sum + length, 0));
  let used = 0;
  for (let stretch = stretches.shift(); stretch; stretch = stretches.shift()) {
    whole.set(stretch, used);
    used += stretch.length;
    free(stretch);
  }
  return whole;
}

function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
