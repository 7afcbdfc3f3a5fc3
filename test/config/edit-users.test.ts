import { expect, test } from 'vitest';
import { textWithoutUser, textWithUser, usersInText } from '../../src/config/edit-users.ts';
import { load } from '../support/config.ts';
import { start, sync } from './files.ts';

/* Users in the text of a configuration: added and removed, and nothing else is different. */

const hash = `$scrypt$ln=15,r=8,p=3$${'A'.repeat(22)}$${'B'.repeat(43)}`;
const ann = { name: 'ann', role: 'viewer', password_hash: hash } as const;
const bob = `name: bob\n      role: operator # of the night\n      password_hash: ${hash}`;

test.each([
  ['no server', ''],
  ['a server in braces', 'server: { listen: 127.0.0.1:0, password: ${PASSWORD} } # ours\n'],
  ['an empty list', 'server:\n  users: []\n'],
  ['a list without a value', 'server:\n  users:\n  password: ${PASSWORD}\n'],
  ['a list without a value and with comments', 'server:\n  users: # people\n    # - name: cy\n    #   role: viewer\n'],
  ['a user in braces', `server: { users: [{ name: bob, role: operator, password_hash: "${hash}" }] }\n`],
  ['a user with a comment', `server:\n  # people\n  users:\n    - ${bob}\n  console: write\n`],
  ['Windows line ends', 'server:\r\n  console: write\r\n'],
])('a user is added and removed: %s', (_what, section) => {
  const before = `${start}${section}${sync()}# the end\n`;
  const others = usersInText(before);
  const added = textWithUser(before, ann);
  const env = { PASSWORD: 'a password of the server' };
  expect(load(added, { env }).server!.users.map(({ name }) => name)).toEqual([
    ...others.map(({ name }) => name),
    'ann',
  ]);
  expect(usersInText(added)).toEqual([...others, { name: 'ann', role: 'viewer' }]);
  for (const comment of before.match(/#[^\r\n]*/g) ?? []) expect(added).toContain(comment);
  for (const reference of before.match(/\$\{\w+\}/g) ?? []) expect(added).toContain(reference);
  const removed = textWithoutUser(added, 'Ann');
  expect(usersInText(removed!)).toEqual(others);
  expect(load(removed!, { env }).server!.console).toBe(before.includes('console: write') ? 'write' : 'read');
  expect(textWithoutUser(removed!, 'ann')).toBeUndefined();
});

test('a changed user keeps the place and the comment', () => {
  const before = `${start}server:\n  users:\n    - ${bob}\n    - name: cat\n      role: viewer\n      password_hash: ${hash}\n${sync()}`;
  const changed = textWithUser(before, { ...ann, name: 'Bob' });
  expect(usersInText(changed)).toEqual([
    { name: 'Bob', role: 'viewer' },
    { name: 'cat', role: 'viewer' },
  ]);
  expect(changed).toContain('role: viewer # of the night');
});

test('a list that is shared by an anchor is not changed in two places', () => {
  const before = `${start}server: &server { console: write }\nalerts: *server\n`;
  expect(() => textWithUser(before, ann)).toThrow('edit it by hand');
});

const shared = `server:
  users:
    - name: ann
      role: &role viewer
      accounts: &seen [acme]
      password_hash: &hash ${hash}
    - name: bob
      role: *role
      accounts: *seen
      password_hash: *hash
`;
const apart = shared
  .replace(/&seen |&hash /g, '')
  .replace('*seen', '[acme]')
  .replace('*hash', hash);

test.each([
  ['a role', apart],
  [
    'a password',
    apart
      .replace('&role ', '')
      .replace('*role', 'viewer')
      .replace(hash, `&hash ${hash}`)
      .replace(/(bob[^]*)\$scrypt.*/, '$1*hash'),
  ],
  ['accounts', shared],
])('a user who shares an anchor with another one is not changed in two places: %s', (_what, before) => {
  const operator = { ...ann, role: 'operator', accounts: ['acme', 'beta'], password_hash: `${hash}C` } as const;
  expect(() => textWithUser(before, operator)).toThrow('edit it by hand');
});

test('a user whose anchor another one needs is not removed, and the other one is', () => {
  expect(() => textWithoutUser(shared, 'ann')).toThrow('edit it by hand');
  expect(usersInText(textWithoutUser(shared, 'bob')!)).toEqual([{ name: 'ann', role: 'viewer', accounts: ['acme'] }]);
});

test('what a user has by an alias is told as what it stands for', () => {
  expect(usersInText(shared)).toEqual([
    { name: 'ann', role: 'viewer', accounts: ['acme'] },
    { name: 'bob', role: 'viewer', accounts: ['acme'] },
  ]);
});

test.each([
  ['no YAML', 'server: [\n', 'no YAML'],
  ['a text for the list', 'server: { users: ann }\n', 'no list of users'],
  ['names alone', 'server: { users: [ann] }\n', 'no list of users'],
  ['no server', 'server: null\n', 'server is null'],
])('refused: %s', (_what, text, said) => {
  expect(() => textWithUser(text, ann)).toThrow(said);
});
