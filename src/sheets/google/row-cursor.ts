// Iterates over the rows of a large answer within its bytes.
// The kept form of a row is its cells as one text, which stands in the answer in almost the same form. So it is copied
// without parsing into values (docs/performance.md has the saving). Only plain rows are copied. Any other row is
// parsed, with the same result; so is one with an escape that `JSON.stringify` would write differently.
import type { CellValue } from '../port.ts';

const openingBracket = 0x5b;
const closingBracket = 0x5d;
const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const firstPrintable = 0x20;
const firstBeyondAscii = 0x80;

/** The characters that `JSON.stringify` writes behind a backslash, except `u`, which has several forms. */
const isShortEscape = bytesOf(String.raw`"\bfnrt`);
/** The first characters of a text whose cell may hold something else: see `isOpenText`. */
const isOpenStart = bytesOf(`=#'L`);
const isOfNumber = bytesOf('0123456789+-.eE');
/** Every integer of so many digits, its sign counted, is written as it was answered. */
const exactDigitsMax = 15;

/** 1 for each byte of the text. A table, not a set: it is read for every cell. */
function bytesOf(text: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const each of text) table[each.charCodeAt(0)] = 1;
  return table;
}

/** The place of unparsed rows, and the parser of rows that are not plain. */
export interface RowBytes {
  readonly bytes: Buffer;
  /** The first row's bracket. */
  readonly start: number;
  /** Behind the last one's. */
  readonly end: number;
  /** One row from `from` on, or some; `to`: the bracket of the next, or beyond `end`. Throws if there is none. */
  readonly parse: (from: number) => { readonly rows: readonly (readonly unknown[])[]; readonly to: number };
}

/** At no row before the first `next`, and behind the last one at one without cells. */
export class RowCursor {
  /** Some text of the row may leave its cell open. */
  mayBeOpen = false;
  /** Some cell of the row may be a number. */
  hasNumber = false;
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #parse: RowBytes['parse'];
  /** The parsed rows, the next of them, and the row of the cursor: undefined if that is plain. */
  #parsed: readonly (readonly unknown[])[];
  #nextParsed = 0;
  #row: readonly unknown[] | undefined;
  /** The bracket of the next unparsed row. */
  #at: number;
  /** For a plain row: its cells, and whether all of them are kept unchanged. */
  #count = 0;
  #starts = new Int32Array(32);
  #ends = new Int32Array(32);
  #isVerbatim = false;
  #isAscii = false;

  /** `parsed` come before those in `unparsed`. */
  constructor(parsed: readonly (readonly unknown[])[], unparsed?: RowBytes) {
    this.#parsed = parsed;
    this.#bytes = unparsed?.bytes ?? Buffer.alloc(0);
    this.#at = unparsed?.start ?? 0;
    this.#end = unparsed?.end ?? 0;
    this.#parse = unparsed?.parse ?? (() => ({ rows: [], to: 0 }));
  }

