// Recognises, in a process that has no memory of the job, that nothing changed since a run that had nothing to do (W18).
// A note in the state is compared with what this run reads of both sides. With any difference the run goes the usual way, as
// it does with anything open: the note spares work, and nothing follows from it but that there is no work.
import { hash } from 'node:crypto';
import type { LoadedState } from '../../state/port.ts';
import type { Link } from '../../sync/record/base.ts';
import type { LedgerEntry } from '../../sync/record/ledger.ts';
import type { RunLease } from '../decisions-told.ts';
import { factChanges } from '../facts.ts';
import { noteFacts } from '../incomplete.ts';
import type { Quiet, RunRequest } from '../job.ts';
import { lookIfNeeded } from '../looking.ts';
import { isRepeatable, lastRunOf, problemsKept } from '../next-run.ts';
import { countRun, type Ending, nothingPlanned } from '../report.ts';
import { sheetCall } from '../read-calls.ts';
import type { Facts, StoredQuiet } from '../stored/facts.ts';
import { readSync, type StoredSync } from '../stored/stored.ts';
import type { RunContext, Session, SyncContext } from './context.ts';
import type { Decided } from './decide.ts';
import type { Memory } from './memory.ts';
import {
  type Already,
  type ContactsPulled,
  findScope,
  holding,
  isAsRemembered,
  pullContacts,
  type Pulled,
  type Scope,
} from './pull.ts';
import { nextPlace } from './remember.ts';

/** Where a search for changes shows more contacts than these, the run goes the usual way. */
const contactsMax = 100;

/** Where it shows more than these, most of them changed, so that the run needs the whole state anyway. */
const glancedMax = 20;

export interface Found {
  /** Undefined: the run goes the usual way. */
  readonly ending?: Ending;
  /** What was read meanwhile. */
  readonly already?: Already;
}

/**
 * Reads both sides and compares. It writes nothing. For the first run of this process, for the first one after one of another
 * process, and for one that follows a run of this process which had nothing to do: that one needs no record of the state
 * either. Any other run of this process remembers that there is something to do.
 */
export async function findQuiet(
  sync: SyncContext,
  lease: RunLease,
  request: RunRequest,
  begin: (facts: Facts) => RunContext,
): Promise<Found> {
  const { session } = sync;
  if (request.isFull || (session.quiet !== undefined) !== (session.isNext === true)) return {};
  const loaded = await lease.glance([]);
  const known = loaded && noteIn(loaded, sync);
  if (!known) return {};
  const { facts, links } = known;
  const context = begin(facts);
  const scope = await findScope(context, { facts });
  if (scope.isToBeMade || scope.listUuid !== facts.list?.uuid) return {};
  // With links, unchanged contacts and rows share their texts; to read, none is needed.
  const base = { fields: sync.shape.mapping.fields.map(({ name }) => name), links, strays: new Map() };
  const read = { context, lease, memory: { facts, base }, scope };
  return session.quiet ? findStillQuiet(read, session.quiet) : findAsNoted(read, known.quiet);
}

interface Reading {
  readonly context: RunContext;
  readonly lease: RunLease;
  readonly memory: Parameters<typeof pullContacts>[1];
  readonly scope: Scope;
}

/** The run before was of this process, and had nothing to do: the tab is compared with what that run read. */
async function findStillQuiet({ context, lease, memory, scope }: Reading, quiet: Quiet): Promise<Found> {
  const { session } = context;
  const [looked, contacts] = await Promise.all([
    lookIfNeeded(context, quiet, holding(context, memory)),
    pullContacts(context, memory, scope),
  ]);
  if (typeof looked.seen !== 'string' || !(await areAsRemembered(contacts, lease)))
    return { already: { contacts, looked } };
  session.quiet = { ...quiet, look: looked.look };
  keepPlace(session, contacts);
  return { ending: quiet.ending };
}

/** No run of this process knows the tab: it is compared with the note. */
async function findAsNoted({ context, lease, memory, scope }: Reading, quiet: StoredQuiet): Promise<Found> {
  const { session } = context;
  // One after the other: with a change of the service the tab is read once, by the usual way.
  const contacts = await pullContacts(context, memory, scope);
  if (!(await areAsRemembered(contacts, lease))) return { already: { contacts } };
  if (!(await context.table.isAsRecalled(quiet.tab, sheetCall(context)))) return { already: { contacts } };
  const ending = endingOf(quiet, memory.facts);
  // The next run reads the tab, whatever hints say.
  session.quiet = { fingerprint: quiet.fingerprint, ending };
  keepPlace(session, contacts);
  return { ending };
}

function keepPlace(session: Session, { noted, watermark }: ContactsPulled): void {
  session.noted = noted;
  if (watermark !== undefined) session.watermark = watermark;
}

/** The note, if it is about this job as it is configured, and nothing else in the state waits. */
function noteIn(
  loaded: LoadedState,
  sync: SyncContext,
): { readonly facts: Facts; readonly quiet: StoredQuiet; readonly links: StoredSync['links'] } | undefined {
  const { facts, links, notices, setAside } = readSync(loaded);
  const { quiet } = facts;
  const isOpen = loaded.requests.size + loaded.outbox.size + loaded.strays.size > 0 || !isPlaced(facts);
  if (isOpen || setAside || notices.length > 0) return undefined;
  return quiet && quiet.of === digestOf(sync, facts) ? { facts, quiet, links } : undefined;
}

