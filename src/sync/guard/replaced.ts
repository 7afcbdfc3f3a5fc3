// Whether other people were pasted over rows, whose hidden IDs stayed (G1): a new list over the one of last month. Each contact would
// become somebody else, who gets what was meant for the person before.
import { lastSeen } from '../record/base.ts';
import { type Change, firstFew } from '../change.ts';
import type { PlanInput } from '../input.ts';
import { compileKeys, nameFields, nameKey } from '../record/keys.ts';
import { isWritable } from '../record/mapping.ts';
import { type RowRecord, unpack } from '../record/record.ts';
import { wasCounted } from './counted.ts';

/** Whoever follows somebody at a firm may be typed over them, and so may a second one. */
const replacedRowsMin = 3;

/**
 * What is wrong, and what to do; undefined: at most two rows show somebody else. Such a row has none of its keys any more, and each part
 * of the name is another one. `changes`: those of the plan. What a run was let through to send was judged then.
 */
export function whyReplaced(input: PlanInput, changes: readonly Change[]): string | undefined {
  const { mapping, base, sheet } = input;
  const names = mapping.fields.flatMap((field, index) =>
    nameFields.has(field.name) && isWritable(field, 'crm') ? [index] : [],
  );
  const renamed = changes.filter((change) => isRenaming(input, change));
  if (renamed.length < replacedRowsMin) return undefined;
  const keys = compileKeys(mapping);
  const rowByNumber = new Map(sheet.rows.map((row) => [row.number, row]));
  const rows = renamed.flatMap(({ uuid, row: number }) => {
    const row = rowByNumber.get(number ?? 0);
    return row && isSomebodyElse(uuid ?? '', row) ? [row.number] : [];
  });
  if (rows.length < replacedRowsMin) return undefined;
  const where = firstFew(rows.toSorted((a, b) => a - b));
  return `rows ${where} show other people than before: was a list pasted over them? Undo that; or clear the IDs of these rows, and each becomes a new contact; or look at the plan, then approve it, and the contacts that are there become these people`;

  function isSomebodyElse(uuid: string, { values }: RowRecord): boolean {
    const link = base.links.get(uuid);
    if (!link) return false;
    const [before, now] = [unpack(lastSeen(link, 'sheet')), unpack(values)];
    const had = keys.of(before);
    if (had.length === 0 || keys.of(now).some((key) => had.includes(key))) return false;
    const called = names.filter((index) => before[index] != null);
    return called.length > 0 && called.every((index) => now[index] != null && !isAlike(before[index], now[index]));
  }
}

function isAlike(a: unknown, b: unknown): boolean {
  return nameKey(String(a)) === nameKey(String(b));
}

/** Gives a contact another name, which counts for the first time. */
function isRenaming(input: PlanInput, change: Change): boolean {
  if (change.op !== 'update' || change.releases) return false;
  const link = input.base.links.get(change.uuid ?? '');
  return (
    link !== undefined &&
    change.fields.some((field) => nameFields.has(field.field) && !wasCounted(input, link, 'crm', field))
  );
}
