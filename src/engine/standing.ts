// How a job stands: by its state alone (`Standing`), and by the daemon that runs it (`JobStatus`).
import type { LoadedState, SomeState, Store, SyncState, Wanted } from '../state/port.ts';
import type { StoredLastRun } from './stored/facts.ts';
import type { FeedLink } from '../sync/feed/input.ts';
import { lastSeen, type Link } from '../sync/record/base.ts';
import { problemId } from '../sync/change.ts';
import { normalEmail } from '../sync/value/same.ts';
import type { LedgerEntry } from '../sync/record/ledger.ts';
import { type Packed, unpack } from '../sync/record/record.ts';
import type { Reading } from '../sync/value/value.ts';
import type { Message } from '../sync/outbox/message.ts';
import type { Facts, PauseFact } from './stored/facts.ts';
import { withDecisionsAtOnce } from './at-once.ts';
import { readJob, type StoredJob } from './stored/stored.ts';
import { emailFields, nameIn, plainName, searchWords, term, textsIn } from './found-by.ts';
import type { LastRun } from './last-run.ts';
import type { DecisionRequest } from './decision.ts';
import { countLinked, type RunCounts } from './report.ts';

/** How a job stands by the daemon that runs it. Another process reads the same from the heartbeat. */
export interface JobStatus {
  readonly name: string;
  readonly phase: (typeof phases)[number];
  /** The last run of this daemon, or of an earlier one. */
  readonly lastRun?: LastRun;
  /** Whether a run of this daemon has ended, with any status. */
  readonly hasRun: boolean;
  /** Epoch milliseconds. Each is left out if there is none. */
  readonly lastSuccessAt?: number;
  readonly nextRunAt?: number;
  readonly nextFullScanAt?: number;
  readonly failuresInARow: number;
}

/** `daemon/queue/port.ts` describes each phase and its transitions. */
export const phases = ['idle', 'running', 'backing-off', 'paused', 'stopped'] as const;

/** How a job stands by its state alone. */
export interface Standing {
  /** The last run that wrote something. */
  readonly lastRun: StoredLastRun | undefined;
  /** The held plan: nothing is written until a person approves it or its cause is gone. */
  readonly held: NonNullable<Facts['held']> | undefined;
  /** The job is not run by itself. Its end may be over (`pauseAt`). */
  readonly paused: PauseFact | undefined;
  /** The undo that was held last: it is done once a person approves it and asks for it again (S8). */
  readonly heldUndo: NonNullable<Facts['heldUndo']> | undefined;
  readonly counts: Pick<RunCounts, StandingCount>;
  readonly conflicts: readonly OpenConflict[];
  /** Decisions that no run has carried out yet, oldest first. */
  readonly requests: readonly DecisionRequest[];
  readonly links: ReadonlyMap<string, Link>;
  /** The links of a feed, by the uuid of the record. */
  readonly feedLinks: ReadonlyMap<string, FeedLink>;
  /** The ledger of a sync, by `ledgerKey`. */
  readonly ledger: ReadonlyMap<string, LedgerEntry>;
  /** Calls of a sync that create and enrol, and whose contact is not known yet. */
  readonly newcomers: StoredJob['newcomers'];
  /** The ledger of an outbox, by the ID of the row. */
  readonly messages: ReadonlyMap<string, Message>;
  /** The contacts with this stored e-mail address. */
  readonly uuidsByEmail: (email: string) => readonly string[];
  /** The contacts with this name on either side; case and white space do not matter. */
  readonly uuidsByName: (name: string) => readonly string[];
  /** The name and e-mail address of a linked contact, as far as they are mapped; else its uuid. */
  readonly personText: (uuid: string) => string;
  /** Notices about the state itself: a damaged file, and what was used instead. */
  readonly notices: readonly string[];
}

export const standingCounts = [
  'linked',
  'waiting',
  'conflicts',
  'quarantined',
  'parked',
  'held',
  'ignored',
] as const satisfies readonly (keyof RunCounts)[];
export type StandingCount = (typeof standingCounts)[number];

export interface OpenConflict {
  /** The id that `resolve` takes. */
  readonly id: string;
  readonly contact: string;
  /** The row in the last run. */
  readonly row: number | null;
  readonly field: string;
  readonly base: Reading;
  readonly crm: Reading;
  readonly sheet: Reading;
  /** ISO instant. */
  readonly since: string;
}

/** Throws StateErrors, as `SyncState.load` does. */
export async function readStanding(state: SyncState): Promise<Standing> {
  return standingOf(await state.load());
}

/**
 * The same of several jobs, by name, from one question to the store, without records: what it counts, the store has counted. Of
 * `links` and `ledger` it has only what is damaged, so that `notices` are complete; `conflicts` is empty.
 */
export async function readBriefs(
  store: Pick<Store, 'loadSomeOf'>,
  jobs: readonly string[],
): Promise<ReadonlyMap<string, Standing & Counted>> {
  const found = await store.loadSomeOf(jobs, brief);
  return new Map([...found].map(([job, some]) => [job, briefOf(some)]));
}

const brief = {
  terms: [term.damaged],
  counted: [term.linked, term.conflictOfField, term.sent],
} as const satisfies Wanted;

function briefOf(found: SomeState): Standing & Counted {
  // A store that answers from memory gives the same facts while nothing has changed.
  const isAlone = found.requests.size === 0 && found.notices.length === 0;
  const before = isAlone ? briefs.get(found.facts) : undefined;
  if (before?.counted === found.counts) return before.standing;
  const standing = standingOf(found);
  const count = (each: string) => found.counts.get(each) ?? 0;
  const counts = { ...standing.counts, linked: count(term.linked), conflicts: count(term.conflictOfField) };
  const counted = { ...standing, counts, conflicts: [], sent: count(term.sent) };
  if (isAlone) briefs.set(found.facts, { counted: found.counts, standing: counted });
  return counted;
}

