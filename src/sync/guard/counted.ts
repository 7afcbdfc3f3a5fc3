// Which changes of a plan the limits count (G2). Each change counts once, in the first run that plans it.
//
// A run that was allowed to write may not finish, because a call fails or the process ends. Later runs finish its writes
// without counting them again (G4, L10); notes in links and strays tell which these are. Deletions count until they are
// done: they cannot be taken back.
import { lastSeen, type Link, rowKey, type Stray } from '../record/base.ts';
import type { Change, FieldChange } from '../change.ts';
import type { PlanInput } from '../input.ts';
import { isSame } from '../value/kinds.ts';
import { unpack } from '../record/record.ts';
import { isBlank, type Side } from '../value/value.ts';
import { ledgerKey } from '../record/ledger.ts';
import { withCounted } from '../record/link.ts';

export type Limited = 'creates' | 'changes' | 'blanks' | 'deletes';

type Counting = Pick<PlanInput, 'mapping' | 'base' | 'sheet' | 'ledger'>;

/** G2: the counts of the changes that a plan intends. */
export function countChanges(input: Counting, changes: readonly Change[]): Record<Limited, number> {
  return countKeys(keysOf(input, changes));
}

/** What the limits count of these changes, as texts: the same change has the same text in a later run. */
export function countedKeys(input: Counting, changes: readonly Change[]): readonly string[] {
  return Object.values(keysOf(input, changes)).flatMap((keys) => [...keys]);
}

/**
 * G2: the counts that a person approved. Of an approval that an earlier run began to carry out, only what that run was to do
 * is left of it; what was done counts as used.
 */
export function countApproved(input: PlanInput, changes: readonly Change[]): Partial<Record<Limited, number>> {
  const { approved, begun } = input.requests;
  if (!approved) return {};
  // A person who approved missing records approved the deletions that follow.
  if (!begun) return { ...approved, deletes: Math.max(approved.deletes, approved.missing) };
  return countKeys(keysOf(input, changes), (key) => begun.has(key));
}

type Keys = Record<Limited, ReadonlySet<string>>;

function countKeys({ creates, changes, blanks, deletes }: Keys, isMeant?: (key: string) => boolean) {
  const count = (keys: ReadonlySet<string>) => (isMeant ? [...keys].filter(isMeant).length : keys.size);
  return { creates: count(creates), changes: count(changes), blanks: count(blanks), deletes: count(deletes) };
}

function keysOf(input: Counting, changes: readonly Change[]): Keys {
  const keys = {
    creates: new Set<string>(),
    changes: new Set<string>(),
    blanks: new Set<string>(),
    deletes: new Set<string>(),
  };
  const keyByRow = lazilyKeyed(input);
  for (const change of changes) {
    const record = change.uuid ?? `row:${change.row}`;
    if (change.op === 'create' && !input.base.strays.get(change.key)?.isCounted) {
      keys.creates.add(`create ${change.key}`);
    }
    // D1: cancels everywhere because the row was deleted. It counts as a deletion, which is as hard to take back.
    const isCancelForDeletedRow = change.op === 'cancel' && change.rule === 'D1';
    if (change.op === 'delete' || change.op === 'remove' || isCancelForDeletedRow) {
      keys.deletes.add(`${change.op} ${record}`);
    } else if (isCellCancel(input, change)) keys.deletes.add(`cancel ${record} ${change.automation}`);
    if (change.op !== 'update' && change.op !== 'set') continue;
    if (change.op === 'update' && change.releases) continue;
    const fields = change.fields.filter((field) => isCounted(input, keyByRow, change, field));
    if (fields.length > 0) keys.changes.add(`change ${record}`);
    for (const { field, before, after } of fields) {
      if (after === null && before !== null) keys.blanks.add(`blank ${change.side} ${record} ${field}`);
    }
  }
  return keys;
}

/** E5: takes a contact out of an automation because its cell does not name it any more. One that an earlier run began was counted. */
export function isCellCancel(
  { ledger }: Pick<PlanInput, 'ledger'>,
  change: Change,
): change is Extract<Change, { op: 'cancel' }> {
  if (change.op !== 'cancel' || change.rule !== 'E5') return false;
  return !ledger.entries.get(ledgerKey(change.uuid ?? '', change.automation ?? ''))?.isCancelOpen;
}

