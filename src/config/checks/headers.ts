// Checks the headers of the columns that one job writes: no two are the same.
import type { Path } from '../problems.ts';
import type { Fault } from './check.ts';

export interface OwnedHeader {
  readonly header: string;
  readonly path: Path;
  readonly part: 'key' | 'value';
  /** The use of the column, in a message: `the ID column`. */
  readonly what: string;
  /** Whether the file names it; otherwise it is a default. */
  readonly isGiven: boolean;
}

/**
 * Headers compare without outer white space, like those of the tab. The fault is reported at a header from the file.
 */
export function checkHeaders(headers: readonly OwnedHeader[]): readonly Fault[] {
  const firstByHeader = new Map<string, OwnedHeader>();
  return headers.flatMap((owned) => {
    const key = owned.header.trim();
    const first = firstByHeader.get(key);
    if (first === undefined) {
      firstByHeader.set(key, owned);
      return [];
    }
    const [at, other] = owned.isGiven ? [owned, first] : [first, owned];
    const found = `${JSON.stringify(key)}, which is ${other.what} already`;
    return [{ path: at.path, part: at.part, found, allowed: 'a header of its own for each column' }];
  });
}

/** The mapped columns, each by its key. */
export function mappedHeaders(base: Path, columns: Readonly<Record<string, unknown>>): readonly OwnedHeader[] {
  return Object.keys(columns).map((header) => ({
    header,
    path: [...base, 'columns', header],
    part: 'key',
    what: 'a mapped column',
    isGiven: true,
  }));
}
