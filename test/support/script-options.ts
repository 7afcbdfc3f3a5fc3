// Reads the options of a script of the tests. A wrong option is one line, and `--help` names them all.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { didYouMean } from '../../src/lib/nearest.ts';

/** Wrong use of the command line (EX_USAGE of sysexits.h). */
export const wrongUse = 64;

/** `script`: as it is called. Ends the process after `--help`, and if an option is unknown or lacks its value. */
export function scriptOptions<const Options extends ParseArgsOptionsConfig>(script: string, options: Options) {
  const names = Object.keys(options).map((name) => `--${name}`);
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    const shown = Object.entries(options).map(([name, { type }]) => `[--${name}${type === 'string' ? ' VALUE' : ''}]`);
    process.stdout.write(`${script} -- ${shown.join(' ')}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [what = ''] = error.message.split(/\. |\n/);
    const [given = ''] = /--[\w-]+/.exec(what) ?? [];
    const hint = names.includes(given) ? '' : didYouMean(given, names);
    process.stderr.write(`${script}: ${what}${hint}; ${script} -- --help names the options\n`);
    process.exit(wrongUse);
  }
}
