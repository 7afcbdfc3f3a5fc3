/**
 * Types and validates what was stored (S5). The store itself knows only plain JSON. A record that is not valid in its place
 * is left out, or a harmless value takes its place, so that the rest of the state is used:
 *
 *   links     left out: contact and row are matched anew, and what differs is a conflict
 *   strays    counts as a row whose create has no known outcome: it is looked up before it is created (W4). Of a feed and of
 *             an outbox: left out; what the spreadsheet refused is tried again (W5)
 *   ledger    counts as done or perhaps done: not done again before a person says so (E1, P3)
 *   outbox    left out; the ledger is not relied on: what it would do waits for a person (E6, P6)
 *   facts     left out: read or worked out anew. Without the order of the fields no link and no stray can be read
 *   requests  left out, and done with: the command is to be given again
 *
 * The first run that meets such a record moves it unchanged to the collection `setAside`, and reports it once.
 */
import { createHash } from 'node:crypto';
import type { Batch, Json, JsonObject, Lease, LoadedState } from '../../state/port.ts';
import type { DecisionRequest } from '../decision.ts';
import type { JobKind } from '../kind.ts';
import type { LedgerEntry } from '../../sync/record/ledger.ts';
import type { FeedLink } from '../../sync/feed/input.ts';
import { withoutControl } from '../../sync/feed/control.ts';
import type { Message } from '../../sync/outbox/message.ts';
import type { Link, Stray } from '../../sync/record/base.ts';
import type { Newcomer } from '../enrolment/ledger.ts';
import { type Facts, whyNotFact, whyNotRequest } from './facts.ts';
import { asStored } from './json.ts';
import { isNewcomer, isStep, type StepNote, whyNotRecord } from './records.ts';

export interface Stored {
  readonly facts: Facts;
  /** Decisions that no run has carried out yet, by id, oldest first. */
  readonly requests: ReadonlyMap<string, DecisionRequest>;
  /** Steps that were in progress when a run ended. */
  readonly steps: ReadonlyMap<string, StepNote>;
  /** E6, P6: the ledger is complete, as far as the state itself shows. */
  readonly isLedgerTrusted: boolean;
  /** Notices about the state itself: damaged files and records set aside; not that there is no state yet. */
  readonly notices: readonly string[];
  /** The batch that the first run under a lease commits before anything else. */
  readonly setAside?: Batch;
}

export interface StoredSync extends Stored {
  /** By uuid. */
  readonly links: ReadonlyMap<string, Link>;
  /** By `rowKey`; and what the spreadsheet refused, as of a feed. */
  readonly strays: ReadonlyMap<string, Stray>;
  /** By `ledgerKey`. */
  readonly ledger: ReadonlyMap<string, LedgerEntry>;
  /** By `rowKey`: calls of unknown outcome that create and enrol. */
  readonly newcomers: ReadonlyMap<string, Newcomer>;
}

export interface StoredFeed extends Stored {
  /** By uuid of the record. */
  readonly links: ReadonlyMap<string, FeedLink>;
  /** Refusals of the spreadsheet (W5), by row and by the change that it refused. */
  readonly strays: ReadonlyMap<string, Stray>;
}

export interface StoredOutbox extends Stored {
  /** By the ID of the row. */
  readonly messages: ReadonlyMap<string, Message>;
  /** As of a feed. */
  readonly strays: ReadonlyMap<string, Stray>;
}

export function readSync(loaded: LoadedState): StoredSync {
  const sorter = createSorter(loaded);
  const common = sorter.common();
  const isOrderLost = sorter.isDamaged('facts', 'fields');
  const orderLost = () => 'the order of its values is not known';
  const newcomers = [...sorter.notes()].filter((note): note is [string, Newcomer & JsonObject] => isNewcomer(note[1]));
  return {
    ...common,
    links: sorter.records<Link>('links', isOrderLost ? orderLost : whyNotRecord.link),
    strays: sorter.records<Stray>(
      'strays',
      isOrderLost ? orderLost : whyNotRecord.stray,
      isOrderLost ? undefined : (was) => ({ since: numberIn(was['since']), isUnknown: true }),
    ),
    ledger: sorter.records<LedgerEntry>('ledger', whyNotRecord.ledgerEntry, unknownEntry),
    newcomers: new Map(newcomers),
    ...sorter.told(),
  };
}

export function readFeed(loaded: LoadedState): StoredFeed {
  const sorter = createSorter(loaded);
  const common = sorter.common();
  const links = sorter.records<FeedLink>('links', whyNotRecord.feedLink);
  const strays = sorter.records<Stray>('strays', whyNotRecord.stray);
  return { ...common, links, strays, ...sorter.told() };
}

export function readOutbox(loaded: LoadedState): StoredOutbox {
  const sorter = createSorter(loaded);
  const common = sorter.common();
  const unknownMessage = (was: JsonObject) => ({ ...unknownEntry(was), said: textIn(was['said']) });
  const messages = sorter.records<Message>('ledger', whyNotRecord.message, unknownMessage);
  const strays = sorter.records<Stray>('strays', whyNotRecord.stray);
  return { ...common, messages, strays, ...sorter.told() };
}

