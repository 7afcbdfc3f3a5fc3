// Names of contacts and of records of feeds, for a person who decides on them.
import { namingField } from '../engine/feed/naming.ts';
import { readStanding, standingOf } from '../engine/standing.ts';
import type { HistoryLine } from '../state/port.ts';
import type { HeldAnswer } from './answers/held.ts';
import type { Operator } from './operator.ts';

/** Name and e-mail address of each, as far as they are mapped; of one that is not linked, its uuid. Throws StateError. */
export async function personsOf(
  { store }: Operator,
  job: string,
  uuids: readonly string[],
): Promise<readonly string[]> {
  const { links, personText } = await readStanding(store.sync(job));
  return uuids.map((uuid) => (links.has(uuid) ? personText(uuid) : uuid));
}

interface OfContact {
  readonly job: string;
  /** uuid. */
  readonly contact: string | null;
}

/** Undefined: no sync has linked it, or neither a name nor an address is mapped. */
export type NameOf = (about: OfContact) => string | undefined;

/** Name and e-mail address of these contacts, in one look at each job that reads no other record. Throws StateError. */
export async function namesOf({ config, store }: Operator, records: readonly OfContact[]): Promise<NameOf> {
  const syncs = new Set(config.syncs.map(({ name }) => name));
  const names = new Map<string, string>();
  for (const [job, ofJob] of Map.groupBy(records, (each) => each.job)) {
    const keys = [...new Set(ofJob.flatMap(({ contact }) => contact ?? []))];
    if (keys.length === 0 || !syncs.has(job)) continue;
    const { links, personText } = standingOf(await store.sync(job).loadSome({ keys }));
    for (const uuid of keys) {
      const name = links.has(uuid) ? personText(uuid) : uuid;
      if (name !== uuid) names.set(`${job} ${uuid}`, name);
    }
  }
  return ({ job, contact }) => (contact === null ? undefined : names.get(`${job} ${contact}`));
}

/**
 * What is held of a feed, with names of the `count` records from place `from` on: a page asks for those that it shows. Of any
 * other job it is handed back as it is. Throws StateError.
 */
export async function withFeedNames(
  operator: Operator,
  held: HeldAnswer,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<HeldAnswer> {
  if (!operator.config.feeds.some(({ name }) => name === held.name)) return held;
  const meant = [...(held.records ?? []), ...(held.listed?.records ?? [])].slice(from, from + count);
  const names = await feedNamesOf(
    operator,
    held.name,
    meant.map(({ id }) => id),
  );
  const named = <Item extends { readonly id: string; readonly person: string | null }>(records: readonly Item[]) =>
    records.map((record) => ({ ...record, person: names.get(record.id) ?? record.person }));
  return {
    ...held,
    records: held.records && named(held.records),
    listed: held.listed && { ...held.listed, records: named(held.listed.records) },
  };
}

/** Lines of one question, and questions: a record with more changes than these has no name here. */
const [linesMax, looksMax] = [1_000, 5];

/**
 * The names of records of a feed, by uuid, as its rows had them last: the state has no values of a feed, its history has. One
 * that no line names, because it is older than the history, is left out. Throws StateError.
 */
export async function feedNamesOf(
  { config, store }: Operator,
  feed: string,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const keys = config.feeds.find(({ name }) => name === feed)?.columns.map(({ key }) => key) ?? [];
  const field = namingField(keys);
  if (field === undefined || uuids.length === 0) return names;
  const about = { sync: feed, contact: uuids, outcome: 'done', newestFirst: true, limit: linesMax };
  let after: string | undefined;
  for (let looks = 0; looks < looksMax && names.size < uuids.length; looks += 1) {
    const page = await store.historyPage({ ...about, ...(after !== undefined && { after }) });
    for (const line of page.lines) noteName(names, line, field);
    after = page.next;
    if (after === undefined) break;
  }
  return names;
}

/** The latest line comes first. The line of a new row has the name of the record; that of a changed cell has the cell. */
function noteName(names: Map<string, string>, line: HistoryLine, naming: string): void {
  const { contact, field, after, name } = line;
  if (typeof contact !== 'string' || names.has(contact)) return;
  const known = field === naming ? after : field === null ? name : undefined;
  if ((typeof known === 'string' && known !== '') || typeof known === 'number') names.set(contact, String(known));
}
