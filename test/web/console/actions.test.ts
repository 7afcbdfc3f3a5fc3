import { expect, test } from 'vitest';
import { createDaemonTrial, until } from '../../support/daemon.ts';

/* Actions of the console over HTTP: who may do them, and which requests are refused. */

async function begin(mode: 'read' | 'write') {
  const trial = createDaemonTrial({ file: { server: { listen: '127.0.0.1:0', console: mode } } });
  const { url } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  const page = async (path: string) => (await fetch(url + path)).text();
  const act = (
    action: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    fetch(`${url}/do/${action}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: url, ...headers },
      body: new URLSearchParams(fields),
    });
  const token = async () => /name="token" value="([^"]+)"/.exec(await page('/jobs/prospects'))?.[1] ?? '';
  /** The pause that the forms of the page show. */
  const shown = async () => /name="paused" value="([^"]*)"/.exec(await page('/jobs/prospects'))?.[1] ?? '';
  return { ...trial, url, page, act, token, shown };
}

test('a job is paused and resumed by its buttons, and the decision names the console', async () => {
  const { page, act, token, shown } = await begin('write');
  const answer = await act('pause', { token: await token(), job: 'prospects', reason: 'a long lunch' });
  expect(answer.status).toBe(303);
  const next = await page(answer.headers.get('location')!);
  expect(next).toContain('prospects is paused');
  expect(next).toContain('a long lunch');
  expect((await act('resume', { token: await token(), job: 'prospects', paused: await shown() })).status).toBe(303);
  expect(await page('/jobs/prospects')).not.toContain('a long lunch');
});

test('W13: the pause of another person is neither replaced nor ended by a page that does not show it', async () => {
  const { page, act, token, shown, cli } = await begin('write');
  const right = { token: await token(), job: 'prospects' };
  const before = await shown();
  await cli('pause', 'prospects', '--reason', 'the list is being cleaned');
  const replaced = await act('pause', { ...right, paused: before, lasts: '1h' });
  expect([replaced.status, await replaced.text()]).toEqual([
    200,
    expect.stringMatching(/Nothing was decided[^]*the list is being cleaned/) as string,
  ]);
  const first = await shown();
  await cli('pause', 'prospects', '--reason', 'the list is being moved');
  const ended = await act('resume', { ...right, paused: first });
  expect(await ended.text()).toMatch(/Nothing was decided[^]*the list is being moved/);
  expect(await page('/jobs/prospects')).toContain('the list is being moved');
  expect((await act('resume', { ...right, paused: await shown() })).status).toBe(303);
  expect(await page('/jobs/prospects')).not.toContain('Paused by');
});

test('"run now" begins a run', async () => {
  const { act, token, page } = await begin('write');
  const answer = await act('run', { token: await token(), job: 'prospects' });
  expect(await page(answer.headers.get('location')!)).toMatch(/prospects: a run (begins|follows)/);
});

test('a form without its token, from another page, or of a console that only reads does nothing', async () => {
  const { act, token, page } = await begin('write');
  const right = { token: await token(), job: 'prospects' };
  expect((await act('pause', { job: 'prospects' })).status).toBe(403);
  expect((await act('pause', { ...right, token: 'x' })).status).toBe(403);
  expect((await act('pause', right, { origin: 'http://evil.test' })).status).toBe(403);
  expect((await act('pause', right, { origin: 'null', 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await act('toString', right)).status).toBe(404);
  expect((await act('pause', { ...right, job: 'x'.repeat(600_000) })).status).toBe(413);
  expect(await page('/jobs/prospects')).not.toContain('Paused by');
  const reading = await begin('read');
  expect(await reading.token()).toBe('');
  expect((await reading.act('pause', right)).status).toBe(403);
});

test('a notice of another page is not told', async () => {
  const { page } = await begin('write');
  expect(await page('/?notice=You+have+won')).not.toContain('You have won');
});
