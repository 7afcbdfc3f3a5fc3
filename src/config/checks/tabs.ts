// Checks that spreadsheets are valid, that each tab has one writer, and that each job has a name of its own.
import type { SheetAddresses } from '../../sheets/port.ts';
import { spreadsheetWords } from '../schema/sheet.ts';
import type { Path } from '../problems.ts';
import type { Fault, SalvagedFile } from './check.ts';
import { named } from './check.ts';

/** `given` is the file before checks. */
export function checkThatThereIsAJob(given: object): readonly Fault[] {
  const isNothing = Object.entries(given).every(
    ([key, value]) => !/^(syncs|feeds|outbox)$/.test(key) || isEmpty(value),
  );
  return isNothing
    ? [{ path: [], part: 'key', found: 'no syncs, feeds or outbox', allowed: 'one of them at least' }]
    : [];
}

export function checkTabs(file: SalvagedFile, addresses: SheetAddresses): readonly Fault[] {
  const writers = writersIn(file);
  return [...checkNames(file), ...checkSpreadsheets(writers, addresses), ...checkWriters(writers, addresses)];
}

const nameWords = 'a name fit for a folder: letters, digits, - and _, a letter or digit first, 64 at most';

/** The folder of the state has the job's name, and commands take any job by name. */
function checkNames({ syncs, feeds, outbox }: SalvagedFile): readonly Fault[] {
  const all = [
    ...Object.keys(syncs ?? {}).map((name) => ['syncs', name] as const),
    ...Object.keys(feeds ?? {}).map((name) => ['feeds', name] as const),
    ...Object.keys(outbox ?? {}).map((name) => ['outbox', name] as const),
  ];
  const unfit = all.filter(([, name]) => !/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name));
  const again = repeated(all, ([, name]) => name.toLowerCase());
  return [
    ...unfit.map((path) => ({ path, part: 'key', found: JSON.stringify(path[1]), allowed: nameWords }) as const),
    ...again.map(({ item, first }): Fault => ({
      path: item,
      also: [first],
      part: 'key',
      found: `the name of ${first.join('.')} again`,
      allowed: 'a name of its own for each sync, feed and outbox, in more than upper and lower case',
    })),
  ];
}

/** A value that is no mapping is reported as that. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

interface Writer {
  /** The sync, feed or outbox. */
  readonly owner: string;
  /** The path of the section that names spreadsheet and tab. */
  readonly path: Path;
  readonly spreadsheet?: string | undefined;
  readonly tab?: string | undefined;
}

function writersIn({ syncs, feeds, outbox }: SalvagedFile): readonly Writer[] {
  return [
    ...named(syncs).map(({ name, item }) => writer(['syncs', name], ['sheet'], item.sheet)),
    ...named(feeds).map(({ name, item }) => writer(['feeds', name], [], item)),
    ...named(outbox).map(({ name, item }) => writer(['outbox', name], [], item)),
  ];
}

function checkSpreadsheets(writers: readonly Writer[], addresses: SheetAddresses): readonly Fault[] {
  return writers.flatMap(({ path, spreadsheet }): Fault[] => {
    const isOne = spreadsheet === undefined || addresses.spreadsheetId(spreadsheet) !== undefined;
    return isOne ? [] : [{ path: [...path, 'spreadsheet'], part: 'value', allowed: spreadsheetWords }];
  });
}

function checkWriters(writers: readonly Writer[], addresses: SheetAddresses): readonly Fault[] {
  const found = writers.flatMap((each) => {
    const key = tabKey(each, addresses);
    return key === undefined ? [] : [{ ...each, key }];
  });
  return repeated(found, ({ key }) => key).map(({ item, first }) => ({
    path: [...item.path, 'tab'],
    also: [first.path],
    part: 'value',
    found: `the tab that ${first.owner} writes, in the same spreadsheet`,
    allowed: 'a tab of its own for each sync, feed and outbox',
  }));
}

function writer(
  owner: readonly string[],
  section: readonly string[],
  { spreadsheet, tab }: Pick<Writer, 'spreadsheet' | 'tab'> = {},
): Writer {
  return { owner: owner.join('.'), path: [...owner, ...section], spreadsheet, tab };
}

/** Undefined: the tab or its spreadsheet is not given. */
function tabKey({ spreadsheet, tab }: Writer, addresses: SheetAddresses): string | undefined {
  const id = spreadsheet === undefined ? undefined : addresses.spreadsheetId(spreadsheet);
  return id === undefined || tab === undefined ? undefined : `${id} ${addresses.tabKey(tab)}`;
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
