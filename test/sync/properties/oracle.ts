// The table "Merge, one field" of SPEC with M1 to M4, one line a case, for text: slow, obvious, and written from the
// rules.
import type { Reading, Side, Value } from '../../../src/sync/value/value.ts';
import type { FreeField } from './records.ts';

export type Expected = { readonly to: Side; readonly value: Value } | 'nothing' | 'conflict';

const same = (a: Reading, b: Reading) =>
  a !== undefined &&
  b !== undefined &&
  (a === null ? null : String(a).trim()) === (b === null ? null : String(b).trim());

export function expectedOf({ direction, conflict, blank }: FreeField, o: Reading, a: Value, b: Value): Expected {
  const toCrm = { to: 'crm', value: b } as const;
  const toSheet = { to: 'sheet', value: a } as const;
  if (direction === 'to_crm') {
    if (same(b, o)) return 'nothing';
    return b === null && (o === undefined || blank === 'ignore') ? 'nothing' : toCrm;
  }
  if (same(a, b)) return 'nothing';
  if (direction === 'to_sheet') return a === null && o !== null && blank === 'ignore' ? 'nothing' : toSheet;
  if (o === undefined && a === null) return toCrm;
  if (o === undefined && b === null) return toSheet;
  if (blank === 'ignore' && a === null) return toCrm;
  if (blank === 'ignore' && b === null) return toSheet;
  if (same(a, o)) return toCrm;
  if (same(b, o)) return toSheet;
  if (conflict === 'crm') return toSheet;
  if (conflict === 'sheet') return toCrm;
  if (a === null) return toCrm;
  if (b === null) return toSheet;
  return 'conflict';
}
