import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { runCli } from '../../src/cli/program.ts';

test('--version prints the version of the package and exits 0', async () => {
  let printed = '';
  const stdout = { write: (text: string) => (printed += text) };
  expect(await runCli(['--version'], { env: {}, stdout, stderr: stdout })).toBe(0);
  expect(printed).toBe(`${packageJson.version}\n`);
});
