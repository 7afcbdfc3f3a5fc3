// A digest of a configuration, by which a command finds out whether the daemon runs with the same one.
import { createHash } from 'node:crypto';
import { Secret } from '../lib/secret.ts';
import type { Config } from './config.ts';

/**
 * Secrets count: a daemon with an old token has another configuration. The salt, made anew by each daemon, keeps the digest
 * from being looked up. What does not change a run does not count: the place of the files, the options
 * of the log and of the server, and what is left out.
 */
export function configDigest(
  {
    path: _path,
    log: _log,
    server: _server,
    options: _options,
    written: _written,
    included: _included,
    faults: _faults,
    accounts,
    ...config
  }: Config,
  salt: string,
): string {
  const counted = { accounts: [...accounts.values()], ...config };
  const text = JSON.stringify(counted, function reveal(this: Record<string, unknown>, key, value: unknown) {
    const raw = this[key];
    return raw instanceof Secret ? raw.reveal() : value;
  });
  return createHash('sha256').update(`${salt}\n${text}`).digest('hex');
}
