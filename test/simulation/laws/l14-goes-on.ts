import type { Problem } from '../../../src/sync/change.ts';
import type { Violation } from '../oracle/evidence.ts';
import type { Breakage } from '../scenario/scenario.ts';
import { contactValue, type RowView } from '../world/view.ts';
import { differences, linkedPairs, namedBy, type Sight, storyOf } from './records.ts';

export interface Healed extends Sight {
  /** What is still broken. */
  readonly remaining: readonly StillBroken[];
  /** Contacts that were refused before anything broke: their next pause may be the fourth, of two hours, or none is left (W5). */
  readonly refusedBefore: ReadonlySet<string>;
  /** People who were entered while things were broken: nothing else was ever done with them. */
  readonly entered: ReadonlySet<string>;
}

export interface StillBroken {
  readonly what: Breakage;
  /** Of calls about one contact. */
  readonly uuid: string | undefined;
}

/**
 * L14. Some runs after a part of what was broken has healed, everything that does not need the rest has gone on: no run
 * fails, no difference is left that nothing says, and none that is put down to a fault that is over.
 */
export function goesOn(healed: Healed): readonly Violation[] {
  const { quiet } = healed;
  if (quiet.report.status === 'failed') {
    const { error, holds } = quiet.report;
    if (holds.length > 0 || isBroken(healed, stopsAll)) return [];
    return [{ law: 'L14', text: `a run fails although what it needs has healed: ${error ?? ''}` }];
  }
  if (quiet.isHeld) return [];
  return [...ofFields(healed), ...ofEntered(healed)];
}

/** Calls that create or change a contact, or come before that. */
const changing = new Set([
  'contacts.upsert',
  'contacts.update',
  'contacts.lookup-one',
  'contacts.get',
  // A new row with a wish is created and enrolled by this one call (E2).
  'automations.add-new-lead',
]);

const stopsAll = ({ what }: StillBroken) => what.on === 'sheet';

function isBroken({ remaining }: Healed, isMeant: (each: StillBroken) => boolean): boolean {
  return remaining.some((each) => isMeant(each));
}

/** A call for this contact, or for its row, still fails. */
function isStopped(healed: Healed, of: string | undefined): boolean {
  return isBroken(
    healed,
    ({ what, uuid }) =>
      what.on === 'sheet' || (changing.has(what.operation) && (uuid === undefined || of === undefined || uuid === of)),
  );
}

/**
 * A fault leads to it, and its end ends it. A value that no cell can hold (V6) or the service does not store (M6) is no fault,
 * nor is an identifier that two contacts have (W1).
 */
function isOfFault({ kind, rule, reason }: Problem): boolean {
  if (kind === 'quarantined') return rule === 'W5';
  if (reason.includes('custom fields')) return false;
  return rule !== 'M6' && !rule.startsWith('V') && (kind === 'failed' || kind === 'unknown' || kind === 'refused');
}

/** G5: the contacts without a row that cannot be asked for are told together, by their number. */
function isOfUnread({ kind, reason }: Problem): boolean {
  return kind === 'incomplete' && reason.includes('no row yet could not be read');
}

function ofFields(healed: Healed): readonly Violation[] {
  return linkedPairs(healed).flatMap((pair) =>
    differences(healed, pair).flatMap((field) => {
      const { contact, row, person } = pair;
      const named = namedBy(healed, pair, field);
      const isOver = named.every((each) => isOfFault(each)) && !isRefusing(healed) && !isStopped(healed, contact.uuid);
      const mayPause = healed.refusedBefore.has(contact.uuid);
      if (named.length > 0 && (!isOver || mayPause)) return [];
      const [a, b] = [contactValue(contact, field), row.value(field)];
      const said = named.map(({ kind, reason }) => `${kind}: ${reason}`).join('; ') || 'nothing is said of it';
      const text = `${person} ${field} is ${JSON.stringify(a)} in the CRM and ${JSON.stringify(b)} in row ${row.number}, runs after its fault healed: ${said}`;
      return [{ law: 'L14', text: text + storyOf(healed, person, field) }];
    }),
  );
}

function ofEntered(healed: Healed): readonly Violation[] {
  const { quiet, entered, ownerOf } = healed;
  const here = quiet.contacts.filter(quiet.isInScope);
  const isOfPerson = (row: RowView, person: string) => row.notedPerson === person || ownerOf(row.id) === person;
  // Made of a row that the filter leaves out, which a full scan tells (D4).
  const left = new Set(quiet.contacts.flatMap((each) => (quiet.isInScope(each) ? [] : [ownerOf(each.uuid)])));
  return [...entered].flatMap((person) => {
    if (left.has(person)) return [];
    const contact = here.find(({ uuid }) => ownerOf(uuid) === person);
    const row = quiet.rows.find((each) => isOfPerson(each, person));
    if ((contact && row?.id === contact.uuid) || (!contact && !row)) return [];
    const named = quiet.problems.filter(
      (each) =>
        (contact && (each.uuid === contact.uuid || (!row && isOfUnread(each)))) || (row && each.row === row.number),
    );
    const isOver = named.every((each) => isOfFault(each) || isOfUnread(each)) && !isStopped(healed, contact?.uuid);
    if (named.length > 0 && (!isOver || isRefusing(healed))) return [];
    const what = contact ? (row ? 'a row without its ID' : 'no row') : 'no contact';
    const said = named.map(({ kind, reason }) => `${kind}: ${reason}`).join('; ') || 'nothing is said of it';
    return [
      { law: 'L14', text: `${person} has ${what}, runs after the fault healed: ${said}${storyOf(healed, person)}` },
    ];
  });
}

/** The service refuses some values or calls, or does not store them, without any fault. */
function isRefusing({ setting: { switches } }: Healed): boolean {
  return (
    switches.blankValue !== undefined ||
    switches.upsertExisting === 'refused' ||
    switches.updateIgnores !== undefined ||
    switches.emailStoredAs !== undefined ||
    switches.customFieldNames !== undefined
  );
}
