import type { Violation } from '../oracle/evidence.ts';
import { normalOf } from '../people/token.ts';
import { headerOf, idHeader, mirrorTab, type Setting, shownFields } from '../world/setting.ts';
import type { Sides } from '../world/sides.ts';
import { cellText, contactValue } from '../world/view.ts';

/** W17: a sync that only shows contacts has, right after a run, each contact as it was when the run began. */
export function mirrorsShow(
  { file, service, lists }: Sides,
  setting: Setting,
  name: string,
  /** Contacts that nothing has changed since. */
  known: ReadonlySet<string>,
): readonly Violation[] {
  const [header, ...rows] = file.content.findSheetByTitle(mirrorTab(name))?.rows ?? [];
  const names = (header?.cells ?? []).map((cell) => cellText(cell));
  const textOf = (row: (typeof rows)[number], column: string) => cellText(row?.cells[names.indexOf(column)]);
  return [...service.model.contacts.all()].flatMap(({ record }): Violation[] => {
    if (record.list_uuid !== lists.here() || !known.has(record.uuid)) return [];
    const own = rows.filter((row) => textOf(row, idHeader) === record.uuid);
    if (own.length !== 1) return [{ law: 'W17', text: `${name} has ${own.length} rows of ${record.uuid}` }];
    return shownFields(setting).flatMap((field) => {
      const [wanted, shown] = [contactValue(record, field), textOf(own[0], headerOf[field])];
      return normalOf(field, wanted) === normalOf(field, shown)
        ? []
        : [
            {
              law: 'W17',
              text: `${name} shows ${field} of ${record.uuid} as "${shown}", and it was "${wanted}" when its run began`,
            },
          ];
    });
  });
}
