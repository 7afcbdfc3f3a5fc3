import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../support/cli.ts';
import { createDaemonTrial, until } from '../support/daemon.ts';

/* `leadsheet run`: from the configuration to the exit code. */

test('W8: a signal ends it with exit 0, its log on standard output, and nothing on standard error', async () => {
  const trial = createDaemonTrial();
  const stop = new AbortController();
  const ended = run(
    ['--config', trial.configFile, '--log-level', 'info', 'run'],
    {},
    { ...world(trial), stop: stop.signal },
  );
  await until(() => trial.service.received.entries.length > 0);
  stop.abort(new Error('stopped by SIGTERM'));
  const { code, stdout, stderr } = await ended;
  const messages = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(messages[0]).toBe('leadsheet started');
  expect(messages.at(-1)).toBe('leadsheet ended');
  expect(messages).not.toContain('run started');
});

test('a port that is taken is one line, exit 1, before anything is asked of either side', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const trial = createDaemonTrial({ file: { server: { listen: `127.0.0.1:${port}` } } });
  const { code, stderr } = await run(['--config', trial.configFile, 'run'], {}, world(trial));
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `leadsheet: server.listen: port ${port} of 127.0.0.1 is taken by another process; end that one, or set another port\n`,
  });
  expect(trial.service.received.entries).toEqual([]);
});

test('a wrong configuration is exit 78, with the fault', async () => {
  const trial = createDaemonTrial({ file: { log: { levle: 'info' } } });
  const { code, stderr } = await run(['--config', trial.configFile, 'run'], {}, world(trial));
  expect(code).toBe(78);
  expect(stderr).toContain('levle');
});

test('credentials that cannot be read are one line, exit 1', async () => {
  const trial = createDaemonTrial({ file: { google: { credentials_file: '/nowhere/key.json' } } });
  const { code, stderr } = await run(['--config', trial.configFile, 'run'], {}, world(trial));
  expect(code).toBe(1);
  expect(stderr).toMatch(/^leadsheet: \/nowhere\/key\.json: .+\n$/);
});

function world({ transport }: ReturnType<typeof createDaemonTrial>) {
  let chance = 0.5;
  return { transport, random: () => (chance = (chance * 16_807 + 0.123) % 1) };
}
