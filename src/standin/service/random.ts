// The random generator of the stand-in.
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { skipN } from 'pure-rand/utils/skipN';
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** All randomness of the stand-in: the same seed gives the same ids and the same demo data. */
export interface Random {
  /** Between `from` and `to`, both included. */
  integer(from: number, to: number): number;
  pick<T>(items: readonly T[]): T;
  /** A version 4 uuid. */
  uuid(): string;
  /** The state of the generator; a snapshot keeps it, so that no id comes twice after a restart. */
  state(): readonly number[];
  restore(state: readonly number[]): void;
}

export function createRandom(seed: number): Random {
  let generator = xoroshiro128plus(seed);
  // The first draws of neighbouring seeds are alike.
  skipN(generator, 64);
  const integer = (from: number, to: number) => uniformInt(generator, from, to);
  const hex = (digits: number) =>
    integer(0, 16 ** digits - 1)
      .toString(16)
      .padStart(digits, '0');
  return {
    integer,
    pick: <T>(items: readonly T[]) => {
      if (items.length === 0) throw new RangeError('nothing to pick from');
      return items[integer(0, items.length - 1)] as T;
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${(8 + integer(0, 3)).toString(16)}${hex(3)}-${hex(6)}${hex(6)}`,
    state: () => generator.getState(),
    restore: (state) => {
      generator = xoroshiro128plusFromState(state);
    },
  };
}
