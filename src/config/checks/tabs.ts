// Each tab has one writer, each sync, feed and outbox a name of its own.
import { textToSpreadsheetId, textToTabReference } from '../../sheets/google/address.ts';
import type { Path } from '../source.ts';
import type { Fault, SalvagedFile } from './check.ts';
import { named } from './check.ts';

/** `given` is the file as it came. */
export function checkTabs(file: SalvagedFile, given: object): readonly Fault[] {
  return [...checkNames(file, given), ...checkWriters(file)];
}

const nameWords = 'a name fit for a folder: letters, digits, - and _, a letter or digit first, 64 at most';

/** The state of each lives in a folder of its name, and commands take any of them by name. */
function checkNames({ syncs, feeds, outbox }: SalvagedFile, given: object): readonly Fault[] {
  const all = [
    ...Object.keys(syncs ?? {}).map((name) => ['syncs', name] as const),
    ...Object.keys(feeds ?? {}).map((name) => ['feeds', name] as const),
    ...Object.keys(outbox ?? {}).map((name) => ['outbox', name] as const),
  ];
  const isNothing = Object.entries(given).every(
    ([key, value]) => !/^(syncs|feeds|outbox)$/.test(key) || isEmpty(value),
  );
  if (isNothing) {
    return [{ path: [], part: 'key', found: 'no syncs, feeds or outbox', allowed: 'one of them at least' }];
  }
  const unfit = all.filter(([, name]) => !/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name));
  const again = repeated(all, ([, name]) => name.toLowerCase());
  return [
    ...unfit.map((path) => ({ path, part: 'key', found: JSON.stringify(path[1]), allowed: nameWords }) as const),
    ...again.map(({ item, first }): Fault => ({
      path: item,
      part: 'key',
      found: `the name of ${first.join('.')} again`,
      allowed: 'a name of its own for each sync, feed and outbox, in more than upper and lower case',
    })),
  ];
}

/** What is no mapping at all is named as that. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

interface Writer {
  /** The sync, feed or outbox. */
  readonly owner: string;
  readonly path: Path;
  readonly spreadsheet: string;
  readonly tab: string;
}

function checkWriters({ syncs, feeds, outbox }: SalvagedFile): readonly Fault[] {
  const writers: readonly Writer[] = [
    ...named(syncs).flatMap(({ name, item: { sheet } }) => writer(['syncs', name], ['sheet', 'tab'], sheet)),
    ...named(feeds).flatMap(({ name, item }) => writer(['feeds', name], ['tab'], item)),
    ...named(outbox).flatMap(({ name, item }) => writer(['outbox', name], ['tab'], item)),
  ];
  return repeated(writers, tabKey).map(({ item, first }) => ({
    path: item.path,
    part: 'value',
    found: `the tab that ${first.owner} writes, in the same spreadsheet`,
    allowed: 'a tab of its own for each sync, feed and outbox',
  }));
}

function writer(
  owner: readonly string[],
  tabPath: readonly string[],
  place: { readonly spreadsheet?: string | undefined; readonly tab?: string | undefined } = {},
): readonly Writer[] {
  const { spreadsheet, tab } = place;
  if (spreadsheet === undefined || tab === undefined) return [];
  return [{ owner: owner.join('.'), path: [...owner, ...tabPath], spreadsheet, tab }];
}

/** Sheets has no two tabs whose titles differ only in case. Whether a gid and a title are one tab, only Google knows. */
function tabKey({ spreadsheet, tab }: Writer): string {
  const reference = textToTabReference(tab);
  const place = reference.kind === 'gid' ? `gid:${reference.sheetId}` : `title:${reference.title.trim().toLowerCase()}`;
  return `${textToSpreadsheetId(spreadsheet)} ${place}`;
}

/** The items that have the key of an earlier one. */
function repeated<Item>(items: readonly Item[], keyOf: (item: Item) => string): { item: Item; first: Item }[] {
  const firstByKey = new Map<string, Item>();
  return items.flatMap((item) => {
    const first = firstByKey.get(keyOf(item));
    if (first !== undefined) return [{ item, first }];
    firstByKey.set(keyOf(item), item);
    return [];
  });
}
