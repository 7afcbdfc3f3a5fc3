import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { run } from '../support/cli.ts';

test('--version prints the version of the package and exits 0', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
});

test('an unknown command exits 64 and names the nearest', async () => {
  const { code, stderr } = await run(['apu']);
  expect(code).toBe(64);
  expect(stderr).toContain('Did you mean api?');
});
