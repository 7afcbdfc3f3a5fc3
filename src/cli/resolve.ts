import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { createShape } from '../engine/sync/shape.ts';
import { type OpenConflict, readStanding } from '../engine/standing.ts';
import type { Store } from '../state/port.ts';
import type { Resolution } from '../sync/input.ts';
import { isTooLong, readCell, tooLong } from '../sync/value/kinds.ts';
import { recordDecisions } from './decide.ts';
import { didYouMean, UsageError } from './errors.ts';
import type { GlobalOptions } from './globals.ts';
import { openState } from './open.ts';
import { valueText } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface ResolveOptions extends GlobalOptions {
  readonly use?: string;
  readonly value?: string;
}

interface FoundConflict {
  readonly sync: string;
  readonly conflict: OpenConflict;
}

export function resolveCommand(program: Command, world: CliWorld): void {
  program
    .command('resolve')
    .summary('decide a conflict; the next run carries it out')
    .description('Says what a field that both sides changed is to be, on both sides. The next run writes it.')
    .argument('<id>', 'as leadsheet conflicts shows it')
    .option(
      '--use <side>',
      'crm or sheet: what that side holds by then; anything else is the value itself, "" is blank',
    )
    .option('--value <text>', 'the value itself, also where it reads crm or sheet')
    .action(async (id: string, _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<ResolveOptions>();
      const { config, store } = openState(globals, world);
      const { sync, conflict } = await findConflict(id, config, store);
      const resolution = readResolution(globals, conflict, config, sync);
      const text =
        'use' in resolution
          ? `${conflict.field} takes what the ${resolution.use === 'crm' ? 'service' : 'sheet'} holds`
          : `${conflict.field} becomes ${valueText(resolution.value)} on both sides`;
      const request = { kind: 'resolve', id: conflict.id, resolution } as const;
      await recordDecisions([{ sync, request, text }], store, globals, world);
    });
}

async function findConflict(id: string, { syncs }: Config, store: Store): Promise<FoundConflict> {
  const all: FoundConflict[] = [];
  for (const { name } of syncs) {
    const { conflicts } = await readStanding(store.sync(name));
    all.push(...conflicts.map((conflict) => ({ sync: name, conflict })));
  }
  const hits = all.filter(({ conflict }) => conflict.id === id.toLowerCase() || conflict.id === id);
  if (hits.length === 1) return hits[0]!;
  const known = all.map(({ conflict }) => conflict.id);
  if (known.length === 0) throw new UsageError(`there is no conflict ${id}: none is open`);
  const hint = didYouMean(id, known) || `; leadsheet conflicts lists the ${known.length} that are open`;
  throw new UsageError(`there is no conflict ${id}${hint}`);
}

/** A typed value is read as a cell of that column would be. */
function readResolution(
  { use, value }: ResolveOptions,
  { field: name }: OpenConflict,
  config: Config,
  sync: string,
): Resolution {
  if ((use === undefined) === (value === undefined)) {
    throw new UsageError('resolve needs --use crm, --use sheet or --use VALUE (or --value VALUE), one of them');
  }
  if (use === 'crm' || use === 'sheet') return { use };
  const text = use ?? value ?? '';
  const { mapping } = createShape(
    config.syncs.find((each) => each.name === sync)!,
    Infinity,
  );
  const field = mapping.fields.find((each) => each.name === name);
  if (!field) throw new UsageError(`${name} is no longer mapped in ${sync}: its conflict ends with the next run`);
  const read = readCell(field.kind, text);
  if (read === undefined || (typeof read === 'object' && read !== null)) {
    throw new UsageError(`${valueText(text)} cannot be a value of ${name}, which is of kind ${field.kind}`);
  }
  if (isTooLong(read)) throw new UsageError(`${name}: ${tooLong}`);
  return { value: read };
}
