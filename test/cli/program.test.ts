import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { run } from '../support/cli.ts';

test('--version prints the version of the package and exits 0', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
});

test.each([
  ['an unknown command', ['apu'], "unknown command 'apu', did you mean api?"],
  ['an unknown command that is near two', ['rus'], "unknown command 'rus', did you mean one of run, runs?"],
  ['an unknown command that is near none', ['xylophone'], "unknown command 'xylophone'"],
  ['an unknown option', ['sync', '--ful'], "unknown option '--ful', did you mean --full?"],
  ['a missing argument', ['apply'], "missing required argument 'file'"],
  ['an option without its value', ['resolve', 'x', '--use'], "option '--use <side>' argument missing"],
  [
    'a word that is no choice',
    ['sync', '--log-level', 'inof'],
    "option '--log-level <level>' argument 'inof' is invalid. It is one of trace, debug, info, warn, error, fatal, did you mean info?",
  ],
  [
    'a number that is out of range',
    ['runs', '--limit', '0'],
    "option '-n, --limit <count>' argument '0' is invalid. It is a number from 1 to 1000.",
  ],
  ['too many arguments', ['apply', 'a', 'b'], "too many arguments for 'apply'. Expected 1 argument but got 2: a, b."],
  [
    'options that exclude each other',
    ['config', '--schema', '--example'],
    "option '--schema' cannot be used with option '--example'",
  ],
  [
    'an operation that does not exist',
    ['api', 'lists.lst'],
    'there is no operation lists.lst, did you mean lists.list?',
  ],
])('%s: one line that begins with our name, and the exit code of wrong use', async (_what, args, text) => {
  expect(await run(args)).toEqual({ code: 64, stdout: '', stderr: `leadsheet: ${text}\n` });
});

test('a wrong configuration ends with a line in the same voice', async () => {
  const { code, stderr } = await run(['status', '--config', '/nowhere.yaml']);
  expect({ code, last: stderr.trimEnd().split('\n').at(-1) }).toEqual({
    code: 78,
    last: 'leadsheet: the configuration has something to correct; nothing was done',
  });
});

test('the help of each command fills its lines: none ends where the next word had room', async () => {
  const { stdout } = await run(['--help']);
  const names = [...stdout.split('Commands:')[1]!.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!);
  // `api` and `completion` have a line for each thing that they list.
  const prose = names.filter((name) => !['help', 'api', 'completion'].includes(name));
  expect(prose.length).toBeGreaterThan(25);
  const ragged: string[] = [];
  for (const name of prose) {
    const [, description = ''] = /^Usage: .*\n\n([\s\S]*?)\n\n(?:Arguments|Options):/.exec(
      (await run([name, '--help'])).stdout,
    )!;
    for (const paragraph of description.split('\n\n')) {
      const lines = paragraph.split('\n');
      lines.slice(1).forEach((line, above) => {
        if (`${lines[above]} ${line.split(' ')[0]}`.length < 100) ragged.push(`${name}: ${lines[above]}`);
      });
    }
  }
  expect(ragged).toEqual([]);
});
