import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const installs = 'node scripts/install-once.js';

test('every script of npm works in a fresh clone: the dependencies are installed before it, once', () => {
  // npm runs `preX` before `X`. `pack` is a command of npm itself, and runs the build.
  const own = Object.keys(scripts).filter((name) => scripts[name] !== installs && name !== 'prepack');
  expect(own.length).toBeGreaterThan(15);
  expect(own.filter((name) => scripts[`pre${name}`] !== installs)).toEqual([]);
});
