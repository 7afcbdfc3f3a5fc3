// The account that `api` calls: that of the options and the environment, else that of the configuration.
import { existsSync } from 'node:fs';
import { readServiceSettings, readToken, type ServiceSettings } from '../../config/service-settings.ts';
import { selectAccount } from '../../operator/select-account.ts';
import { UsageError } from '../errors.ts';
import { configPathOf, type GlobalOptions } from '../globals.ts';
import { readConfig } from '../read-config.ts';
import type { CliWorld } from '../world.ts';

interface AccountOptions extends GlobalOptions {
  readonly account?: string;
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  readonly timeoutSecs?: number;
}

/**
 * An address that is given needs no configuration. A file that `--config` names, and an account of it, count before the
 * environment. Throws SettingsError, ConfigError, OperatorError and UsageError.
 */
export function readAccount(options: AccountOptions, world: CliWorld): ServiceSettings {
  const { config, baseUrl, tokenFile, timeoutSecs } = options;
  const { env } = world;
  if (config !== undefined && baseUrl !== undefined) {
    throw new UsageError('give --config or --base-url, not both: each names an account');
  }
  if (options.account !== undefined && baseUrl !== undefined) {
    throw new UsageError('give --account or --base-url, not both: each names an account');
  }
  const isOwnAddress = baseUrl !== undefined || Boolean(env['OUTREACH_BASE_URL']);
  const isConfigured =
    config !== undefined || Boolean(env['LEADSHEET_CONFIG']) || existsSync(configPathOf(options, world));
  const isNamed = config !== undefined || options.account !== undefined;
  if (!isNamed && (isOwnAddress || !isConfigured)) return readServiceSettings(env, options);
  const { crm } = selectAccount(readConfig(options, world), options.account);
  return {
    ...crm,
    ...(tokenFile !== undefined && { token: readToken(env, tokenFile) }),
    ...(timeoutSecs !== undefined && { timeoutMs: timeoutSecs * 1_000 }),
  };
}
