/** `schedule.timeblocks[0].from` -> ['schedule', 'timeblocks', 0, 'from']; undefined: not a path. */
export function parseFieldPath(text: string): readonly (string | number)[] | undefined {
  if (!/^\w+(?:\.\w+|\[\d{1,6}\])*$/.test(text)) return undefined;
  return Array.from(text.matchAll(/\[(\d+)\]|\w+/g), ([name, index]) => (index === undefined ? name : Number(index)));
}
