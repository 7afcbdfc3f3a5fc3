import { expect, test } from 'vitest';
import { hasColour } from '../../src/cli/colour.ts';
import { createSyncTrial } from '../support/app.ts';

/* Colour: wanted on a terminal, or by an option or the environment; never in JSON, and never by a text of other people. */

const terminal = { isTTY: true, write: () => {} };
const pipe = { write: () => {} };

test.each([
  ['a terminal', 'auto', terminal, {}, true],
  ['a pipe', 'auto', pipe, {}, false],
  ['a dumb terminal', 'auto', terminal, { TERM: 'dumb' }, false],
  ['NO_COLOR', 'auto', terminal, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR, which counts as none', 'auto', terminal, { NO_COLOR: '' }, true],
  ['FORCE_COLOR in a pipe', 'auto', pipe, { FORCE_COLOR: '1' }, true],
  ['an empty FORCE_COLOR, which Node counts as set', 'auto', pipe, { FORCE_COLOR: '' }, true],
  ['FORCE_COLOR=0', 'auto', terminal, { FORCE_COLOR: '0' }, false],
  ['both, of which FORCE_COLOR counts, as in Node', 'auto', pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ['--color always in a pipe, over NO_COLOR', 'always', pipe, { NO_COLOR: '1' }, true],
  ['--color never on a terminal, over FORCE_COLOR', 'never', terminal, { FORCE_COLOR: '1' }, false],
] as const)('%s (%s)', (_, mode, output, env, expected) => {
  expect(hasColour(mode, output, { env })).toBe(expected);
});

const red = '\u001b[31m';
const style = /\u001b\[\d+m/; // oxlint-disable-line no-control-regex -- these are what it looks for

test('states, problems, before and after have colours; the same text without them is what a pipe gets', async () => {
  const trial = createSyncTrial({ sync: { conflict: 'manual' } });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', company_name: 'Firm' });
  for (const command of ['plan', 'sync', 'status', 'log', 'runs']) {
    const coloured = await trial.cli(command, '--color', 'always');
    const plain = await trial.cli(command);
    expect({ command, isColoured: style.test(coloured.stdout) }).toEqual({ command, isColoured: true });
    expect({ command, isColoured: style.test(plain.stdout) }).toEqual({ command, isColoured: false });
  }
  expect((await trial.cli('status', '--color', 'always')).stdout).toContain('\u001b[32msucceeded\u001b[39m');
  const coloured = (await trial.cli('log', '--color', 'always')).stdout;
  expect(coloured).toContain('\u001b[2m""\u001b[22m -> \u001b[32m"Firm"\u001b[39m');
  expect(coloured.replaceAll(new RegExp(style, 'g'), '')).toBe((await trial.cli('log')).stdout);
});

test('JSON has no colour, even where it is forced', async () => {
  const trial = createSyncTrial({});
  trial.addContact({ first_name: `${red}Ann`, email: 'ann@firm.io' });
  await trial.run();
  for (const command of ['plan', 'status', 'log', 'runs', 'check']) {
    const { stdout } = await trial.cli(command, '--json', '--color', 'always');
    expect({ command, isColoured: style.test(stdout) }).toEqual({ command, isColoured: false });
  }
});

test('a name that holds the sequence of a colour is printed escaped', async () => {
  const trial = createSyncTrial({});
  trial.addContact({ first_name: `${red}Ann`, email: 'ann@firm.io' });
  await trial.run();
  const { stdout } = await trial.cli('log', '--color', 'always');
  expect(stdout).toContain(String.raw`\u001b[31mAnn`);
  expect(stdout).not.toContain(`${red}Ann`);
});
