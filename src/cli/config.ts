// The command `config`: prints the effective configuration, its schema or an example.
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { effectiveConfig } from '../config/effective.ts';
import { describeConfigFile } from '../app-config.ts';
import type { GlobalOptions } from './globals.ts';
import { readWholeConfig } from './read-config.ts';
import { jsonText } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface ConfigOptions extends GlobalOptions {
  readonly schema?: true;
  readonly example?: true;
}

export async function runConfig(globals: ConfigOptions, world: CliWorld): Promise<void> {
  world.stdout.write(textFor(globals, world));
}

function textFor(globals: ConfigOptions, world: CliWorld): string {
  if (globals.schema) return jsonText(describeConfigFile());
  if (globals.example) return readFileSync(new URL('../../config/example.yaml', import.meta.url), 'utf8');
  const options = effectiveConfig(readWholeConfig(globals, world));
  return globals.json ? jsonText(options) : stringify(options);
}