/** No plan is held, every contact has its row, and the next scan asks for changes alone. */
function isPlaced({ held, heldUndo, unplaced = [], watermark, drifted = [], limited = null }: Facts): boolean {
  const isWhole = drifted.length === 0 && limited === null;
  return !held && !heldUndo && unplaced.length === 0 && watermark !== undefined && isWhole;
}

async function areAsRemembered({ crm, problems, notices }: ContactsPulled, lease: RunLease): Promise<boolean> {
  const uuids = [...new Set(crm.contacts.map(({ uuid }) => uuid))];
  if (problems.length + notices.length > 0 || uuids.length > contactsMax) return false;
  if (uuids.length === 0) return isAsRemembered(crm, { base: { links: new Map() } });
  const loaded = await (uuids.length > glancedMax ? lease.load() : lease.glance(uuids));
  return isAsRemembered(crm, { base: { links: loaded ? readSync(loaded).links : new Map() } });
}

/** As the run ended that left the note. The state has its problems. */
function endingOf({ linked }: StoredQuiet, { lastRun }: Facts): Ending {
  const problems = lastRun?.problems ?? [];
  const counts = countRun(linked, problems, new Map());
  return { status: 'succeeded', isFull: false, counts, problems, holds: [], planned: nothingPlanned };
}

/**
 * Notes in the state that this run, over what it read, had nothing to do. The note is true until something else is
 * committed: `acquireLease` deletes it with every other commit.
 */
export async function noteQuiet(
  context: RunContext,
  lease: RunLease,
  memory: Memory,
  pulled: Pulled,
  decided: Decided,
  ending: Ending,
): Promise<void> {
  const { recall, fingerprint } = pulled.snapshot;
  if (recall === undefined || !isNothingOpen(context, memory, pulled, decided, ending)) return;
  const { facts } = memory;
  const quiet: StoredQuiet = { of: digestOf(context, facts), fingerprint, tab: recall, linked: ending.counts.linked };
  if (JSON.stringify(quiet) === JSON.stringify(facts.quiet)) return;
  const place = nextPlace(context, pulled, decided, { links: new Map() });
  const noted = { ...noteFacts(facts, pulled.noted), ...place, quiet };
  // W9: the last run that wrote something found the same open, or its report would not stand for this one.
  const isTold = JSON.stringify(lastRunOf(context, ending).problems) === JSON.stringify(facts.lastRun?.problems ?? []);
  if (isTold && ending.problems.length <= problemsKept && isPlaced({ ...facts, ...noted }))
    await lease.commit({ facts: { put: factChanges(facts, noted) } });
}

/** Time alone changes nothing, no person has to decide, and no cell and no call is left. */
function isNothingOpen(
  context: RunContext,
  { base, ledger, pending, interrupted, newcomers }: Memory,
  { toCreate, snapshot }: Pulled,
  { input, plan, stillHeld }: Decided,
  ending: Ending,
): boolean {
  const { request, choose, undoes } = context;
  const { contacts, lookups, keys } = input.answers;
  const isAsked = contacts.size + lookups.size + (keys?.size ?? 0) > 0 || input.automations !== undefined;
  return (
    choose === undefined &&
    undoes === undefined &&
    stillHeld === undefined &&
    ending.status === 'succeeded' &&
    ending.problems.every(({ kind }) => kind === 'ignored') &&
    isRepeatable(request, ending) &&
    plan.changes.length + plan.links.size + plan.strays.size + plan.wishes.size === 0 &&
    !isAsked &&
    toCreate === undefined &&
    snapshot.leftovers === 0 &&
    pending.size + newcomers.size + base.strays.size + interrupted.links.size + interrupted.strays.size === 0 &&
    base.appendedOf === undefined &&
    [...base.links.values()].every(isClosed) &&
    [...ledger.entries.values()].every(isDone)
  );
}

/** The link says no more than what both sides hold, which of them is gone, and the last writes. */
function isClosed({ isOpen, isUnsure, copies, missedScans, refusal, refusals, counted, notes }: Link): boolean {
  const isPlain = !isOpen && !isUnsure && !copies && !missedScans && !refusal && !refusals && counted === undefined;
  return isPlain && Object.values(notes ?? {}).every((note) => Object.keys(note).every((key) => key === 'written'));
}

const done: ReadonlySet<LedgerEntry['state']> = new Set(['enrolled', 'skipped', 'cancelled']);

function isDone({ state, refusedCancel }: LedgerEntry): boolean {
  return done.has(state) && refusedCancel === undefined;
}

/**
 * Of all that decides how a run reads and plans, besides both sides and the records. A version that does not know of the note leaves
 * it in place; but each run that stores a record also stores itself as the last one.
 */
function digestOf(
  { version, account, config }: Pick<SyncContext, 'version' | 'account' | 'config'>,
  { lastRun }: Pick<Facts, 'lastRun'>,
): string {
  return hash('sha256', JSON.stringify([version, account, config, lastRun?.run ?? null]), 'base64url');
}
