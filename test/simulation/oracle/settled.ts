// The values on which both sides agreed when the last good run ended.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import { lastTyped, type Log } from '../people/log.ts';
import { normalOf } from '../people/token.ts';
import { type FieldName, headerOf } from '../world/setting.ts';
import { contactValue, type SheetView } from '../world/view.ts';
import type { Side, Write } from './evidence.ts';

interface SettledDep {
  readonly log: Log;
  /** Fields that are mapped at the moment. */
  readonly mapped: () => ReadonlySet<FieldName>;
  readonly view: () => SheetView;
  readonly contacts: () => Iterable<ContactRecord>;
  readonly isInScope: (contact: ContactRecord) => boolean;
  readonly ownerOf: (uuid: string) => string | undefined;
  readonly writes: readonly Write[];
}

export function createSettled({ log, mapped, view, contacts, isInScope, ownerOf, writes }: SettledDep) {
  /** `person field`: the agreed value when the last good run ended, if no person had typed since it began. */
  const settled = new Map<string, { readonly text: string; readonly seq: number }>();

  function noteSettled(since: number): void {
    const fieldsNow = mapped();
    const byId = new Map(view().rows.map((row) => [row.id, row]));
    // A column that leaves the mapping loses its base (M9).
    for (const key of settled.keys()) if (!fieldsNow.has(key.split(' ')[1] as FieldName)) settled.delete(key);
    for (const contact of contacts()) {
      const [row, person] = [byId.get(contact.uuid), ownerOf(contact.uuid)];
      if (!row || person === undefined || !isInScope(contact)) continue;
      for (const field of fieldsNow) {
        const [a, b] = [normalOf(field, contactValue(contact, field)), normalOf(field, row.value(field))];
        const isTypedSince = log.typed.some(
          (each) => each.person === person && each.field === field && each.seq >= since,
        );
        // A value that was typed during the run may be in its base or not.
        // Of a cell that merged ones cover, the sides agree on nothing (V3).
        if (isTypedSince || row.isCovered(headerOf[field])) settled.delete(`${person} ${field}`);
        else if (a === b) settled.set(`${person} ${field}`, { text: a, seq: log.seq });
      }
    }
  }

  /**
   * An interrupted run that had carried a value over may have agreed on it: a person who types the old text again then has
   * edited it.
   */
  function isAsSettled(side: Side, person: string | undefined, field: FieldName, text: string): boolean {
    const known = settled.get(`${person} ${field}`);
    if (known?.text !== normalOf(field, text)) return false;
    const carried = writes.findLast(
      (each) => each.side === side && each.person === person && each.field === field && each.seq > known.seq,
    );
    const last = lastTyped(log, side, person, field);
    // The service may store what was typed there in the agreed form (M5): it is an edit all the same.
    const isEdited = last !== undefined && last.seq > known.seq && normalOf(field, last.text) !== known.text;
    return carried === undefined ? !isEdited : (last?.seq ?? 0) < carried.seq;
  }

  return {
    /** `since`: when the run began. */
    note: noteSettled,
    isAsThen: isAsSettled,
    /** Undefined: there is no agreed value. */
    textOf: (person: string | undefined, field: FieldName) => settled.get(`${person} ${field}`)?.text,
  };
}
