// What people's hands do in the tab of the feed of a story: they sort, cut, copy, empty, type over and merge its cells.
import type { FeedHandsAct } from '../scenario/scenario.ts';
import { feedTab } from '../world/setting.ts';
import type { Sides } from '../world/sides.ts';
import { type FeedRowView, feedRows } from './feed-acts.ts';
import type { FeedLog } from './feed-log.ts';
import { createTabHands, hasMerges } from './tab-hands.ts';
import { pick } from './typing.ts';

const mergedHeaders = ['Name', 'Name', 'ID', 'Sync'] as const;
const rowsMax = 20;

/** Nobody sorts, copies or cuts over merged cells: the spreadsheet refuses it. */
const movingActs: ReadonlySet<FeedHandsAct> = new Set([
  'sort feed cells',
  'copy feed row',
  'copy feed row over',
  'cut feed row',
]);

interface Acting {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** Of the acts so far, for texts. */
  readonly count: number;
}

/** Returns what was done; undefined: nothing could be. */
export function actOnFeedByHand(sides: Sides, log: FeedLog, what: FeedHandsAct, acting: Acting): string | undefined {
  if (what === 'delete list') return deleteList(sides, acting);
  if (movingActs.has(what) && hasMerges(sides.file.content, feedTab)) return undefined;
  const told = move(sides, what, { ...acting, rows: feedRows(sides) });
  if (hasMerges(sides.file.content, feedTab)) log.hasMerged = true;
  for (const [id, { length }] of Map.groupBy(feedRows(sides), (row) => row.id)) if (length > 1) log.copied.add(id);
  return told;
}

/** Only one that an act made: the contacts are in the others. */
function deleteList({ service }: Sides, { a }: Acting): string | undefined {
  const { table } = service.model.lists;
  const list = pick(
    [...table.all()].filter(({ name }) => name.startsWith('List')),
    a,
  );
  if (!list) return undefined;
  table.replaceAll([...table.all()].filter(({ uuid }) => uuid !== list.uuid));
  return `crm: deletes the list "${list.name}"`;
}

function move(
  sides: Sides,
  what: Exclude<FeedHandsAct, 'delete list'>,
  { a, b, c, count, rows }: Acting & { readonly rows: readonly FeedRowView[] },
): string | undefined {
  const { person } = sides;
  const hands = createTabHands(sides, feedTab);
  const [row, other] = [pick(rows, a), pick(rows, b)];
  if (!row || !other) return undefined;
  const { number } = row;
  const bottom = Math.max(...rows.map((each) => each.number));
  const told = `feed: ${what}, row ${number} "${row.name}"`;
  const onto = number === other.number ? undefined : `${told} onto row ${other.number} "${other.name}"`;
  const put = (header: string, text: string) => (hands.put(number, header, text) ? told : undefined);
  switch (what) {
    case 'note beside feed':
      return put('Notes', `note ${count}`);
    case 'sort feed cells':
      if (rows.length < 2) return undefined;
      person.sortRange(hands.areaOf(2, bottom, 'B', 'B'), 'B', c < 500 ? 'ASCENDING' : 'DESCENDING');
      return told;
    case 'type over feed ID':
      return put('ID', c < 500 ? `typed ${count}` : other.id);
    case 'clear feed ID':
      return put('ID', '');
    case 'type over feed status':
      return put('Sync', c < 500 ? `typed ${count}` : hands.read(other.number, 'Sync'));
    case 'clear feed cells':
      person.clear(c < 500 ? hands.areaOf(number, number, 'A', 'B') : hands.rowArea(number));
      return told;
    case 'copy feed row':
      if (rows.length >= rowsMax) return undefined;
      person.copyPaste(hands.rowArea(number), hands.rowArea(bottom + 1));
      return told;
    case 'copy feed row over':
      if (onto !== undefined) person.copyPaste(hands.rowArea(number), hands.rowArea(other.number));
      return onto;
    case 'cut feed row':
      person.cutPaste(hands.rowArea(number), `'${feedTab}'!A${bottom + 1 + (b % 2)}`);
      return told;
    case 'insert feed row':
      person.insertRows(feedTab, number, 1);
      return told;
    case 'merge feed': {
      const merged = hands.merge(number, 2 + (b % 2), pick(mergedHeaders, c)!);
      return merged && `${told}: ${merged}`;
    }
    case 'unmerge feed': {
      const unmerged = hands.unmerge(c);
      return unmerged && `feed: ${what} ${unmerged}`;
    }
  }
}
