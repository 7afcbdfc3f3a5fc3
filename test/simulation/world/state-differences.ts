// Compares the files of the state before and after runs that should find nothing to do.

/**
 * W18: the first run with nothing to do may note that, and fold the log with it. What is stored then takes the place of what
 * was there before.
 */
export function withNote(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const others = (text = '[]') =>
    JSON.stringify(JSON.parse(text), (_, value: unknown) =>
      Array.isArray(value) && ['quiet', 'watermark', 'unplaced'].includes(value[0] as string) ? null : value,
    ).replaceAll('null,', '');
  const last = (files: ReadonlyMap<string, string>, name = 'base.log') =>
    (files.get(name) ?? '').trimEnd().split('\n').at(-1)!;
  const isNote = (line: string) => line !== last(before) && /^\{[^{]*"put":\{"facts":\{.*"quiet":\{"of":/.test(line);
  const isNoted = after.has('database')
    ? others(before.get('database')) === others(after.get('database'))
    : // A log that the note made long is folded with it, and is the previous one then.
      isNote(last(after)) || (last(after) !== last(before) && isNote(last(after, 'base.previous.log')));
  if (!isNoted) return before;
  const isOfNote = (name: string) => name === 'database' || name.startsWith('base');
  return new Map(
    [...before.keys(), ...after.keys()].flatMap((name) => {
      const text = (isOfNote(name) ? after : before).get(name);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

export function stateDifferences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map(
      (name) =>
        `the file ${name} of the state: ${(after.get(name) ?? '').slice((before.get(name) ?? '').length).slice(0, 300)}`,
    );
}
