// Contacts of creates of which nobody saw the end, where the row was edited before the next run (W4, L8). A row that is as it was
// then is looked up by its keys like any other new row.
import { rowKey, type Link, type Stray } from '../../sync/record/base.ts';
import type { ContactAnswer, LookupAnswer } from '../../sync/input.ts';
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
  const ids = new Set(pulled.sheet.rows.map(({ id }) => id));
  const links = new Map<string, Link>();
  const strays = new Map<string, Stray>();
  const lookups = new Map<string, LookupAnswer>();
  const keys = compileKeys(context.shape.mapping);
  for (const { sent, rows } of lost) {
    // The search of this run may show it, whether the service answers the lookup or not.
    const own = new Set(keys.of(unpack(sent)));
    const shown = pulled.crm.contacts.find(({ values }) => keys.of(unpack(values)).some((key) => own.has(key)));
    const answer: ContactAnswer = shown
      ? { kind: 'here', contact: shown }
      : await lookUp(context, pulled.scope, { values: unpack(sent) });
    const contact = contactIn(answer);
    const isNews = contact !== undefined && !memory.base.links.has(contact.uuid) && !ids.has(contact.uuid);
    if (isNews) links.set(contact.uuid, linkOfCreate(context.shape.mapping.fields, sent, contact));
    const isOpen = answer.kind === 'unanswered' && !answer.isRefused;
    for (const row of rows) {
      const key = rowKey(row);
      const before = memory.base.strays.get(key);
      const { isUnknown: _unknown, sent: _sent, ...known } = before ?? { since: context.crm.now() };
      if (isOpen) {
        strays.set(key, { ...known, isUnknown: true, sent });
        lookups.set(key, answer);
      } else if (isNews) {
        // However little of what was sent is left in the row by now.
        strays.set(key, { ...known, mayBeOf: [contact.uuid] });
      } else if (before) strays.set(key, known);
    }
  }
  await lease?.commit({
    ...(links.size > 0 && { links: { put: asStored(links) } }),
    strays: { put: asStored(strays) },
  });
  const { base } = memory;
  return {
    memory: {
      ...memory,
      base: {
        ...base,
        links: new Map([...base.links, ...links]),
        strays: new Map([...base.strays, ...strays]),
      },
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