/**
 * The decisions that are not in the history yet, of the jobs that have any, without their records. Pauses and the like among them are in
 * effect. Throws StateErrors.
 */
export async function readRequests(
  store: Pick<Store, 'loadSomeOf'>,
  jobs: readonly string[],
): Promise<ReadonlyMap<string, Standing['requests']>> {
  const found = await store.loadSomeOf(jobs, {});
  const asked = [...found].filter(([, { requests }]) => requests.size > 0);
  return new Map(asked.map(([job, some]) => [job, [...readJob(some).requests.values()]]));
}

const briefs = new WeakMap<
  LoadedState['facts'],
  { readonly counted: SomeState['counts']; readonly standing: Standing & Counted }
>();

export interface Counted {
  /** Messages of an outbox that were sent. */
  readonly sent: number;
}

export function standingOf(found: LoadedState): Standing {
  const loaded = withDecisionsAtOnce(found);
  const { facts, links, feedLinks, ledger, newcomers, messages, requests, notices } = readJob(loaded);
  const { lastRun } = facts;
  const fields = facts.fields ?? [];
  const conflicts = findConflicts(links, fields, lastRun);
  return {
    lastRun,
    held: facts.held ?? undefined,
    paused: facts.paused ?? undefined,
    heldUndo: facts.heldUndo ?? undefined,
    counts: countStanding(links, feedLinks, conflicts, lastRun),
    conflicts,
    requests: [...requests.values()],
    links,
    feedLinks,
    ledger,
    newcomers,
    messages,
    personText: (uuid) => personText(links.get(uuid), fields) ?? uuid,
    uuidsByEmail: (email) => findByEmail(links, fields, email),
    uuidsByName: (name) => findByName(links, fields, name),
    notices,
  };
}

/** A conflict that a person resolved after the last run stays open until a run has carried the resolution out. */
function findConflicts(
  links: ReadonlyMap<string, Link>,
  fields: readonly string[],
  lastRun: StoredLastRun | undefined,
): readonly OpenConflict[] {
  const rowById = new Map(lastRun?.problems.map(({ id, row }) => [id, row]));
  return [...links].flatMap(([uuid, link]) =>
    Object.entries(link.notes ?? {}).flatMap(([field, { conflictSince }]): OpenConflict[] => {
      if (conflictSince === undefined) return [];
      const id = problemId(uuid, null, field);
      const valueIn = (packed: Packed) => unpack(packed)[fields.indexOf(field)];
      return [
        {
          id,
          contact: uuid,
          row: rowById.get(id) ?? null,
          field,
          base: valueIn(link.agreed),
          crm: valueIn(lastSeen(link, 'crm')),
          sheet: valueIn(lastSeen(link, 'sheet')),
          since: new Date(conflictSince).toISOString(),
        },
      ];
    }),
  );
}

/** The links are as of the last commit; the other counts are the last run's. */
function countStanding(
  links: ReadonlyMap<string, Link>,
  feedLinks: ReadonlyMap<string, FeedLink>,
  conflicts: readonly OpenConflict[],
  lastRun: StoredLastRun | undefined,
): Standing['counts'] {
  const none = { waiting: 0, quarantined: 0, parked: 0, held: 0, ignored: 0 };
  const { waiting, quarantined, parked, held, ignored } = lastRun?.counts ?? none;
  // A feed row that says that its record is gone stands for no record.
  const living = [...feedLinks.values()].filter(({ isGone }) => !isGone).length;
  return {
    linked: countLinked({ links }) + living,
    conflicts: conflicts.length,
    waiting,
    quarantined,
    parked,
    held,
    ignored,
  };
}

function personText(link: Link | undefined, fields: readonly string[]): string | undefined {
  if (!link) return undefined;
  const seen = lastSeen(link, 'crm');
  const name = nameIn(seen, fields);
  const [email] = textsIn(seen, fields, emailFields);
  return [name, email && `<${email}>`].filter(Boolean).join(' ') || undefined;
}

function findByName(links: ReadonlyMap<string, Link>, fields: readonly string[], name: string): readonly string[] {
  const wanted = plainName(name);
  if (wanted === '') return [];
  const words = searchWords(name);
  const hasIt = (link: Link) =>
    (['crm', 'sheet'] as const).some((side) => {
      const seen = lastSeen(link, side);
      return mayHave(seen, words) && plainName(nameIn(seen, fields)) === wanted;
    });
  return [...links].flatMap(([uuid, link]) => (hasIt(link) ? [uuid] : []));
}

function findByEmail(links: ReadonlyMap<string, Link>, fields: readonly string[], email: string): readonly string[] {
  const places = emailFields.map((name) => fields.indexOf(name)).filter((place) => place >= 0);
  const wanted = normalEmail(email);
  const words = searchWords(email);
  const hasIt = (packed: Packed) => {
    if (!mayHave(packed, words)) return false;
    const values = unpack(packed);
    return places.some((place) => typeof values[place] === 'string' && normalEmail(values[place]) === wanted);
  };
  return [...links].flatMap(([uuid, link]) =>
    hasIt(lastSeen(link, 'crm')) || hasIt(lastSeen(link, 'sheet')) ? [uuid] : [],
  );
}

/** Most records are told by their text alone, which is faster than to unpack them. */
function mayHave(packed: Packed, words: readonly string[]): boolean {
  const text = packed.normalize('NFC').toLowerCase();
  return words.every((word) => text.includes(word));
}
