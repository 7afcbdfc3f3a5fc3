// Reads an option that is a port.
import { UsageError } from './errors.ts';

/** A port; 0 stands for any free one. Throws UsageError. */
export function port(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  throw new UsageError(`a port is a number from 0 to 65535, not "${text}"`);
}