/** The state of a job of any kind: a part that the kind does not have is empty. */
export interface StoredJob
  extends Stored, Pick<StoredSync, 'links' | 'ledger' | 'newcomers'>, Pick<StoredOutbox, 'messages'> {
  readonly feedLinks: StoredFeed['links'];
}

/** Reads the state of a job whose kind is not known. */
export function readJob(loaded: LoadedState): StoredJob {
  // Links of a feed have no order of fields; an outbox has no links.
  if (loaded.facts.has('fields') || loaded.links.size === 0) {
    const isOutbox = [...loaded.ledger.values()].some((entry) => 'said' in entry);
    const none = { links: new Map(), feedLinks: new Map(), ...noLedger() };
    return isOutbox ? { ...none, ...readOutbox(loaded) } : { ...none, ...readSync(loaded) };
  }
  const { links: feedLinks, ...rest } = readFeed(loaded);
  return { ...rest, links: new Map(), feedLinks, ...noLedger() };
}

function noLedger() {
  return { ledger: new Map(), newcomers: new Map(), messages: new Map() };
}

/**
 * S3: a ledger that lacks its latest entries is not trusted from here on, whatever becomes of this run. The store tells the loss
 * until this commit.
 */
export async function commitLoss(
  lease: Pick<Lease, 'commit'>,
  loaded: LoadedState,
  kind: JobKind,
): Promise<LoadedState> {
  if (!isBehind(loaded)) return loaded;
  const { facts, ledger, links } = distrust(loaded, kind);
  await lease.commit({ facts: { put: facts }, ledger: { put: ledger }, links: { put: links } });
  return afterLoss(loaded, kind);
}

/** The state as `commitLoss` leaves it, for a plan that stores nothing. */
export function afterLoss(loaded: LoadedState, kind: JobKind): LoadedState {
  if (!isBehind(loaded)) return loaded;
  const { facts, ledger, links } = distrust(loaded, kind);
  return {
    ...loaded,
    facts: new Map([...loaded.facts, ...facts]),
    ledger: new Map([...loaded.ledger, ...ledger]),
    links: new Map([...loaded.links, ...links]),
  };
}

/**
 * What changes of the state. E6: also a wish that waits for no approval, since a run made its contact, may have been carried out.
 * It waits like the others. E7: what is known of the controlled cells of a feed may be older than what the feed wrote there,
 * so that no cell is a wish, as with a new state.
 */
function distrust(
  { facts, ledger, links }: LoadedState,
  kind: JobKind,
): Pick<LoadedState, 'facts' | 'ledger' | 'links'> {
  const ofFeed: ReadonlyMap<string, FeedLink & JsonObject> = kind === 'feed' ? links : new Map();
  const forgotten = [...withoutControl(ofFeed)].filter(([uuid, link]) => link !== links.get(uuid));
  return {
    links: asStored(new Map(forgotten)),
    facts: new Map<string, Json>(facts.get('isLedgerTrusted') === true ? [['isLedgerTrusted', false]] : []),
    ledger: new Map(
      [...ledger].flatMap(([key, { isOurs, ...entry }]) => (isOurs === undefined ? [] : [[key, entry] as const])),
    ),
  };
}

function isBehind({ notices }: LoadedState): boolean {
  return notices.some(({ kind }) => kind === 'behind');
}

/** Moves the records in one batch: none is lost. */
export async function commitSetAside(lease: Pick<Lease, 'commit'>, { setAside }: Stored): Promise<void> {
  if (setAside) await lease.commit(setAside);
}

/** The instant and the run of the damaged entry, as far as they can be read. */
function unknownEntry(was: JsonObject) {
  const name = textIn(was['name']);
  return { state: 'unknown' as const, at: numberIn(was['at']), run: textIn(was['run']), ...(name !== '' && { name }) };
}

function numberIn(stored: Json | undefined): number {
  return typeof stored === 'number' ? stored : 0;
}

function textIn(stored: Json | undefined): string {
  return typeof stored === 'string' ? stored : '';
}

type Place = 'links' | 'strays' | 'ledger' | 'outbox' | 'facts' | 'requests';

interface Damaged {
  readonly place: Place;
  readonly key: string;
  readonly record: Json;
  readonly why: string;
  /** The harmless value instead of the record. Left out: none. */
  readonly standIn?: JsonObject | undefined;
}

/** Tables that were found valid: most runs get the same tables as the run before. */
const whole = new WeakMap<ReadonlyMap<string, JsonObject>, unknown>();

