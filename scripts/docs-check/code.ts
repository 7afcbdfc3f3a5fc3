// Finds what is wrong with the code of the docs: shells, scripts of npm and files that are named, JavaScript and TypeScript.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

const root = join(import.meta.dirname, '..', '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly scripts: object };
/** Names of scripts that a text calls and package.json lacks, and files of ours that it runs and that are not there. */
export function unknownCalls(text: string): readonly string[] {
  const called = [...text.matchAll(/\bnpm run (?:-\w+ |--\w+ )*([a-z]\w*(?::\w+)?)/g)].map(([, name = '']) => name);
  const files = [...text.matchAll(/\bnode ((?:src|scripts|test|bench)\/\S+\.[jt]s)\b/g)].map(([, file = '']) => file);
  return [
    ...called.filter((name) => !Object.hasOwn(scripts, name)).map((name) => `package.json has no script ${name}`),
    ...files.filter((file) => !existsSync(join(root, file))).map((file) => `there is no ${file}`),
  ];
}

/** What bash says of a text that it reads and does not run. Empty where there is no bash. */
export function faultsOfShell(code: string): readonly string[] {
  // A prompt tells commands from their output.
  const lines = code.split('\n');
  const isSession = lines.some((line) => line.startsWith('$ '));
  const input = isSession ? lines.flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : [])).join('\n') : code;
  const { status, stderr } = spawnSync('bash', ['-n'], { input, encoding: 'utf8' });
  return status === null || status === 0 ? [] : stderr.trim().split('\n');
}

/** What is no JavaScript, or no TypeScript. */
export function faultsOfScript(language: 'js' | 'ts', code: string): readonly string[] {
  return parseSync(`code.${language}`, code).errors.map(({ message }) => message);
}
