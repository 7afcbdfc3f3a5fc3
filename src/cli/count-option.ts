// Reads an option that is a count.
import { InvalidArgumentError } from 'commander';

/** From 1 on. */
export function countUpTo(max: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (Number.isInteger(count) && count >= 1 && count <= max) return count;
    throw new InvalidArgumentError(`It is a number from 1 to ${max}.`);
  };
}
