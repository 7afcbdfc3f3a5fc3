// Finds a linked contact by uuid, e-mail address, name or row, from the state alone.
import { emailTerm, nameTerm } from '../engine/found-by.ts';
import { type Standing, standingOf } from '../engine/standing.ts';
import type { SyncState, Wanted } from '../state/port.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';

export interface FoundRecord {
  readonly sync: string;
  readonly contact: string;
}

const uuidForm = /^[\da-f-]{36}$/i;
const rowForm = /^row:(\d+)$/i;
const namedAddressForm = /^[^<>]*<([^<>\s]+@[^<>\s]+)>$/;

/**
 * `reference`: uuid, e-mail address, name, or `row:17`. The state knows only the rows with a problem in the last run. A
 * uuid is looked up like the rest. `syncs`: the syncs to search.
 */
export async function findRecords(
  operator: Pick<Operator, 'store' | 'areNamesHidden'>,
  reference: string,
  syncs: readonly string[],
): Promise<readonly FoundRecord[]> {
  refuseHiddenName(operator, reference);
  const { store } = operator;
  const found: FoundRecord[] = [];
  const isOfRow = rowNumber(reference) !== undefined;
  for (const sync of isOfRow ? syncs : await store.mayHave(syncs, wantedOf(reference))) {
    const standing = await readMeant(store.sync(sync), reference);
    found.push(...contactsOf(standing, reference).map((contact) => ({ sync, contact })));
  }
  return found;
}

/** Throws OperatorError, whether or not a contact has that name. */
export function refuseHiddenName({ areNamesHidden }: Pick<Operator, 'areNamesHidden'>, reference: string): void {
  if (!areNamesHidden || isUuid(reference) || rowNumber(reference) !== undefined) return;
  throw new OperatorError('invalid', 'without a login a contact is found by its uuid or row:17 alone');
}

/** With all contacts that the reference means or that have one of `terms`, and few others. Throws StateError. */
export async function readMeant(state: SyncState, reference: string, terms: readonly string[] = []): Promise<Standing> {
  if (rowNumber(reference) === undefined) {
    const { keys, terms: ofReference = [] } = wantedOf(reference);
    return standingOf(await state.loadSome({ ...(keys && { keys }), terms: [...ofReference, ...terms] }));
  }
  // A row is found by the problems of the last run, and its contact by its uuid.
  const standing = standingOf(await state.loadSome({}));
  return standingOf(await state.loadSome({ keys: contactsOf(standing, reference), terms }));
}

/** What a look at the contacts that the reference means asks for; a row is looked for in another way. */
export function wantedOf(reference: string): Pick<Wanted, 'keys' | 'terms'> {
  if (isUuid(reference)) return { keys: [reference.toLowerCase()] };
  return { terms: [reference.includes('@') ? emailTerm(addressIn(reference)) : nameTerm(reference)] };
}

/** The uuids of the contacts of one sync that the reference means. */
export function contactsOf(standing: Standing, reference: string): readonly string[] {
  if (isUuid(reference)) return [reference.toLowerCase()].filter((uuid) => standing.links.has(uuid));
  if (reference.includes('@')) return standing.uuidsByEmail(addressIn(reference));
  const row = rowNumber(reference);
  if (row === undefined) return standing.uuidsByName(reference);
  const uuids = standing.lastRun?.problems.flatMap((each) => (each.row === row && each.uuid ? [each.uuid] : []));
  return [...new Set(uuids)];
}

export function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

/** The address in `Ann Lee <ann@firm.io>`, which is how pages and commands name a contact; another text is as it was. */
export function addressIn(text: string): string {
  return namedAddressForm.exec(text.trim())?.[1] ?? text;
}

/** The number 17 in `row:17`. */
export function rowNumber(text: string): number | undefined {
  const digits = rowForm.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The message where no contact was found. `of`: the job that was asked, or blank. A row is known by what is open about it alone. */
export function noContactText(reference: string, of = ''): string {
  const row = rowNumber(reference);
  return row === undefined
    ? `no linked contact${of} has ${referenceText(reference)}`
    : `nothing was open about row ${row} in the last run: name its contact by its e-mail address, name or uuid`;
}

/** The reference in a message. */
export function referenceText(reference: string): string {
  if (isUuid(reference)) return 'this uuid';
  if (reference.includes('@')) return 'this e-mail address';
  return rowNumber(reference) === undefined ? `the name ${reference}` : `the row ${rowNumber(reference)}`;
}
