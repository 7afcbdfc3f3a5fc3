// Keeps compiled code between commands, so that a command starts in half the time.
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Node keeps the compiled code of every module in a folder of this account: `NODE_COMPILE_CACHE`, else
 * `$XDG_CACHE_HOME/leadsheet` or `~/.cache/leadsheet`. Node's default is a folder that all accounts of the machine share,
 * where another account could place code. The folder may be deleted at any time. If it cannot be written, commands start
 * as slowly as without it.
 */
export function keepCompiledCode(env: Readonly<Record<string, string | undefined>>): void {
  if (env['NODE_COMPILE_CACHE']) return;
  try {
    enableCompileCache(join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'leadsheet'));
  } catch {
    // An account without a home folder.
  }
}