  /** False: there is no further row. */
  next(): boolean {
    this.#row = undefined;
    this.#count = 0;
    this.mayBeOpen = false;
    this.hasNumber = false;
    if (this.#nextParsed >= this.#parsed.length) {
      if (this.#at >= this.#end) return false;
      const behind = this.#walk(this.#at);
      if (behind !== -1) {
        this.#at = behind + 1;
        return true;
      }
      const { rows, to } = this.#parse(this.#at);
      [this.#parsed, this.#nextParsed, this.#at] = [rows, 0, to];
    }
    this.#row = this.#parsed[this.#nextParsed] ?? [];
    this.#nextParsed += 1;
    this.mayBeOpen = true;
    this.hasNumber = true;
    return true;
  }

  /**
   * Goes to the next row if `isSame` knows its text, which it compares as a whole; the cells are not found then. A row that was
   * parsed already is not offered. False: the cursor has not moved.
   */
  nextIf(isSame: (text: string) => boolean): boolean {
    if (this.#nextParsed < this.#parsed.length || this.#at >= this.#end) return false;
    // The seam may stand within a text: then this is no whole row, and equals none.
    const seam = this.#bytes.indexOf('],[', this.#at);
    const behind = seam === -1 || seam >= this.#end ? this.#end : seam + 1;
    if (!isSame(this.#bytes.toString('utf8', this.#at, behind))) return false;
    this.#row = undefined;
    this.#count = 0;
    this.mayBeOpen = false;
    this.hasNumber = false;
    this.#at = behind + 1;
    return true;
  }

  isBlank(place: number): boolean {
    if (this.#row) return toValue(this.#row[place]) === null;
    if (place >= this.#count) return true;
    const start = this.#starts[place]!;
    // `""` or `null`; no other plain cell begins like these.
    return this.#bytes[start] === quote ? this.#ends[place] === start + 2 : this.#bytes[start] === 0x6e;
  }

  valueAt(place: number): CellValue {
    if (this.#row) return toValue(this.#row[place]);
    if (this.isBlank(place)) return null;
    const [start, end] = [this.#starts[place]!, this.#ends[place]!];
    if (this.#bytes[start] === quote) {
      const text = this.#slice(start + 1, end - 1);
      if (!text.includes('\\')) return text;
    }
    return toValue(JSON.parse(this.#slice(start, end)));
  }

  /** Appends `count` cells to `text`, as JSON with commas in between; blank ones as `null`. */
  copy(place: number, count: number, text: TextBuffer): void {
    const isPlain = this.#row === undefined;
    if (isPlain && this.#isVerbatim && place + count <= this.#count) {
      text.copy(this.#bytes, this.#starts[place]!, this.#ends[place + count - 1]!, this.#isAscii);
      return;
    }
    for (let each = place; each < place + count; each += 1) {
      if (each > place) text.add(',');
      if (this.isBlank(each)) text.add('null');
      else if (isPlain) text.copy(this.#bytes, this.#starts[each]!, this.#ends[each]!, this.#isAscii);
      else text.add(JSON.stringify(this.valueAt(each)));
    }
  }

  #slice(start: number, end: number): string {
    return this.#bytes.toString(this.#isAscii ? 'latin1' : 'utf8', start, end);
  }

  /**
   * Finds the cells of the row whose bracket is at `at`; returns the place behind its other bracket, or -1 if the row
   * is not plain. A plain loop over every byte of a table.
   */
  #walk(at: number): number {
    const [bytes, end] = [this.#bytes, this.#end];
    let count = 0;
    let seen = 0;
    let isVerbatim = true;
    let place = at + 1;
    if (bytes[at] !== openingBracket) return -1;
    if (bytes[place] === closingBracket) place += 1;
    else {
      for (;;) {
        const start = place;
        let byte = bytes[place]!;
        if (byte === quote) {
          place += 1;
          byte = bytes[place]!;
          if (byte === quote) isVerbatim = false;
          else if (isOpenStart[byte] === 1) this.mayBeOpen = true;
          while (byte !== quote) {
            if (byte === backslash) {
              place += 1;
              if (isShortEscape[bytes[place]!] !== 1) return -1;
            } else if (byte < firstPrintable) return -1;
            seen |= byte;
            place += 1;
            if (place >= end) return -1;
            byte = bytes[place]!;
          }
          place += 1;
        } else if (byte === minus || (byte >= zero && byte <= nine)) {
          this.hasNumber = true;
          place = this.#behindNumber(start);
        } else {
          place = this.#behindWord(start);
          if (byte === 0x6e) isVerbatim = false;
        }
        if (place === -1) return -1;
        if (count === this.#starts.length) this.#grow();
        this.#starts[count] = start;
        this.#ends[count] = place;
        count += 1;
        byte = bytes[place]!;
        place += 1;
        if (byte === comma) continue;
        if (byte !== closingBracket) return -1;
        break;
      }
    }
    if (place > end || (place < end && bytes[place] !== comma)) return -1;
    this.#count = count;
    this.#isVerbatim = isVerbatim;
    this.#isAscii = seen < firstBeyondAscii;
    return place;
  }

  /** -1: `JSON.stringify` would write it differently. */
  #behindNumber(start: number): number {
    const bytes = this.#bytes;
    let place = start + 1;
    while (bytes[place]! >= zero && bytes[place]! <= nine) place += 1;
    const isWhole = isOfNumber[bytes[place]!] !== 1;
    const first = bytes[start] === minus ? bytes[start + 1]! : bytes[start]!;
    if (isWhole && first > zero && first <= nine && place - start <= exactDigitsMax) return place;
    while (isOfNumber[bytes[place]!] === 1) place += 1;
    const text = bytes.toString('latin1', start, place);
    return String(Number(text)) === text ? place : -1;
  }

  #behindWord(start: number): number {
    for (const word of ['true', 'false', 'null']) {
      const end = start + word.length;
      if (this.#bytes.toString('latin1', start, end) === word) return end;
    }
    return -1;
  }

  #grow(): void {
    const [starts, ends] = [this.#starts, this.#ends];
    this.#starts = new Int32Array(starts.length * 2);
    this.#ends = new Int32Array(ends.length * 2);
    this.#starts.set(starts);
    this.#ends.set(ends);
  }
}

export function toValue(answered: unknown): CellValue {
  switch (typeof answered) {
    case 'string':
      return answered === '' ? null : answered;
    case 'number':
    case 'boolean':
      return answered;
    default:
      return null;
  }
}

/** A text under construction, in the same bytes each time: joined strings would be garbage as large as the answer. */
export class TextBuffer {
  #bytes = Buffer.allocUnsafeSlow(4_096);
  #used = 0;
  #isAscii = true;

  clear(): void {
    this.#used = 0;
    this.#isAscii = true;
  }

  add(text: string): void {
    if (text.length === 1) {
      this.#makeRoom(1);
      this.#bytes[this.#used] = text.charCodeAt(0);
      this.#used += 1;
      return;
    }
    const length = Buffer.byteLength(text);
    this.#makeRoom(length);
    this.#bytes.write(text, this.#used);
    this.#used += length;
    if (length > text.length) this.#isAscii = false;
  }

  copy(from: Buffer, start: number, end: number, isAscii: boolean): void {
    this.#makeRoom(end - start);
    from.copy(this.#bytes, this.#used, start, end);
    this.#used += end - start;
    if (!isAscii) this.#isAscii = false;
  }

  toString(): string {
    return this.#bytes.toString(this.#isAscii ? 'latin1' : 'utf8', 0, this.#used);
  }

  #makeRoom(length: number): void {
    if (this.#used + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#used + length));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}
