// The completion of command lines in real shells. bash is on every machine of the tests; zsh and fish are tested where they are installed.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completionScripts, shells } from '../../src/cli/completion/scripts.ts';
import { historyFolder } from '../support/history-folder.ts';
import { programOf } from '../support/program.ts';
import { inTerminal, watch } from '../support/terminal.ts';

/** A folder with the program as `leadsheet`, as an installed package has it, and what a shell needs to find it. */
function createShellFolder() {
  const { folder, config } = historyFolder(1);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const { file, args, env } = programOf([]);
  const command = join(bin, 'leadsheet');
  writeFileSync(command, `#!/bin/sh\nexec '${file}' '${args.join("' '")}' "$@"\n`);
  chmodSync(command, 0o755);
  writeFileSync(join(folder, 'a plan.json'), '{}');
  return { folder, env: { ...env, PATH: `${bin}:${env.PATH}`, LEADSHEET_CONFIG: config, HOME: folder, PS1: '$ ' } };
}

/** A bash at its prompt, with the completion loaded as docs/commands.md says. */
async function startBash() {
  const { folder, env } = createShellFolder();
  const bash = watch(inTerminal('bash', ['--norc', '--noprofile', '-i'], { cwd: folder, env, columns: 200 }));
  bash.type("bind 'set bell-style none'; source <(leadsheet completion bash); echo LOADED-$?\r");
  await bash.until('LOADED-0');
  return bash;
}

/** Each in a line of its own of one bash. */
const completedByBash = [
  ['a command', 'leadsheet statu\t', 'leadsheet status '],
  ['a job of the configuration', 'leadsheet sync pe\t', 'leadsheet sync people '],
  ['the value of an option after =', 'leadsheet log --sync=pe\t', 'leadsheet log --sync=people '],
  ['a field', 'leadsheet log --field em\t', 'leadsheet log --field email '],
  ['a file whose name has a space', 'leadsheet apply a\t', 'leadsheet apply a\\ plan.json '],
  ['a parameter of an operation', 'leadsheet api contacts.get --uu\t', 'leadsheet api contacts.get --uuid '],
] as const;

test('bash completes commands, jobs, values, fields, files and parameters', async () => {
  const bash = await startBash();
  for (const [what, typed, completed] of completedByBash) {
    // Ctrl-U: the line is empty again.
    bash.type(`\u0015${typed}`);
    expect({ what, shown: await bash.until(completed) }).toEqual({ what, shown: expect.stringContaining(completed) });
  }
});

const hasShell = (shell: string) => spawnSync(shell, ['--version']).error === undefined;

/** Each loads the script as docs/commands.md says, without the files of the account. The sum is not what was typed. */
const others = {
  zsh: {
    args: ['-f', '-i'],
    load: 'autoload -Uz compinit; compinit -D; source <(leadsheet completion zsh); echo LOADED-$((40 + 2))',
  },
  fish: { args: ['--no-config', '-i'], load: 'leadsheet completion fish | source; echo LOADED-(math 40 + 2)' },
} as const;

/** Each in a line of its own of one shell: to load the completion takes longer than to use it. */
const completedByOthers = [
  ['a job of the configuration', 'leadsheet sync pe\t', '<leadsheet><sync><people>'],
  ['the value of an option after =', 'leadsheet log --sync=pe\t', '<leadsheet><log><--sync=people>'],
  ['a field', 'leadsheet log --field em\t', '<leadsheet><log><--field><email>'],
  ['a file whose name has a space', 'leadsheet apply a\t', '<leadsheet><apply><a plan.json>'],
  ['two words one after the other', 'leadsheet statu\t--ex\t', '<leadsheet><status><--exit-code>'],
  [
    'nothing of a configuration that is not there',
    "leadsheet --config 'x y' log --sync pe\t",
    '<leadsheet><--config><x y><log><--sync><pe>',
  ],
] as const;

test.each((Object.keys(others) as (keyof typeof others)[]).filter((shell) => hasShell(shell)))(
  '%s, which is installed, completes jobs, values, fields, files and words, and nothing without a configuration',
  async (shell) => {
    const { folder, env } = createShellFolder();
    const { args, load } = others[shell];
    const options = { cwd: folder, env: { ...env, TERM: 'xterm' }, columns: 200 };
    const terminal = watch(inTerminal(shell, args, options));
    terminal.type(`${load}\r`);
    await terminal.until('LOADED-42');
    for (const [index, [what, typed, words]] of completedByOthers.entries()) {
      // Ctrl-A and Ctrl-E: what is typed next stands around the command, and prints its words instead of running it.
      terminal.type(`${typed}\u0001printf '<%s>' ${index} \u0005 ''\r`);
      const printed = new RegExp(`<${index}>((?:<[^<>]+>)+)<>`);
      const [, shown] = printed.exec(await terminal.until(printed))!;
      expect({ what, shown }).toEqual({ what, shown: words });
    }
  },
);

test('words on the command line are never run as code, and a broken configuration prints nothing', async () => {
  const { folder, env } = createShellFolder();
  writeFileSync(join(folder, 'broken.yaml'), 'syncs: [');
  const script = `source <(leadsheet completion bash)
    COMP_WORDS=(leadsheet sync '$(touch hacked)' '\`touch hacked\`' ''); COMP_CWORD=4
    _leadsheet leadsheet; echo "words: \${COMPREPLY[*]}"
    LEADSHEET_CONFIG=broken.yaml _leadsheet leadsheet; echo "none: \${COMPREPLY[*]}"
    ls`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { cwd: folder, env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('words: people\nnone: \n');
  expect(stdout).not.toContain('hacked');
});

test('each script parses in its shell, where this machine has it', () => {
  const { folder } = historyFolder(1);
  const parsed = shells.filter((shell) => {
    const file = join(folder, shell);
    writeFileSync(file, completionScripts[shell]);
    const { error, stderr, status } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    if (error) return false;
    expect({ shell, status, stderr }).toEqual({ shell, status: 0, stderr: '' });
    return true;
  });
  expect(parsed).toContain('bash');
});
