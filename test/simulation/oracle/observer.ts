// Observes every change of either side and every answer to leadsheet, and records the evidence for the laws.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import type { Spreadsheet } from '../../../src/standin/sheets/spreadsheet.ts';
import { lastTyped, type Log } from '../people/log.ts';
import { normalOf, readToken } from '../people/token.ts';
import {
  createdHeader,
  type Direction,
  type FieldName,
  headerOf,
  type Setting,
  statusHeader,
  tabTitle,
  wishHeader,
} from '../world/setting.ts';
import type { SideEvent } from '../world/sides.ts';
import { cellText, contactValue, type RowView, type SheetView, viewSheet } from '../world/view.ts';
import type { Addition, Cancel, Enrolment, Evidence, Naming, Removal, RunView, Side, Write } from './evidence.ts';
import { type Answer, createKnowledge } from './knowledge.ts';
import { createSaid } from './said.ts';
import { createSettled } from './settled.ts';
import { type SheetChange, sheetChanges } from './sheet-changes.ts';
import { createTakenBack } from './taken-back.ts';
import { createWhose, keyFields } from './whose.ts';

export interface Observer {
  readonly onSide: (event: SideEvent) => void;
  readonly onRun: (pid: number, run: string) => void;
  /** A run has ended, and its knowledge is saved. */
  readonly onSaved: (pid: number) => void;
  /** L12: contacts that existed during the last run of the process, and that no answer showed it. */
  readonly unreadIn: (pid: number) => readonly string[];
  readonly onAnswer: (pid: number, answer: Answer) => void;
  readonly ownerOf: (uuid: string) => string | undefined;
  readonly personOf: (row: RowView) => string | undefined;
  readonly held: (side: Side, person: string, field: FieldName) => ReadonlySet<string>;
  readonly writes: readonly Write[];
  readonly additions: readonly Addition[];
  readonly removals: readonly Removal[];
  readonly namings: readonly Naming[];
  readonly enrolments: readonly Enrolment[];
  readonly cancelledCovered: Evidence['cancelledCovered'];
  readonly cellCancels: readonly Cancel[];
  readonly runs: readonly RunView[];
  readonly foreign: readonly string[];
}

interface ObserverDep {
  readonly setting: Setting;
  /** The configurations by which a run that begins now may go. */
  readonly inForce: () => readonly Setting[];
  /** Fields that are mapped at the moment. */
  readonly mapped: () => ReadonlySet<FieldName>;
  readonly log: Log;
  readonly contacts: () => Iterable<ContactRecord>;
  readonly sheet: () => Spreadsheet;
  readonly isInScope: (contact: ContactRecord) => boolean;
  /** Epoch milliseconds, true time. */
  readonly now: () => number;
  /** The process whose request is being carried out. */
  readonly currentPid: () => number;
}

/** Further knowledge of a value that leadsheet wrote. */
interface WriteDetails {
  /** The ID by which the record was read: the same write may give the row another or its first ID. */
  readonly id?: string;
  readonly wasFormula?: boolean;
  readonly contact?: ContactRecord | undefined;
}