function createSorter(loaded: LoadedState) {
  const damaged: Damaged[] = [];

  function records<Kind extends object>(
    place: Exclude<Place, 'facts'>,
    whyNot: (record: JsonObject) => string | undefined,
    standIn: (record: JsonObject) => JsonObject | undefined = () => undefined,
  ): ReadonlyMap<string, Kind & JsonObject> {
    const table = loaded[place];
    if (whole.get(table) !== whyNot) {
      const before = damaged.length;
      for (const [key, record] of table) {
        const why = whyNot(record);
        if (why !== undefined) damaged.push({ place, key, record, why, standIn: standIn(record) });
      }
      if (damaged.length === before) whole.set(table, whyNot);
      else return without(table, damaged.slice(before)) as ReadonlyMap<string, Kind & JsonObject>;
    }
    return table as ReadonlyMap<string, Kind & JsonObject>;
  }

  function facts(): Facts {
    const sound = soundFacts.get(loaded.facts);
    if (sound) return sound;
    const before = damaged.length;
    const known: [string, Json][] = [];
    for (const [key, record] of loaded.facts) {
      const why = whyNotFact(key, record);
      if (why === undefined) known.push([key, record]);
      else damaged.push({ place: 'facts', key, record, why });
    }
    const read: Facts = Object.fromEntries(known);
    if (damaged.length === before) soundFacts.set(loaded.facts, read);
    return read;
  }

  const notes = records<Newcomer | StepNote>('outbox', whyNotRecord.note);
  /** An unreadable note may be a call that enrolled a contact. */
  const isCallLost = damaged.some(({ record }) => !isStep(record as JsonObject));

  return {
    notes: () => notes,
    records,
    isDamaged: (place: Place, key: string) => damaged.some((each) => each.place === place && each.key === key),

    common() {
      const read = facts();
      return {
        facts: isCallLost ? { ...read, isLedgerTrusted: false } : read,
        // S3: the state may lack the latest entries.
        isLedgerTrusted: read.isLedgerTrusted === true && !isBehind(loaded) && !isCallLost,
        requests: records<DecisionRequest>('requests', whyNotRequest),
        steps: new Map([...notes].filter((note): note is [string, StepNote] => isStep(note[1]))),
      };
    },

    told(): Pick<Stored, 'notices' | 'setAside'> {
      const ofFiles = loaded.notices.flatMap(({ kind, message }) => (kind === 'absent' ? [] : [message]));
      if (damaged.length === 0) return { notices: ofFiles };
      const named = damaged.slice(0, noticesMax).map((each) => describe(each));
      const more =
        damaged.length > noticesMax ? [`${damaged.length - noticesMax} more records of the state are set aside`] : [];
      return { notices: [...ofFiles, ...named, ...more], setAside: toBatch(damaged, loaded, isCallLost) };
    },
  };
}

/** A page looks at the facts of a job several times; the last run among them may have a thousand problems. */
const soundFacts = new WeakMap<LoadedState['facts'], Facts>();

/** More notices would not help. */
const noticesMax = 20;

function without(table: ReadonlyMap<string, JsonObject>, damaged: readonly Damaged[]): ReadonlyMap<string, JsonObject> {
  const rest = new Map(table);
  for (const { key, standIn } of damaged) {
    if (standIn) rest.set(key, standIn);
    else rest.delete(key);
  }
  return rest;
}

function toBatch(damaged: readonly Damaged[], { setAside }: LoadedState, isCallLost: boolean): Batch {
  const kept = new Map<string, JsonObject>();
  for (const each of damaged) {
    const { place: collection, key, record, why } = each;
    let name = nameOf(each);
    while (setAside.has(name) || kept.has(name)) name += '+';
    kept.set(name, { collection, key, record, why });
  }
  const changes = (place: Place) => {
    const here = damaged.filter((each) => each.place === place);
    const standIns = here.flatMap(({ key, standIn }) => (standIn ? [[key, standIn] as const] : []));
    return { put: new Map(standIns), delete: here.flatMap(({ key, standIn }) => (standIn ? [] : [key])) };
  };
  return {
    links: changes('links'),
    strays: changes('strays'),
    ledger: changes('ledger'),
    outbox: changes('outbox'),
    facts: {
      ...(isCallLost && { put: new Map([['isLedgerTrusted', false]]) }),
      delete: changes('facts').delete.filter((name) => !isCallLost || name !== 'isLedgerTrusted'),
    },
    doneRequests: changes('requests').delete,
    setAside: { put: kept },
  };
}

/** The digest of a key: row keys contain values of the rows, which a log must not have. */
function nameOf({ place, key }: Damaged): string {
  const isOfRow = place === 'strays' || place === 'outbox';
  return `${place}/${isOfRow ? createHash('sha256').update(key).digest('hex').slice(0, 12) : key}`;
}

function describe(each: Damaged): string {
  return `the record ${nameOf(each)} of the state is not what it should be (${each.why}), and was set aside as it was: ${consequences[each.place]}`;
}

const consequences: Readonly<Record<Place, string>> = {
  links:
    'its contact and its row are matched anew, and where they differ that is a conflict. Look: leadsheet conflicts',
  strays:
    'its row is looked up in the service before it becomes a contact, or written again where the spreadsheet refused it. Nothing is to be done',
  ledger:
    'it counts as done, or perhaps done. Look in the service whether it was; if not, name it to leadsheet retry, with --yes',
  outbox:
    'what the next run would enrol or send waits, as after the loss of a state. Look: leadsheet status. Then: leadsheet approve',
  facts: 'it is read or worked out anew. Nothing is to be done',
  requests: 'it cannot be carried out. Give the command again',
};
