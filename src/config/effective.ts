// The effective configuration: every option with its default.
import type { Config } from './config.ts';

/** `config --effective`: the options in the file's own words, with every default, and a mask for every secret. */
export function effectiveConfig({ options, syncs }: Config): Readonly<Record<string, unknown>> {
  const explicit = syncs.map(({ name, match, columns }) => [
    name,
    {
      ...options.syncs[name],
      match: match.map((key) => key.join('+')),
      columns: Object.fromEntries(
        columns.map(({ header, target, direction, conflict, blank }) => [
          header,
          {
            ...(target.kind === 'field' ? { field: target.field.name } : { custom_field: target.name }),
            direction,
            conflict,
            blank,
          },
        ]),
      ),
    },
  ]);
  // JSON.stringify turns a secret into its mask.
  return JSON.parse(JSON.stringify({ ...options, syncs: Object.fromEntries(explicit) })) as Record<string, unknown>;
}