export function createObserver(dep: ObserverDep): Observer {
  const { setting, inForce, mapped, log, contacts, sheet, isInScope, now, currentPid } = dep;
  const knowledge = createKnowledge({ log, now });
  /** When a contact was last changed by anybody: true time. */
  let changedAt = -Infinity;
  /** When a contact last came into the list, and when one last went. */
  const changedHereAt = { came: -Infinity, went: -Infinity };
  const said = createSaid(setting.fields.map(({ field }) => field));
  const writes: Write[] = [];
  const additions: Addition[] = [];
  const removals: Removal[] = [];
  /** By uuid: contacts that leadsheet asked the service to delete, as they were then. They may exist for a while. */
  const leaving = new Map<string, Removal>();
  const namings: Naming[] = [];
  const enrolments: Enrolment[] = [];
  const cancelledCovered: Evidence['cancelledCovered'][number][] = [];
  const cellCancels: Cancel[] = [];
  const foreign: string[] = [];
  const runs: RunView[] = [];
  /** By process: a run that has got no answer yet. */
  const unread = new Map<number, RunView>();
  /** By uuid: since when its status is a vetoed one. */
  const vetoed = new Map<string, number>();
  /** IDs of contacts that had a row when the last good run ended; and all IDs that any row ever had or was to get. */
  const linked = new Set<string>();
  const everLinked = new Set<string>();
  /** IDs of several rows of which each held something else when a run began. */
  const toldApart = new Set<string>();
  const fields = setting.fields.map(({ field }) => field);

  const whose = createWhose({ fields, contacts });
  const { ownerOf, personOf } = whose;
  const typedLast = (side: Side, person: string | undefined, field: FieldName) => lastTyped(log, side, person, field);
  const settled = createSettled({
    log,
    mapped,
    view: () => viewSheet(sheet(), log.renamed),
    contacts,
    isInScope,
    ownerOf,
    writes,
  });
  const isUndo = () => log.undoing.has(currentPid());
  function noteContact(record: ContactRecord): void {
    const person = ownerOf(record.uuid);
    if (person === undefined) return;
    said.by('crm', person, (field) => contactValue(record, field));
    if (log.misplaced.has(person)) return;
    const rows = viewSheet(sheet(), log.renamed).rows.filter((row) => personOf(row) === person);
    for (const row of rows) said.together(person, record, row);
  }

  function noteRow(row: RowView): void {
    const person = personOf(row);
    // Cells that were moved by mistake are nobody's word of this person.
    if (person === undefined || log.misplaced.has(person)) return;
    whose.noteShown(row);
    // V3: of a row without an ID nobody knows what a covered cell held, and it counts as blank.
    const isUnknown = (field: FieldName) => row.id !== '' && row.isCovered(headerOf[field]);
    said.by('sheet', person, (field) => (isUnknown(field) ? undefined : row.value(field)));
    for (const record of contacts()) if (ownerOf(record.uuid) === person) said.together(person, record, row);
  }

  function noteWrite(
    side: Side,
    uuid: string,
    person: string | undefined,
    field: FieldName,
    [before, after]: readonly [string, string],
    { id = uuid, wasFormula = false, contact }: WriteDetails = {},
  ): void {
    const other = side === 'crm' ? 'sheet' : 'crm';
    const typed = typedLast(side, person, field);
    // leadsheet had read it on the other side: if the same is typed there again, both agree on it.
    if (said.was(other, person, field, after)) said.agree(person, field, after);
    const { runBeganAt, copied } = knowledge.of(currentPid());
    const directions = directionsOf(field);
    const isTyped = before !== '' && typed !== undefined && normalOf(field, typed.text) === normalOf(field, before);
    const isTypedSince = log.typed.some((each) => each.person === person && each.seq >= runBeganAt);
    const token = readToken(before)?.token;
    writes.push({
      seq: log.seq,
      pid: currentPid(),
      side,
      uuid,
      person,
      field,
      before,
      after,
      isTyped,
      wasAgreed: said.isAgreed(person, field, before) || (isTyped && isTakenForAgreed(other, person, field, before)),
      isUnseen: knowledge.isUnseen(currentPid(), `${side} ${id}`, { person, text: before, typed }),
      isOfOtherSide: said.was(other, person, field, after),
      isOfThisSide: said.was(side, person, field, after),
      wasFormula,
      at: now(),
      typedAt: typed && shownSince(typed),
      shownAt: token === undefined ? undefined : knowledge.firstShown(`${side} ${token}`),
      contactChangedAt: contact && Date.parse(contact.updated_at),
      isOfCopy: side === 'crm' && copied.has(uuid) && !isTypedSince,
      isCleared: before === '' && typed?.text === '' && !typed.isRetyped,
      isOtherUnchanged: settled.isAsThen(other, person, field, after),
      direction: directions.find((direction) => direction !== 'both') ?? 'both',
      isUnmapped: directions.length === 0,
      isUndo: isUndo(),
    });
  }

  /**
   * A run read the text on both sides, one after the other. One may have become another text in between: nothing tells
   * that, so that both count as agreed.
   */
  function isTakenForAgreed(other: Side, person: string | undefined, field: FieldName, text: string): boolean {
    return said.was(other, person, field, text) && knowledge.wasShownOnBoth(text);
  }

  /** Of the run under way, in each configuration by which it may go; none: the column is in none of them. */
  function directionsOf(field: FieldName): readonly Direction[] {
    return [...knowledge.of(currentPid()).inForce, ...inForce()].flatMap(({ fields: its }) =>
      its.flatMap((each) => (each.field === field ? [each.direction] : [])),
    );
  }

  /** Typing the same text again changes nothing that anybody could see. */
  function shownSince(last: Log['typed'][number]): number {
    const typed = log.typed.filter(
      ({ side, person, field }) => side === last.side && person === last.person && field === last.field,
    );
    const other = typed.findLastIndex(({ text }) => text !== last.text);
    return typed[other + 1]!.at;
  }

  /** The values of a record that a person typed, that were never agreed on, and that leadsheet was shown. */
  function editedTexts(
    side: Side,
    uuid: string,
    person: string | undefined,
    valueOf: (field: FieldName) => string,
  ): Removal['edited'] {
    return [...mapped()].flatMap((field) => {
      const text = valueOf(field);
      const typed = typedLast(side, person, field);
      const isTyped = text !== '' && typed !== undefined && normalOf(field, typed.text) === normalOf(field, text);
      const isAgreed = said.isAgreed(person, field, text);
      return isTyped && !isAgreed && !knowledge.isUnseen(currentPid(), `${side} ${uuid}`, { person, text, typed })
        ? [{ field, text }]
        : [];
    });
  }

  function unseenTexts(
    side: Side,
    uuid: string,
    person: string | undefined,
    valueOf: (field: FieldName) => string,
  ): Removal['unseen'] {
    const unseen = fields.filter((field) => {
      const [text, typed] = [valueOf(field), typedLast(side, person, field)];
      return typed?.text === text && knowledge.isUnseen(currentPid(), `${side} ${uuid}`, { person, text, typed });
    });
    return new Set(unseen.map((field) => `${field} ${normalOf(field, valueOf(field))}`));
  }

  function presentPeople(): ReadonlySet<string> {
    const inCrm = [...contacts()].filter(isInScope).map(({ uuid }) => ownerOf(uuid));
    const { rows } = viewSheet(sheet(), log.renamed);
    // A row that leadsheet created has no note; without its ID, the key identifies it.
    const inSheet = rows.map((row) => row.notedPerson ?? ownerOf(row.id) ?? readToken(row.value('email'))?.person);
    return new Set([
      ...inCrm.map((person) => `crm ${person}`),
      ...inSheet.map((person) => `sheet ${person}`),
      ...[...contacts()].map(({ uuid }) => `crm ${uuid}`),
      ...rows.map(({ id }) => `sheet ${id}`),
    ]);
  }

  function removalOf(
    side: Side,
    uuid: string,
    person: string | undefined,
    valueOf: (field: FieldName) => string,
  ): Removal {
    const other = side === 'crm' ? 'sheet' : 'crm';
    const { present: before, runBeganAt, lookedAt } = knowledge.of(currentPid());
    const after = presentPeople();
    const known = person === undefined ? undefined : log.people.get(person);
    // Who is entered again while the run goes on was gone when it read that side.
    const wasGone = known?.deletedIn.has(other) === true || (known?.enteredAgain.get(other) ?? -1) > runBeganAt;
    const isHidden = other === 'sheet' && isBackUnseen(person);
    const isThere = (whom: string) => before.has(`${other} ${whom}`) && after.has(`${other} ${whom}`) && !isHidden;
    return {
      seq: log.seq,
      pid: currentPid(),
      side,
      uuid,
      person,
      isWanted: person === undefined || wasGone,
      isOtherThere: person !== undefined && isThere(person),
      isIdThere: isThere(uuid),
      isUndo: isUndo(),
      goneSeq: log.seq,
      isUnderRestored: side === 'sheet' && log.restoredAt >= (lookedAt.get('sheet ') ?? Infinity),
      agreed: said.agreedTexts(person, valueOf),
      unseen: unseenTexts(side, uuid, person, valueOf),
      edited: editedTexts(side, uuid, person, valueOf),
    };
  }

  /** D5: the run read the tab once more, and the row of the person was put back after that, which no program can see. */
  function isBackUnseen(person: string | undefined): boolean {
    const [, ...again] = knowledge.of(currentPid()).tabReadAt;
    const enteredAt = person === undefined ? undefined : log.people.get(person)?.enteredAgain.get('sheet');
    return enteredAt !== undefined && enteredAt > (again.at(-1) ?? Infinity);
  }

  function noteRun(pid: number, run: string): void {
    const { rows } = viewSheet(sheet(), log.renamed);
    const here = new Map([...contacts()].flatMap((each) => (isInScope(each) ? [[each.uuid, each]] : [])));
    const knowing = knowledge.of(pid);
    knowing.runBeganAt = log.seq;
    knowing.runBeganTime = now();
    knowing.shownInRun.clear();
    knowing.tabReadAt.length = 0;
    knowing.expected.clear();
    // The search shows changes in order, each after its lag: only with none pending does it show every contact.
    const isSettled = now() - changedAt > (setting.switches.searchLagMs ?? 0);
    if (isSettled) for (const uuid of here.keys()) knowing.expected.add(uuid);
    knowing.copied.clear();
    knowing.inForce.clear();
    for (const each of inForce()) knowing.inForce.add(each);
    knowing.present.clear();
    for (const each of presentPeople()) knowing.present.add(each);
    for (const [id, same] of Map.groupBy(rows, (row) => row.id)) {
      const contact = here.get(id);
      if (same.length < 2) toldApart.delete(id);
      // Copies that held other texts when a run began are known by these (I4): one of them may become as the contact is.
      const wasToldApart = toldApart.has(id);
      if (
        new Set(same.map((row) => JSON.stringify(fields.map((field) => row.value(field))))).size === same.length &&
        same.length > 1
      )
        toldApart.add(id);
      if (same.length < 2 || wasToldApart || !contact || isEditedSinceAgreed(contact)) continue;
      if (same.some((row) => isAs(row, contact))) knowing.copied.add(id);
    }
    const begun = {
      run,
      seq: log.seq,
      pid,
      rows: rows.length,
      // A search that lags still shows somebody who left.
      contactsHere: isSettled ? here.size : Math.max(1, here.size),
      linked: linkedNow(),
      everLinked: everLinked.size,
      isApproved: log.approvals > 0,
    };
    runs.push(begun);
    unread.set(pid, begun);
  }

  /** A run that was killed may have deleted one of them, which the next run knows. */
  function linkedNow(): number {
    const gone = new Set(removals.map(({ uuid }) => uuid));
    return [...linked].filter((uuid) => !gone.has(uuid)).length;
  }

  /** A run that waited for another one loads the state after that, before it asks for anything. */
  function noteLoaded(pid: number): void {
    const run = unread.get(pid);
    if (!run) return;
    unread.delete(pid);
    Object.assign(run, { linked: linkedNow(), everLinked: everLinked.size });
  }

  /** Then a copy that was edited alike is as the contact by chance, and the row that is as the base keeps the link (I4). */
  function isEditedSinceAgreed(contact: ContactRecord): boolean {
    const person = ownerOf(contact.uuid);
    return fields.some((field) => {
      const agreed = settled.textOf(person, field);
      if (agreed === undefined) return typedLast('crm', person, field) !== undefined;
      return agreed !== normalOf(field, contactValue(contact, field));
    });
  }

  /** In all mapped columns, to_sheet columns included: all of them are in the base. */
  function isAs(row: RowView, contact: ContactRecord): boolean {
    // A copy of before the last call shows another instant.
    if (setting.showsChanges) return false;
    const isShown = row.text(statusHeader) === (contact.status ?? '');
    const isDated = !setting.hasDates || row.text(createdHeader) !== '';
    const isSaid = (field: FieldName) =>
      normalOf(field, row.value(field)) === normalOf(field, contactValue(contact, field));
    return isShown && isDated && fields.every(isSaid);
  }

  /**
   * Where one contact goes and another one comes within the second in which a scan began, its total stays the same and its pages
   * move by one: the scan may miss a contact, and cannot know (docs/known-limits.md).
   */
  function noteComingOrGoing(what: 'came' | 'went'): void {
    changedHereAt[what] = now();
    if (Math.abs(changedHereAt.came - changedHereAt.went) >= 1_000) return;
    for (const { expected } of knowledge.all()) expected.clear();
  }

  function ofContact(event: Extract<SideEvent, { side: 'crm' }>): void {
    const { uuid, before, after } = event;
    const [wasHere, isHere] = [before, after].map((contact) => contact !== undefined && isInScope(contact));
    // Who comes back has not been there all the while.
    if (!isHere) for (const { expected } of knowledge.all()) expected.delete(uuid);
    if (wasHere !== isHere) noteComingOrGoing(isHere ? 'came' : 'went');
    if (event.by === 'leadsheet') {
      if (!before && after) ownedByLeadsheet(after);
      else if (before && after) {
        for (const field of fields) {
          const pair = [contactValue(before, field), contactValue(after, field)] as const;
          if (pair[0] !== pair[1]) noteWrite('crm', uuid, ownerOf(uuid), field, pair, { contact: before });
        }
      } else if (before) {
        // A value that is typed after the service accepted the deletion goes with the contact: leadsheet cannot prevent
        // that.
        removals.push({ ...leaving.get(uuid)!, goneSeq: log.seq });
      }
      if (after) noteSent(before, after);
    } else if (after && !before) whose.own(uuid, log.entering ?? 'nobody');
    if (after?.status !== 'replied') vetoed.delete(uuid);
    else if (!vetoed.has(uuid)) vetoed.set(uuid, now());
    if (after) noteContact(after);
  }

  /**
   * If the service stores a form of a sent value, the sent value is agreed on (M4, M5). A person who then edits that form
   * in the service edits the agreed value, also before the form has reached the cell.
   */
  function noteSent(before: ContactRecord | undefined, after: ContactRecord): void {
    const person = ownerOf(after.uuid);
    const stored = normalOf('company_name', contactValue(after, 'company_name'));
    const isSent = directionsOf('company_name').some((direction) => direction !== 'to_sheet');
    if (person === undefined || !setting.isShouting || !isSent) return;
    if (before && normalOf('company_name', contactValue(before, 'company_name')) === stored) return;
    for (const row of viewSheet(sheet(), log.renamed).rows) {
      const text = row.value('company_name');
      const form = normalOf('company_name', text).toUpperCase();
      if (personOf(row) === person && form === stored) said.agree(person, 'company_name', text);
    }
  }

  /** The row of a created contact: no contact has its ID, and it holds the sent values. */
  function ownedByLeadsheet(record: ContactRecord): void {
    const texts = fields.filter((field) => field !== 'email' && field !== 'network_id');
    const rows = viewSheet(sheet(), log.renamed).rows;
    const named = [...texts, 'network_id' as const, 'email' as const].flatMap(
      (field) => readToken(contactValue(record, field))?.person ?? [],
    );
    // Cells of one column may have been moved for a moment: most of the values say whose they are, and of as many the first.
    const byPerson = [...Map.groupBy(named, (each) => each)].toSorted(
      ([, one], [, other]) => other.length - one.length,
    );
    const mostNamed = byPerson[0]?.[0];
    const keyOf = (field: FieldName) => normalOf(field, contactValue(record, field));
    const hasItsKey = (each: RowView) =>
      keyFields.some((field) => keyOf(field) !== '' && normalOf(field, each.value(field)) === keyOf(field));
    const row = rows.find((each) => each.id === '' && hasItsKey(each));
    // The note identifies a row that was typed over a copy: some of its cells are still the other person's.
    const sent = fields.filter((field) => directionsOf(field).some((direction) => direction !== 'to_sheet'));
    // A create goes without a placeholder address (I8).
    const isLater = (field: FieldName) => field === 'email' && contactValue(record, field) === '';
    // The service stores a profile and a company in a form of its own (M5).
    const formOf = (field: FieldName, text: string) => normalOf(field, text).toLowerCase();
    const isStoredAs = (field: FieldName, each: RowView, stored: ContactRecord) =>
      formOf(field, each.value(field)) === formOf(field, contactValue(stored, field));
    const isAsRow = row !== undefined && sent.every((field) => isLater(field) || isStoredAs(field, row, record));
    // Notes stay where they are while cells are moved.
    const isNoted = isAsRow && log.misplaced.size === 0;
    const person = (isNoted ? row.notedPerson : undefined) ?? mostNamed ?? row?.notedPerson;
    const twins = [...contacts()]
      .filter((other) => other.uuid !== record.uuid && person !== undefined && ownerOf(other.uuid) === person)
      .filter((other) => !hasLetGoOfKeys(other, record))
      .map((other) => other.uuid);
    if (person !== undefined) whose.own(record.uuid, person);
    // Its row may not have the ID yet.
    everLinked.add(record.uuid);
    additions.push({
      seq: log.seq,
      pid: currentPid(),
      side: 'crm',
      uuid: record.uuid,
      person,
      twins,
      isUndo: isUndo(),
    });
  }

  /** A person emptied the key by which the row of the new contact was found: that row is somebody new now (I2). */
  function hasLetGoOfKeys(other: ContactRecord, record: ContactRecord): boolean {
    const keysOf = (each: ContactRecord) =>
      keyFields.map((field) => normalOf(field, contactValue(each, field))).filter((key) => key !== '');
    const keys = keysOf(record);
    const isEmptied = log.typed.some(
      ({ person, field, text }) => person === ownerOf(other.uuid) && text === '' && keyFields.includes(field),
    );
    return isEmptied && keys.length > 0 && !keysOf(other).some((key) => keys.includes(key));
  }

  /** The column is only sent, and no run by any of the configurations writes it. */
  const isRead = (field: FieldName) =>
    directionsOf(field).length > 0 && directionsOf(field).every((direction) => direction === 'to_crm');

  function ofSheet({ by, before, after }: Extract<SideEvent, { side: 'sheet' }>): void {
    const [was, is] = [viewSheet(before, log.renamed), viewSheet(after, log.renamed)];
    const knownCells = new Set(was.rows.map(({ cells }) => cells));
    if (by === 'leadsheet')
      for (const change of sheetChanges({ setting, isRead }, [before, was], [after, is])) ofRows(change, was, is);
    else forgetCopies(was, is);
    // A cell that is unmerged is blank from then on, though nobody wrote it.
    const [merged, mergedNow] = [before, after].map((each) => each.findSheetByTitle(tabTitle)!.merges);
    const areSame = JSON.stringify(merged) === JSON.stringify(mergedNow);
    for (const row of is.rows) if (!areSame || !knownCells.has(row.cells)) noteRow(row);
    for (const { id } of is.rows) if (id !== '') everLinked.add(id);
  }

  /** A row that loses its ID during a run is no copy any more, and the run may read what is left. */
  function forgetCopies(was: SheetView, is: SheetView): void {
    const countOf = ({ rows }: SheetView, id: string) => rows.filter((row) => row.id === id).length;
    for (const { copied } of knowledge.all())
      for (const id of copied) if (countOf(is, id) < countOf(was, id)) copied.delete(id);
  }

  function ofRows(change: SheetChange, was: SheetView, is: SheetView): void {
    switch (change.kind) {
      case 'foreign':
        foreign.push(change.text);
        return;
      case 'appeared':
        return appeared(change.row, is);
      case 'vanished':
        return vanished(change.row);
      case 'changed':
        return changed(change, was);
    }
  }

  const runBeganAt = () => knowledge.of(currentPid()).runBeganAt;
  const cellsTakenBack = createTakenBack(writes, runBeganAt);
  const rowsTakenBack = createTakenBack(additions, runBeganAt);

  function changed({ was, row, fields: its, outside }: Extract<SheetChange, { kind: 'changed' }>, before: SheetView) {
    const person = personOf(was) ?? personOf(row);
    const contact = [...contacts()].find(({ uuid }) => uuid === row.id);
    for (const { field, before: cell, after } of its) {
      const about = { id: was.id, wasFormula: cell?.formula !== undefined, contact };
      const [place, text] = [`${currentPid()} ${row.number} ${field}`, cellText(cell)];
      // Of a row that came with an earlier version of the spreadsheet, what it held in the reading of the run is put back.
      const isOfRow = said.was('sheet', person, field, after);
      const isPutBack = (write: Write) => (isOfRow || write.before === after) && write.after === text;
      if (cellsTakenBack.undoes(place, isPutBack)) continue;
      noteWrite('sheet', row.id, person, field, [text, after], about);
      cellsTakenBack.note(place);
    }
    foreign.push(...outside.map((text) => `row ${row.number} of ${person}, ${text}`));
    if (was.id === row.id) return;
    namings.push({
      seq: log.seq,
      uuid: row.id,
      owner: ownerOf(row.id),
      isTaken:
        knowledge.of(currentPid()).present.has(`sheet ${row.id}`) &&
        before.rows.some(({ id, number }) => id === row.id && number !== row.number),
      person: was.notedPerson,
    });
  }

  function vanished(row: RowView): void {
    if (rowsTakenBack.undoes(`${currentPid()} ${row.number}`, ({ uuid }) => uuid === row.id)) return;
    removals.push(removalOf('sheet', row.id, personOf(row), row.value));
  }

  function appeared(row: RowView, { rows }: SheetView): void {
    const twins = rows
      // The status of a row whose other cells people took away meanwhile, and its ID, is nobody's second row.
      .filter(({ id, number }) => id !== '' && id === row.id && number !== row.number)
      .map(({ number }) => `row ${number}`);
    const person = personOf(row);
    additions.push({
      seq: log.seq,
      pid: currentPid(),
      side: 'sheet',
      uuid: row.id,
      person,
      twins,
      isUndo: isUndo(),
    });
    // An ID, or a status, in a row that was blank by then; or cells in one that is below the last row by then: a new row has an ID.
    if (row.id === '' || fields.every((field) => row.value(field) === ''))
      rowsTakenBack.note(`${currentPid()} ${row.number}`);
    for (const field of fields) {
      if (row.value(field) !== '') noteWrite('sheet', row.id, person, field, ['', row.value(field)]);
    }
  }

  return {
    ownerOf,
    personOf,
    held: said.held,
    writes,
    additions,
    removals,
    namings,
    enrolments,
    cancelledCovered,
    cellCancels,
    runs,
    foreign,
    onSide(event) {
      if (event.side === 'crm') changedAt = now();
      log.seq += 1;
      switch (event.side) {
        case 'crm':
          return ofContact(event);
        case 'sheet':
          return ofSheet(event);
        case 'deletion': {
          const { uuid, record } = event;
          leaving.set(
            uuid,
            removalOf('crm', uuid, ownerOf(uuid), (field) => contactValue(record, field)),
          );
          return;
        }
        case 'message':
          // Of another job.
          return;
        case 'cancel': {
          const { uuid, automation } = event;
          const covered = log.coveredWishes.get(uuid);
          const own = viewSheet(sheet(), log.renamed).rows.filter((row) => row.id === uuid);
          if (own.length > 0 && !isBackUnseen(ownerOf(uuid)))
            cellCancels.push({ seq: log.seq, pid: currentPid(), uuid, automation });
          const isStill = own.some((row) => row.isCovered(wishHeader));
          const isOfRun = covered !== undefined && covered.seq < knowledge.of(currentPid()).runBeganAt;
          if (isStill && isOfRun && covered.wish === automation)
            cancelledCovered.push({ person: ownerOf(uuid), automation });
          return;
        }
        case 'enrolment': {
          const since = vetoed.get(event.uuid) ?? Infinity;
          const lagMs = setting.switches.searchLagMs ?? 0;
          enrolments.push({
            seq: log.seq,
            uuid: event.uuid,
            automation: event.automation,
            name: event.name,
            person: ownerOf(event.uuid),
            at: now(),
            wasVetoed: setting.automation?.isVetoed === true && since + lagMs < knowledge.of(currentPid()).runBeganTime,
          });
        }
      }
    },
    onRun: noteRun,
    onSaved(of) {
      settled.note(knowledge.of(of).runBeganAt);
      const { rows } = viewSheet(sheet(), log.renamed);
      const ids = new Set(rows.map(({ id }) => id));
      // A row that is linked by its key, and whose ID could not be written: the state knows it all the same.
      const byKey = new Set(rows.flatMap((row) => (row.id === '' ? [personOf(row)] : [])));
      linked.clear();
      for (const contact of contacts()) {
        if (!isInScope(contact)) continue;
        const { uuid } = contact;
        if (ids.has(uuid)) linked.add(uuid);
        else if (ownerOf(uuid) !== undefined && byKey.has(ownerOf(uuid))) everLinked.add(uuid);
      }
    },
    unreadIn(of) {
      const { shownInRun, expected } = knowledge.of(of);
      const here = new Set([...contacts()].flatMap((each) => (isInScope(each) ? [each.uuid] : [])));
      return [...expected].filter((uuid) => here.has(uuid) && !shownInRun.has(uuid));
    },
    onAnswer(of, answer) {
      noteLoaded(of);
      knowledge.noteAnswer(of, answer);
    },
  };
}
