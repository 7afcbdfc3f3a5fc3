// Pages of the ledgers of enrolments, with what waits and why, and how much of each cap is used.
import type { SyncConfig } from '../config/config.ts';
import { readStanding, type Standing } from '../engine/standing.ts';
import { countSince, enrolmentId, hourMs, readLedgerKey } from '../sync/record/ledger.ts';
import type { EnrolmentAnswer, EnrolmentsPageAnswer } from './answers/ledgers.ts';
import { cancelWaits, isCancelWaiting } from './decide.ts';
import type { Operator } from './operator.ts';
import { type PageQuery, pageOf } from './paging.ts';
import { contactsOf, refuseHiddenName } from './records.ts';
import { rowsById } from './rows-by-id.ts';
import { selectSyncs } from './select.ts';

/** A filter that is left out selects everything. */
export interface EnrolmentFilter {
  readonly sync?: string | undefined;
  readonly state?: EnrolmentAnswer['state'] | undefined;
  /** The name or the uuid of the automation. */
  readonly automation?: string | undefined;
  /** uuid, e-mail address, name, or `row:17`. */
  readonly contact?: string | undefined;
}

/** One page of enrolments, the latest first. Throws OperatorError, also if the cursor is not one of this list, and StateError. */
export async function readEnrolmentsPage(
  operator: Operator,
  filter: EnrolmentFilter,
  page: PageQuery,
): Promise<EnrolmentsPageAnswer> {
  const { config, store, now } = operator;
  if (filter.contact !== undefined) refuseHiddenName(operator, filter.contact);
  const names = selectSyncs(config, filter.sync === undefined ? [] : [filter.sync]);
  const all: EnrolmentAnswer[] = [];
  const jobs: EnrolmentsPageAnswer['jobs'] = [];
  for (const sync of config.syncs) {
    if (!names.includes(sync.name)) continue;
    const state = store.sync(sync.name);
    const standing = await readStanding(state);
    if (sync.automation) jobs.push(jobOf(sync, standing, now()));
    if (standing.ledger.size === 0) continue;
    const contacts = filter.contact === undefined ? undefined : contactsOf(standing, filter.contact);
    const found = entriesOf(sync.name, standing, await state.readRows());
    all.push(...found.filter(({ contact }) => contacts?.includes(contact) ?? true));
  }
  const wanted = filter.automation?.toLowerCase();
  const meant = all.filter(({ state, name, automation }) => {
    if (filter.state !== undefined && state !== filter.state) return false;
    return wanted === undefined || [name ?? '', automation].some((each) => each.toLowerCase() === wanted);
  });
  const { items, next, previous } = pageOf('enrolments', meant, placeOf, page);
  return {
    jobs,
    enrolments: [...items],
    automations: [...new Set(all.flatMap(({ name }) => (name === null ? [] : [name])))].toSorted(),
    total: meant.length,
    next,
    previous,
  };
}

function placeOf({ time, job, contact, automation }: EnrolmentAnswer) {
  return [-Date.parse(time), job, contact, automation];
}

function jobOf(sync: SyncConfig, standing: Standing, now: number): EnrolmentsPageAnswer['jobs'][number] {
  const { ledger: entries, newcomers, held } = standing;
  // A call whose contact does not exist enrolled nobody.
  const inFlight = new Map([...newcomers].filter(([, { state }]) => state !== 'absent'));
  const used = countSince({ entries, inFlight, isTrusted: true }, now - hourMs);
  const perHour = sync.limits.enrolmentsPerHour;
  return {
    name: sync.name,
    cap: { per_hour: perHour, used, left: Math.max(0, perHour - used) },
    counts: countBy([...entries.values()]),
    held_run: held?.run ?? null,
    vetoes: (sync.automation?.vetoes ?? []).map(({ columnKey, values }) => {
      const header = sync.columns.find(({ key }) => key === columnKey)?.header ?? columnKey;
      return { header, values: [...values] };
    }),
  };
}

export function countBy(entries: readonly { readonly state: string }[]): Record<string, number> {
  const groups = Map.groupBy(entries, ({ state }) => state);
  return Object.fromEntries([...groups].map(([state, { length }]) => [state, length]));
}

const noRow = 'no row has its ID: nothing is done before one has';

function entriesOf(
  job: string,
  { ledger, lastRun, personText, requests }: Standing,
  idByRow: ReadonlyMap<number, string> | undefined,
): readonly EnrolmentAnswer[] {
  const rowById = rowsById(idByRow ?? new Map(), lastRun?.problems);
  const withRow = new Set(idByRow?.values());
  const ofEnrolments = lastRun?.problems.filter(({ rule }) => rule.startsWith('E')) ?? [];
  const problemByContact = new Map(ofEnrolments.map((problem) => [problem.uuid, problem]));
  /** E1: without its row nothing wishes for it. */
  const withoutRow = (contact: string) => (idByRow && !withRow.has(contact) ? noRow : null);
  const whyWaits = (contact: string, automation: string) =>
    isCancelWaiting(requests, enrolmentId(contact, automation))
      ? cancelWaits
      : (problemByContact.get(contact)?.reason ?? withoutRow(contact));
  return [...ledger].map(([key, { state, at, run, name, message, refusedCancel }]) => {
    const { uuid: contact, automation } = readLedgerKey(key);
    const person = personText(contact);
    return {
      job,
      contact,
      person: person === contact ? null : person,
      row: rowById.get(contact) ?? null,
      automation,
      name: name ?? null,
      state,
      time: new Date(at).toISOString(),
      run: run === '' ? null : run,
      message: message ?? refusedCancel?.message ?? null,
      waits: state === 'waiting' ? whyWaits(contact, automation) : null,
    };
  });
}
