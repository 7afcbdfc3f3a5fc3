// Chance of the settings, the same each time, so that their pictures change only with the console.

/** Numbers from 0 to below 1. */
export function createChance(): () => number {
  let last = 0.5;
  return () => (last = (last * 16_807 + 0.123) % 1);
}
