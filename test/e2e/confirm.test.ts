// The confirmation of a call that deletes, at a real keyboard.
import { expect, test } from 'vitest';
import { serve } from '../../src/standin/serve.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { startInTerminal } from '../support/terminal.ts';

test.each([
  ['y\r', 0, false],
  ['n\r', 1, true],
  ['\u0004', 1, true],
  ['\u0003', 130, true],
])('the answer %j to "Go on?" ends with %i', async (keys, code, isLeft) => {
  const standin = createServiceStandin({ now: () => Date.now(), seed: 1, acceptedTokens: ['good'] });
  await using server = await serve(standin.app, 0);
  const { uuid } = standin.model.contacts.add({ fields: { first_name: 'Ann' } }).record;
  const env = { OUTREACH_BASE_URL: server.url, OUTREACH_TOKEN: 'good' };
  const terminal = startInTerminal(['api', 'contacts.delete', '--uuid', uuid], { env });
  await terminal.until('Go on? [y/N] ');
  terminal.type(keys);
  expect((await terminal.ended).code).toBe(code);
  expect([...standin.model.contacts.all()].some(({ record }) => record.uuid === uuid)).toBe(isLeft);
});
