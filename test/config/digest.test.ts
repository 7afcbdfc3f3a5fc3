import { expect, test } from 'vitest';
import { readConfigFile } from '../../src/app-config.ts';
import { configDigest } from '../../src/config/digest.ts';
import { start, sync } from './files.ts';

/* A command and a daemon find out whether they have the same configuration. */

const text = `${start}${sync()}`;

function digest(given: string, { path = 'leadsheet.yaml', salt = 'salt' } = {}): string {
  return configDigest(readConfigFile(path, { env: {}, readFile: () => given }), salt);
}

test('it is the same for one configuration, wherever the file is, whatever is logged, and wherever the console is', () => {
  expect(digest(text)).toMatch(/^[0-9a-f]{64}$/);
  expect(digest(text, { path: '/elsewhere/leadsheet.yaml' })).toBe(digest(text));
  expect(digest(`${text}log: { level: debug }\n`)).toBe(digest(text));
  expect(digest(`${text}server: { listen: '127.0.0.1:4017' }\n`)).toBe(digest(text));
});

test.each([
  ['an option', text.replace('Email: email', 'Mail: email')],
  ['a secret', text.replace('token: test-key ', 'token: test-kez ')],
])('it is another one for %s that changed', (_what, changed) => {
  expect(changed).not.toBe(text);
  expect(digest(changed)).not.toBe(digest(text));
});

test('with another salt it is another one', () => {
  expect(digest(text, { salt: 'pepper' })).not.toBe(digest(text));
});
