import type { Command } from 'commander';
import { readStanding, type Standing } from '../engine/standing.ts';
import { conflictToAnswer } from './answers.ts';
import type { GlobalOptions } from './globals.ts';
import { openState } from './open.ts';
import { columnsText, countText, jsonText, recordText, timeText, valueText } from './print/lines.ts';
import { lineText } from '../log/printable.ts';
import { selectSyncs } from './select.ts';
import type { CliWorld } from './world.ts';

export function conflictsCommand(program: Command, world: CliWorld): void {
  program
    .command('conflicts')
    .summary('fields that both sides changed, for somebody to decide')
    .description('Lists every open conflict with what both sides last agreed on and what each holds now.')
    .argument('[name...]', 'syncs; all if none is named')
    .action(async (names: string[], _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<GlobalOptions>();
      const { config, store } = openState(globals, world);
      const found: { readonly sync: string; readonly standing: Standing }[] = [];
      for (const name of selectSyncs(config, names)) {
        found.push({ sync: name, standing: await readStanding(store.sync(name)) });
      }
      if (globals.json) {
        const conflicts = found.flatMap(({ sync, standing }) =>
          standing.conflicts.map((conflict) => conflictToAnswer(sync, conflict)),
        );
        world.stdout.write(jsonText({ conflicts }));
      } else world.stdout.write(conflictsText(found));
    });
}

function conflictsText(found: readonly { readonly sync: string; readonly standing: Standing }[]): string {
  const count = found.reduce((sum, { standing }) => sum + standing.conflicts.length, 0);
  if (count === 0) return 'no conflicts\n';
  const texts = found.flatMap(({ sync, standing: { conflicts, requests } }) =>
    conflicts.map(({ id, contact, row, field, base, crm, sheet, since }) => {
      const isDecided = requests.some((request) => request.kind === 'resolve' && request.id === id);
      const rows = [
        ['agreed', valueText(base)],
        ['crm', valueText(crm)],
        ['sheet', valueText(sheet)],
      ];
      const decided = isDecided ? '    decided; the next run carries it out\n' : '';
      return `  ${lineText(id)}\n    ${lineText(field)} of ${recordText(contact, row)}, ${sync}, since ${timeText(since)}\n${columnsText(rows, '      ')}${decided}`;
    }),
  );
  return (
    `${countText(count, 'conflict')}\n${texts.join('')}\n` +
    'Decide each: leadsheet resolve ID --use crm|sheet|VALUE, or make both sides equal\n'
  );
}
