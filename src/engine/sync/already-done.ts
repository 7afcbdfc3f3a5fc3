// Whether both sides already are as a saved plan would make a record: then applying it again has nothing to do (W3).
import type { PlanInput } from '../../sync/input.ts';
import { lastSeen, type Link } from '../../sync/record/base.ts';
import { isDone as isEntryDone, ledgerKey, readLedgerKey } from '../../sync/record/ledger.ts';
import { type Packed, type RowRecord, unpack } from '../../sync/record/record.ts';
import { isStoredForm } from '../../sync/value/kinds.ts';
import type { SavedPlan } from '../saved-plan.ts';

type Saved = SavedPlan['changes'][number];

/** Answers for the saved changes of one record. In doubt the answer is no. */
export function createDoneCheck(input: PlanInput): (changes: readonly Saved[]) => boolean {
  const { mapping, base, crm, sheet, ledger } = input;
  const contacts = new Map(crm.contacts.map((contact) => [contact.uuid, contact.values]));
  const rows = new Map(sheet.rows.flatMap((row) => (row.id === '' ? [] : [[row.id, row] as const])));
  let linkedByContent: ReadonlyMap<string, RowRecord> | undefined;
  return (changes) => changes.every(isDone);

  function isDone(change: Saved): boolean {
    const uuid = change.uuid ?? '';
    switch (change.op) {
      case 'create': {
        const row = rowOfCreated(change);
        const isIn = change.enrol === undefined || isEnrolled(row?.id ?? '', change.enrol);
        return row !== undefined && isIn;
      }
      case 'update':
        return holds(change, contacts.get(uuid) ?? seenOf(base.links.get(uuid)));
      case 'delete':
        return !contacts.has(uuid) && !base.links.has(uuid);
      case 'enrol':
        return isEnrolled(uuid, change.automation ?? '');
      case 'cancel':
        return isCancelled(uuid, change.automation ?? null);
      case 'append':
        return rows.has(uuid);
      case 'set':
        return holds(change, rows.get(uuid)?.values);
      case 'remove':
        return !rows.has(uuid);
      case 'send':
        return false;
    }
  }

  function seenOf(link: Link | undefined): Packed | undefined {
    return link && lastSeen(link, 'crm');
  }

  function holds({ fields }: Saved, values: Packed | undefined): boolean {
    if (values === undefined) return false;
    const now = unpack(values);
    return fields.every(({ field: name, after }) => {
      const index = mapping.fields.findIndex((field) => field.name === name);
      const field = mapping.fields[index];
      return field !== undefined && isStoredForm(field.kind, now[index], after);
    });
  }

  /** The linked row that the saved change would have made a contact of; it may have been moved since. */
  function rowOfCreated(change: Saved): RowRecord | undefined {
    linkedByContent ??= new Map(
      [...rows.values()].flatMap((row) => (base.links.has(row.id) ? [[contentOf(row.values), row] as const] : [])),
    );
    return change.key === undefined ? undefined : linkedByContent.get(contentOf(change.key as Packed));
  }

  /** The cells that a person types: the run fills the columns that only show what the service has. */
  function contentOf(values: Packed): string {
    const typed = unpack(values).filter((_value, index) => mapping.fields[index]?.direction !== 'to_sheet');
    return JSON.stringify(typed);
  }

  function isEnrolled(uuid: string, automation: string): boolean {
    const state = ledger.entries.get(ledgerKey(uuid, automation))?.state;
    return state === 'enrolled' || state === 'skipped';
  }

  /** `automation`: null means all of them. */
  function isCancelled(uuid: string, automation: string | null): boolean {
    if (automation !== null) return ledger.entries.get(ledgerKey(uuid, automation))?.state === 'cancelling';
    const entries = [...ledger.entries].filter(([key]) => readLedgerKey(key).uuid === uuid);
    return entries.every(([, entry]) => entry.state === 'cancelling' || !isEntryDone(entry));
  }
}
