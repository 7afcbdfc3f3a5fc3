/*
 * The frame of each record that the file driver writes: a JSON object whose last member is `"checksum"`, over all bytes
 * before the comma that precedes it, and a newline.
 * It stays JSON, a cut always shows, and a later schema differs from damage. The checksum is the first 64 bits of
 * SHA-256: against accidents, not against forgers.
 */
import { createHash, hash } from 'node:crypto';

const checksumDigits = 16;
const prefix = ',"checksum":"';
const suffix = '"}\n';
const trailerBytes = prefix.length + checksumDigits + suffix.length;

/** The object's JSON text, sealed. It must have at least one member. */
export function seal(object: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(object).slice(0, -1));
  return Buffer.concat([bytes, Buffer.from(trailerOf(hash('sha256', bytes)))]);
}

/** The same for an object that comes in pieces, its closing brace left off. */
export function* sealChunks(pieces: Iterable<string>): Generator<Buffer> {
  const digest = createHash('sha256');
  for (const piece of pieces) {
    const bytes = Buffer.from(piece);
    digest.update(bytes);
    yield bytes;
  }
  yield Buffer.from(trailerOf(digest.digest('hex')));
}

/**
 * The object without its checksum, or undefined if these bytes, including the newline, are not exactly what was sealed.
 */
export function unseal(bytes: Buffer): object | undefined {
  const text = unsealBytes(bytes)?.toString('utf8');
  return text === undefined ? undefined : (JSON.parse(`${text}}`) as object);
}

/** Whether a line, with its newline, ends as a sealed one does. Its checksum may be wrong. */
export function isSealed(line: Buffer): boolean {
  const from = line.length - trailerBytes;
  return line.toString('latin1', from, from + prefix.length) === prefix;
}

/** The object as JSON text without its closing brace; shares the memory of its source. */
export function unsealBytes(bytes: Buffer): Buffer | undefined {
  const end = bytes.length - trailerBytes;
  if (end < 1) return undefined;
  const sealed = bytes.subarray(0, end);
  return bytes.toString('latin1', end) === trailerOf(hash('sha256', sealed)) ? sealed : undefined;
}

/** `sha256`: in hexadecimal digits. */
function trailerOf(sha256: string): string {
  return prefix + sha256.slice(0, checksumDigits) + suffix;
}