function isCounted(
  input: Counting,
  keyByRow: (row: number | null) => string | undefined,
  { side, uuid, row }: Change,
  field: FieldChange,
): boolean {
  const link = input.base.links.get(uuid ?? '');
  if (link) return !wasCounted(input, link, side, field);
  // Row and contact are linked by this run. If the row was to be created, all that is written for it was allowed.
  if (input.base.strays.get(keyByRow(row) ?? '')?.isCounted) return false;
  return side === 'crm' || !isBlank(field.before ?? null);
}

/** Whether the same value was allowed for this field, and no person changed that side since. */
export function wasCounted(
  { mapping }: Pick<PlanInput, 'mapping'>,
  link: Link,
  side: Side,
  { field, before, after }: FieldChange,
): boolean {
  const known = link.counted?.[field];
  if (known === undefined) return false;
  const index = mapping.fields.findIndex(({ name }) => name === field);
  const kind = mapping.fields[index]?.kind;
  if (kind === undefined || !isSame(kind, known, after)) return false;
  // A column that is only sent is never read.
  if (before === undefined) return true;
  const held = [lastSeen(link, side), link.agreed].map((packed) => unpack(packed)[index]);
  return held.some((value) => isSame(kind, value, before));
}

/** Most plans set no cell of a row without a link: then no row is looked at. */
function lazilyKeyed({ sheet }: Counting): (row: number | null) => string | undefined {
  let keys: ReadonlyMap<number, string> | undefined;
  return (row) => (keys ??= new Map(sheet.rows.map((each) => [each.number, rowKey(each)]))).get(row ?? 0);
}

/** The links and strays of a plan that no guard stopped, with notes of what it was allowed to write. */
export function noteCounted(
  { base }: Pick<PlanInput, 'base'>,
  changes: readonly Change[],
  links: ReadonlyMap<string, Link | null>,
  strays: ReadonlyMap<string, Stray>,
): { readonly links: ReadonlyMap<string, Link | null>; readonly strays: ReadonlyMap<string, Stray> } {
  if (changes.length === 0) return { links, strays };
  const noted = { links: new Map(links), strays: new Map(strays) };
  for (const change of changes) {
    if (change.op === 'create') {
      const stray = noted.strays.get(change.key);
      if (stray && !stray.isCounted) noted.strays.set(change.key, { ...stray, isCounted: true });
    }
    const isWrite = change.op === 'set' || (change.op === 'update' && !change.releases);
    if (!isWrite || change.fields.length === 0 || change.uuid === null) continue;
    const link = noted.links.has(change.uuid) ? noted.links.get(change.uuid) : base.links.get(change.uuid);
    if (link) noted.links.set(change.uuid, withCounted(link, change.fields));
  }
  return noted;
}

/** The notes without those of changes that the run leaves out: it is not let through to write them, and the next run counts them. */
export function withoutLeftOut(
  { base }: Pick<PlanInput, 'base'>,
  leftOut: readonly Change[],
  { links, strays }: ReturnType<typeof noteCounted>,
): ReturnType<typeof noteCounted> {
  const kept = { links: new Map(links), strays: new Map(strays) };
  for (const change of leftOut) {
    if (change.op === 'create') {
      const stray = kept.strays.get(change.key);
      if (!stray || base.strays.get(change.key)?.isCounted) continue;
      const { isCounted: _isCounted, ...rest } = stray;
      kept.strays.set(change.key, rest);
      continue;
    }
    const link = kept.links.get(change.uuid ?? '');
    if (!link?.counted || change.uuid === null) continue;
    const before = base.links.get(change.uuid)?.counted;
    const names = new Set(change.fields.flatMap(({ field, after }) => (before?.[field] === after ? [] : [field])));
    const { counted, ...rest } = link;
    const fields = Object.entries(counted).flatMap(([field, after]) => (names.has(field) ? [] : [{ field, after }]));
    kept.links.set(change.uuid, withCounted(rest, fields));
  }
  return kept;
}
