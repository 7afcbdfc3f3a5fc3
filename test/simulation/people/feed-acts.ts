// What people do about the feed of a story: in its tab, and with the lists of the service that it shows.
import { type FeedAct } from '../scenario/scenario.ts';
import { feedTab } from '../world/setting.ts';
import type { Sides } from '../world/sides.ts';
import type { Spreadsheet } from '../../../src/standin/sheets/spreadsheet.ts';
import { cellText } from '../world/view.ts';
import { hasMerges } from './tab-hands.ts';

export interface FeedRowView {
  /** 1-based. */
  readonly number: number;
  readonly id: string;
  readonly name: string;
  /** In a column that is not mapped. */
  readonly note: string;
  readonly sync: string;
  /** Merged cells show another one in the place of one of its cells. */
  readonly isCovered: boolean;
}

/** The rows of the feed's tab that have any text. */
export function feedRows({ file }: Pick<Sides, 'file'>): readonly FeedRowView[] {
  return feedRowsOf(file.content);
}

export function feedRowsOf(content: Spreadsheet): readonly FeedRowView[] {
  const sheet = content.findSheetByTitle(feedTab);
  const rows = sheet?.rows ?? [];
  const header = (rows[0]?.cells ?? []).map((cell) => cellText(cell));
  return rows.flatMap((row, index) => {
    const text = (name: string) => cellText(row?.cells[header.indexOf(name)]);
    const [id, name, note, sync] = [text('ID'), text('Name'), text('Notes'), text('Sync')];
    if (index === 0 || (id === '' && name === '' && note === '')) return [];
    const isCovered = header.some((_, column) => sheet!.isCovered(index, column));
    return [{ number: index + 1, id, name, note, sync, isCovered }];
  });
}

/** People merged ID cells of several rows. */
export function areFeedIdsCovered({ file }: Pick<Sides, 'file'>): boolean {
  const sheet = file.content.findSheetByTitle(feedTab);
  const column = (sheet?.rows[0]?.cells ?? []).findIndex((cell) => cellText(cell) === 'ID');
  return (sheet?.merges ?? []).some(({ left, top, bottom }) => left === column && bottom - top > 1);
}

const listsMax = 8;

/** Returns what was done; undefined: nothing could be. `count`: of the acts so far, for names. */
export function actOnFeed(sides: Sides, what: FeedAct, part: number, count: number): string | undefined {
  const { service, person, lists } = sides;
  const { table } = service.model.lists;
  const pick = <Item>(items: readonly Item[]) => items[Math.floor((part * items.length) / 1000)];
  // The list of the sync keeps its name.
  const others = [...table.all()].filter(({ uuid }) => uuid !== lists.here());
  const row = pick(feedRows(sides));
  switch (what) {
    case 'add list':
      if (others.length >= listsMax) return undefined;
      service.model.lists.add({ name: `List ${count}` });
      return `crm: makes the list "List ${count}"`;
    case 'rename list': {
      const list = pick(others);
      if (!list) return undefined;
      table.change(list.uuid, { name: `List ${count}` }, service.world.now());
      return `crm: renames the list "${list.name}" to "List ${count}"`;
    }
    case 'type over feed':
      if (!row) return undefined;
      person.paste(`'${feedTab}'!B${row.number}`, [[`typed ${count}`]]);
      return `feed: types over the name in row ${row.number}`;
    case 'delete feed row':
      if (!row) return undefined;
      person.deleteRows(feedTab, row.number);
      return `feed: deletes row ${row.number}`;
    case 'sort feed':
      if (!row || hasMerges(sides.file.content, feedTab)) return undefined;
      person.sort(feedTab, 'B', part < 500 ? 'ASCENDING' : 'DESCENDING');
      return 'feed: sorts by name';
  }
}
