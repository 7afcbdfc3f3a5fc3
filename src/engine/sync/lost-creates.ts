// Contacts of creates of which nobody saw the end, where the row was edited before the next run (W4, L8). A row that is as it was
// then is looked up by its keys like any other new row.
import { rowKey, type Link, type Stray } from '../../sync/record/base.ts';
import type { ContactAnswer, LookupAnswer } from '../../sync/input.ts';
import { addToIndex, computeOnce } from '../../sync/match/key-index.ts';
import { mostAlike } from '../../sync/match/missing-rows.ts';
import { compileKeys } from '../../sync/record/keys.ts';
import { linkOf } from '../../sync/record/link.ts';
import type { Field } from '../../sync/record/mapping.ts';
import { type ContactRecord, pack, type Packed, type RowRecord, unpack } from '../../sync/record/record.ts';
import { isStoredForm } from '../../sync/value/kinds.ts';
import type { WishesRead } from '../enrolment/wishes.ts';
import type { Lease } from '../../state/port.ts';
import { asStored } from '../stored/json.ts';
import { lookUp } from './ask.ts';
import type { RunContext } from './context.ts';

interface LostCreate {
  /** What was sent. */
  readonly sent: Packed;
  /** Rows without an ID that may be the row which was sent. */
  readonly rows: readonly RowRecord[];
}

/**
 * Looks for the contact of each such create. One that is found is linked as if its answer had come, so that its row is
 * known by what it held (I5). While the service does not answer, the row waits. Without a lease nothing is written.
 */
export async function findLostCreates(
  context: RunContext,
  { memory, pulled, answers }: WishesRead,
  lease?: Lease,
): Promise<WishesRead> {
  const lost = lostCreates(memory.base.strays, pulled.sheet.rows).filter(({ rows }) =>
    rows.every((row) => !answers.lookups.has(rowKey(row))),
  );
  if (lost.length === 0) return { memory, pulled, answers };
  const { links: known, strays: noted } = memory.base;
  const links = new Map<string, Link>();
  const strays = new Map<string, Stray>();
  const lookups = new Map<string, LookupAnswer>();
  const keys = compileKeys(context.shape.mapping);
  const ids = new Set(pulled.sheet.rows.map(({ id }) => id));
  const isNew = ({ uuid }: ContactRecord) => !known.has(uuid) && !ids.has(uuid);
  const newByKey = computeOnce(() => {
    const index = new Map<string, ContactRecord[]>();
    for (const each of pulled.crm.contacts) if (isNew(each)) addToIndex(index, keys.of(unpack(each.values)), each);
    return index;
  });
  for (const { sent, rows } of lost) {
    const values = unpack(sent);
    // The search of this run may show it, whether the service answers the lookup or not.
    const [shown] = keys.of(values).flatMap((key) => newByKey().get(key) ?? []);
    const answer: ContactAnswer = shown
      ? { kind: 'here', contact: shown }
      : await lookUp(context, pulled.scope, { values });
    const contact = contactIn(answer);
    const made = contact && isNew(contact) ? contact : undefined;
    if (made) links.set(made.uuid, linkOfCreate(context.shape.mapping.fields, sent, made));
    const isOpen = answer.kind === 'unanswered' && !answer.isRefused;
    for (const row of rows) {
      const key = rowKey(row);
      if (isOpen) lookups.set(key, answer);
      const before = strays.get(key) ?? noted.get(key);
      const rest = withoutSent(before ?? { since: context.crm.now() }, sent);
      // However little of what was sent is left in the row by now.
      if (made) strays.set(key, { ...rest, mayBeOf: [...new Set([...(rest.mayBeOf ?? []), made.uuid])].toSorted() });
      else if (isOpen && before?.sent !== sent) strays.set(key, { ...rest, isUnknown: true, sent });
      else if (!isOpen && before?.isUnknown) strays.set(key, rest);
    }
  }
  if (links.size + strays.size > 0)
    await lease?.commit({
      ...(links.size > 0 && { links: { put: asStored(links) } }),
      ...(strays.size > 0 && { strays: { put: asStored(strays) } }),
    });
  return {
    memory: {
      ...memory,
      base: { ...memory.base, links: new Map([...known, ...links]), strays: new Map([...noted, ...strays]) },
    },
    pulled,
    answers: { ...answers, lookups: new Map([...answers.lookups, ...lookups]) },
  };
}

function lostCreates(strays: ReadonlyMap<string, Stray>, all: readonly RowRecord[]): readonly LostCreate[] {
  const open = [...strays].filter(([, { isUnknown }]) => isUnknown);
  if (open.length === 0) return [];
  const withoutId = all.filter(({ id }) => id === '');
  const byKey = Map.groupBy(withoutId, rowKey);
  // A row that a run saw as it is now was not edited since.
  const edited = withoutId.filter((row) => !strays.has(rowKey(row)));
  return open.flatMap(([key, { sent }]) => {
    const standing = byKey.get(key);
    if (standing) return sent === undefined ? [] : [{ sent, rows: standing }];
    const before = [key as Packed, ...(sent === undefined ? [] : [sent])].map(unpack);
    const rows = mostAlike(before, edited);
    return rows.length === 0 ? [] : [{ sent: sent ?? (key as Packed), rows }];
  });
}

/** Another create that may be of this row may still be open. */
function withoutSent(stray: Stray, sent: Packed): Stray {
  if (stray.sent !== undefined && stray.sent !== sent) return stray;
  const { isUnknown: _unknown, sent: _sent, ...rest } = stray;
  return rest;
}

function contactIn(answer: ContactAnswer): ContactRecord | undefined {
  return answer.kind === 'here' || answer.kind === 'elsewhere' ? answer.contact : undefined;
}

/** Both sides agree on what the contact holds as it was sent. What is not read is not known to have arrived (M4). */
function linkOfCreate(fields: readonly Field[], sent: Packed, contact: ContactRecord): Link {
  const [held, stored] = [unpack(sent), unpack(contact.values)];
  const agreed = fields.map(({ kind }, index) => {
    const { [index]: value } = held;
    const { [index]: answered } = stored;
    return value !== undefined && answered !== undefined && isStoredForm(kind, answered, value) ? value : undefined;
  });
  return linkOf({
    agreed: pack(agreed),
    crm: contact.values,
    sheet: sent,
    notes: {},
    isOpen: true,
    rowId: '',
    updatedAt: contact.updatedAt,
    counted: [],
  });
}
