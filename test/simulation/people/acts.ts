// People at both sides, and all their acts.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import {
  type Act,
  copiedActs,
  type CopiedAct,
  type CrmAct,
  type FeedAct,
  feedActs,
  type OutboxAct,
  outboxActs,
  type SheetAct,
  type ThemedCrmAct,
  type ThemedSheetAct,
} from '../scenario/scenario.ts';
import {
  automationNames,
  type FieldName,
  headerOf,
  idHeader,
  notesHeader,
  segment,
  type Setting,
  statusHeader,
  tabTitle,
  wishHeader,
} from '../world/setting.ts';
import { actOnFeed } from './feed-acts.ts';
import { actOnOutbox } from './outbox-acts.ts';
import type { Write } from '../oracle/evidence.ts';
import type { Sides } from '../world/sides.ts';
import { contactValue, recordField, type RowView, type SheetView, viewSheet } from '../world/view.ts';
import { type Log, noteEntered, personLog } from './log.ts';
import { normalOf, readToken, textOf } from './token.ts';

export interface People {
  /** Does the act and logs it; does nothing if no record fits. Returns whether anything was done. */
  readonly act: (act: Act) => boolean;
}

interface PeopleDep {
  readonly sides: Sides;
  readonly setting: Setting;
  readonly log: Log;
  /** The person of a contact, if it is known. */
  readonly ownerOf: (uuid: string) => string | undefined;
  readonly personOf: (row: RowView) => string | undefined;
  /** The last value that leadsheet wrote to a side. */
  readonly lastWrite: (side: 'crm' | 'sheet') => Write | undefined;
}

/** Of a row with a copy that was typed over, the copy would be left alone with the ID. */
const losesID: ReadonlySet<SheetAct | ThemedSheetAct> = new Set(['delete row', 'clear ID', 'break ID']);

const namedActs: ReadonlySet<SheetAct | ThemedSheetAct> = new Set([
  'edit',
  'edit key',
  'formula',
  'swap keys',
  'swap profiles',
]);

/** Shows #DIV/0!. */
const errorFormula = '=1/0';

/** Enough for collisions, few enough for a readable story. */
const rowsMax = 25;

export function createPeople({ sides, setting, log, ownerOf, personOf, lastWrite }: PeopleDep): People {
  const { person, service, file, lists, byPerson } = sides;
  const { contacts } = service.model;
  const texts = setting.fields.map(({ field }) => field).filter((field) => field !== 'email' && field !== 'network_id');
  /** What the service shows. */
  const shownTexts = texts.filter((field) => field !== segment);
  const keys = setting.fields.map(({ field }) => field).filter((field) => field === 'email' || field === 'network_id');
  let count = 0;
  const deletedRows: RowView[] = [];
  const movedOut: string[] = [];

  const view = () => viewSheet(file.content, log.renamed);
  const tell = (text: string) => void log.story.push(text);
  const tangle = (name: string | undefined, why: string) => {
    if (name !== undefined) personLog(log, name).tangles.add(why);
  };

  function pick<Item>(items: readonly Item[], part: number): Item | undefined {
    return items[Math.floor((part * items.length) / 1000)];
  }

  /** What people typed for this person. Nobody types the formula of an error, which is no value of its cell. */
  function oldTexts(name: string | undefined, field: FieldName) {
    const isOld = (text: string) => text !== '' && text !== errorFormula;
    return log.typed.filter((typed) => typed.person === name && typed.field === field && isOld(typed.text));
  }

  function newText(name: string, field: FieldName, oddity: number): string {
    count += 1;
    return textOf(name, field, count, oddity);
  }

  function note(
    side: 'crm' | 'sheet',
    name: string | undefined,
    field: FieldName,
    text: string,
    at = service.world.now(),
  ): void {
    if (name === undefined) return;
    for (const typed of log.typed)
      if (typed.side === side && typed.person === name && typed.field === field) typed.isRetyped = true;
    const token = readToken(text)?.token;
    log.typed.push({ seq: log.seq, at, side, person: name, field, text, token, isRetyped: false });
  }

  /** A person who is entered with another person's key takes that person's place, by the keys (I2, I10). */
  function giveKey(name: string, email: string): void {
    const before = readToken(email)?.person;
    if (before === undefined || before === name) return;
    for (const each of [before, name]) {
      tangle(each, 'key');
      tangle(each, 'ID');
    }
  }

  /** A contact without a row that holds the key of a deleted contact's row continues with that row (I10). */
  function leaveRow(name: string | undefined, gone: ContactRecord): void {
    const { rows } = view();
    const left = rows.find(({ id }) => id === gone.uuid);
    if (left === undefined) return;
    const isShown = (record: ContactRecord) =>
      keys.some(
        (key) => left.value(key) !== '' && normalOf(key, contactValue(record, key)) === normalOf(key, left.value(key)),
      );
    for (const heir of here()) {
      const whose = ownerOf(heir.uuid);
      if (whose === name || !isShown(heir) || rows.some(({ id }) => id === heir.uuid)) continue;
      tangle(name, 'ID');
      tangle(whose, 'ID');
    }
  }

  /**
   * A person removed the value with its record. If nothing else identifies the record any more, the text does: it names its
   * person.
   */
  function forget(side: 'crm' | 'sheet', name: string | undefined, field: FieldName, text: string): void {
    const whose = name ?? readToken(text)?.person;
    for (const typed of log.typed)
      if (typed.side === side && typed.person === whose && typed.field === field && typed.text === text)
        typed.isRetyped = true;
  }

  function here(): readonly ContactRecord[] {
    const list = lists.here();
    return [...contacts.all()].map(({ record }) => record).filter(({ list_uuid }) => list_uuid === list);
  }

  function setContact(record: ContactRecord, field: Exclude<FieldName, typeof segment>, text: string): void {
    note('crm', ownerOf(record.uuid), field, text);
    contacts.change(record.uuid, { fields: { [recordField(record, field)]: text === '' ? null : text } });
    tell(`crm: ${ownerOf(record.uuid)} ${field} = ${JSON.stringify(text)}`);
  }

  function addContact(name: string, email: string, act: Act): void {
    const filledIn = setting.fields.flatMap(({ field }, index) => {
      const isLeftOut = field === 'email' || field === segment || (act.b + index * 331) % 1000 < 300;
      return isLeftOut ? [] : [{ field, text: newText(name, field, (act.c + index * 171) % 1000) }];
    });
    // No two people are entered in the same second.
    const at = service.world.now() - 1_000 * (count % 97);
    for (const { field, text } of [...filledIn, { field: 'email' as const, text: email }])
      note('crm', name, field, text, at);
    giveKey(name, email);
    noteEntered(log, name, 'crm');
    const filled: Partial<ContactRecord> = Object.fromEntries(
      filledIn.map(({ field, text }) => [recordField(undefined, field), text]),
    );
    tell(`crm: enters ${name} ${JSON.stringify({ ...filled, email })}`);
    const list_uuid = lists.here() ?? lists.other;
    log.entering = name;
    contacts.add({ fields: { ...filled, work_email: email, list_uuid } }, at);
    log.entering = undefined;
  }

  function addRow(name: string, email: string, act: Act): void {
    const { rows, columnOf } = view();
    const cells = new Map<string, string>([[notesHeader, `note on ${name}`]]);
    for (const [index, { field }] of setting.fields.entries()) {
      if (field === 'email' || (act.b + index * 331) % 1000 < 300) continue;
      const text = newText(name, field, (act.c + index * 171) % 1000);
      cells.set(headerOf[field], text);
      note('sheet', name, field, text);
    }
    cells.set(headerOf.email, email);
    note('sheet', name, 'email', email);
    giveKey(name, email);
    noteEntered(log, name, 'sheet');
    tell(`sheet: enters ${name} ${JSON.stringify(Object.fromEntries(cells))}`);
    pasteRow(Math.max(1, ...rows.map(({ number }) => number)) + 1, cells, columnOf);
  }

  function pasteRow(number: number, cells: ReadonlyMap<string, string>, columnOf: SheetView['columnOf']): void {
    const values: (string | null)[] = [];
    for (const [header, text] of cells) {
      const index = columnOf(header);
      if (index === undefined) continue;
      while (values.length <= index) values.push(null);
      values[index] = text;
    }
    person.paste(`'${tabTitle}'!A${number}`, [values]);
  }

  function setCell(row: RowView, header: string, text: string, columnOf: SheetView['columnOf']): boolean {
    const index = columnOf(header);
    if (index === undefined) return false;
    const cell = `'${tabTitle}'!${letterOf(index)}${row.number}`;
    if (text === '') person.clear(cell);
    else person.paste(cell, [[text]]);
    return true;
  }

  function setField(row: RowView, field: FieldName, text: string, columnOf: SheetView['columnOf']): boolean {
    if (!setCell(row, headerOf[field], text, columnOf)) return false;
    note('sheet', personOf(row), field, text);
    tell(`sheet: row ${row.number} ${personOf(row)} ${field} = ${JSON.stringify(text)}`);
    return true;
  }

  function newPerson(): string {
    const name = `p${log.people.size}`;
    personLog(log, name);
    return name;
  }

  function inCrm(what: CrmAct | ThemedCrmAct, act: Act): boolean {
    const present = here();
    if (what === 'enter known') {
      const row = pick(
        view().rows.filter(({ id }) => id === ''),
        act.a,
      );
      const whose = row?.notedPerson;
      const email = row?.value('email');
      if (whose === undefined || !email || present.some(({ uuid }) => ownerOf(uuid) === whose)) return false;
      tangle(whose, 'duplicate');
      addContact(whose, email, act);
      return true;
    }
    const record = pick(present, act.a);
    if (what === 'enter' || (!record && what !== 'move back')) {
      if (present.length >= rowsMax) return false;
      const name = newPerson();
      addContact(name, newText(name, 'email', act.c), act);
      return true;
    }
    const name = record && ownerOf(record.uuid);
    const field = pick(shownTexts, act.b)!;
    if (name === undefined && what !== 'move back') return false;
    switch (what) {
      case 'edit':
        setContact(record!, field, newText(name!, field, act.c));
        return true;
      case 'clear':
        if (contactValue(record!, field) === '') return false;
        setContact(record!, field, '');
        return true;
      case 'old value': {
        const old = oldTexts(name, field);
        const chosen = pick(old, act.c);
        if (!chosen) return false;
        setContact(record!, field, chosen.text);
        return true;
      }
      case 'turn back': {
        const write = lastWrite('crm');
        const contact = write && contacts.find(write.uuid)?.record;
        if (!write || write.field === segment) return false;
        if (!contact || contactValue(contact, write.field) !== write.after) return false;
        setContact(contact, write.field, write.before);
        return true;
      }
      case 'long text': {
        const text = `${newText(name!, field, 0)} ${'x'.repeat(50_001)}`;
        note('crm', name, field, text);
        contacts.change(record!.uuid, { fields: { [recordField(record, field)]: text } });
        tell(`crm: ${name} ${field} = a text of more than 50,000 characters`);
        return true;
      }
      case 'edit key': {
        const key = pick(keys, act.b)!;
        tangle(name, 'key');
        setContact(record!, key, newText(name!, key, act.c));
        return true;
      }
      case 'swap keys':
      case 'swap profiles': {
        const key = what === 'swap keys' ? 'email' : 'network_id';
        if (!keys.includes(key)) return false;
        const other = pick(present, act.b);
        if (!other || other.uuid === record!.uuid) return false;
        const [mine, theirs] = [contactValue(record!, key), contactValue(other, key)];
        const both = [record!, other];
        const { rows } = view();
        const swapped = new Set([mine, theirs].filter((value) => value !== '').map((value) => normalOf(key, value)));
        // Further rows with one of the keys wait for it: they are the other person's now.
        const isAwaited = rows.some(
          (row) => swapped.has(normalOf(key, row.value(key))) && both.every(({ uuid }) => uuid !== row.id),
        );
        for (const each of both) {
          tangle(ownerOf(each.uuid), 'key');
          // Only the key identifies the rows so far.
          if (isAwaited || rows.every(({ id }) => id !== each.uuid)) tangle(ownerOf(each.uuid), 'ID');
        }
        setContact(record!, key, theirs);
        setContact(other, key, mine);
        return true;
      }
      case 'duplicate':
        tangle(name, 'duplicate');
        if (name === undefined) return false;
        addContact(name, contactValue(record!, 'email'), act);
        return true;
      case 'status':
        contacts.change(record!.uuid, { fields: { status: record!.status === 'replied' ? 'ok' : 'replied' } });
        tell(`crm: ${name} status changes`);
        return true;
      case 'delete':
      case 'recreate': {
        tell(`crm: deletes ${name}`);
        contacts.remove(record!.uuid);
        leaveRow(name, record!);
        for (const { field: each } of setting.fields) forget('crm', name, each, contactValue(record!, each));
        const isGone = here().every(({ uuid }) => ownerOf(uuid) !== name);
        if (name !== undefined && isGone) personLog(log, name).deletedIn.add('crm');
        if (name !== undefined && !isGone) tangle(name, 'duplicate');
        const email = contactValue(record!, 'email');
        if (what === 'recreate' && name !== undefined) {
          tangle(name, 'recreated');
          addContact(name, email, act);
        }
        return true;
      }
      case 'move out':
        tangle(name, 'moved');
        movedOut.push(record!.uuid);
        contacts.change(record!.uuid, { fields: { list_uuid: lists.other } });
        tell(`crm: moves ${name} to another list`);
        return true;
      case 'move back': {
        const uuid = movedOut.pop();
        const list_uuid = lists.here();
        if (uuid === undefined || list_uuid === undefined || !contacts.find(uuid)) return false;
        contacts.change(uuid, { fields: { list_uuid } });
        tell(`crm: moves ${ownerOf(uuid)} back`);
        return true;
      }
    }
  }

  /** Chooses from the rows that share their ID with another one. */
  function onCopied(what: CopiedAct, act: Act): boolean {
    const { rows } = view();
    const shared = rows.filter(({ id }) => id !== '' && rows.filter((each) => each.id === id).length > 1);
    const chosen = pick(shared, act.a);
    if (!chosen) return false;
    return inSheet(copiedActs[what], { ...act, a: Math.ceil((rows.indexOf(chosen) * 1000) / rows.length) });
  }

  /** Most cells and all keys become the new person's. */
  function pasteOver(row: RowView, act: Act): void {
    const whose = newPerson();
    const place = act.c < 700 ? row.number : row.number + 1;
    const from = place === row.number ? row.number + 1 : row.number;
    for (const each of [personOf(row), whose]) tangle(each, 'copied');
    tell(`sheet: inserts a row at ${place}, copies row ${from} ${personOf(row)} there, and types ${whose} over it`);
    person.insertRows(tabTitle, place);
    person.copyPaste(`'${tabTitle}'!${from}:${from}`, `'${tabTitle}'!${place}:${place}`);
    const { columnOf, rows } = view();
    const pasted = rows.find(({ number }) => number === place)!;
    log.typedOver.add(pasted.id);
    setCell(pasted, notesHeader, `note on ${whose}`, columnOf);
    const noted = view().rows.find(({ number }) => number === place)!;
    for (const [index, { field }] of setting.fields.entries()) {
      const isKey = field === 'email' || field === 'network_id';
      if (!isKey && (act.b + index * 331) % 1000 < 300) continue;
      setField(noted, field, newText(whose, field, (act.c + index * 171) % 1000), columnOf);
    }
  }

  function onFeed(what: FeedAct, { a }: Act): boolean {
    if (!setting.hasFeed) return false;
    count += 1;
    const told = byPerson(() => actOnFeed(sides, what, a, count));
    if (told !== undefined) tell(told);
    return told !== undefined;
  }

  function onOutbox(what: OutboxAct, act: Act): boolean {
    if (!setting.outbox) return false;
    const told = byPerson(() => actOnOutbox(sides, log.messages, what, act));
    if (told !== undefined) tell(told);
    return told !== undefined;
  }

  function inSheet(what: SheetAct | ThemedSheetAct, act: Act): boolean {
    const { rows, columnOf } = view();
    if (isCopiedAct(what)) return onCopied(what, act);
    if (what === 'enter' || (rows.length === 0 && what !== 'enter known' && what !== 'put back')) {
      if (rows.length >= rowsMax) return false;
      const name = newPerson();
      addRow(name, newText(name, 'email', act.c), act);
      return true;
    }
    const row = pick(rows, act.a)!;
    const name = row && personOf(row);
    const field = pick(texts, act.b)!;
    // The person must be certain: the typed text carries the name.
    if (name === undefined && namedActs.has(what)) return false;
    // Otherwise the copy is, as far as anything tells, the row with another person typed over it (I1).
    if (losesID.has(what) && log.typedOver.has(row.id)) return false;
    switch (what) {
      case 'enter known': {
        const known = pick(here(), act.a);
        const whose = known && ownerOf(known.uuid);
        if (!known || whose === undefined || rows.length >= rowsMax) return false;
        if (rows.some((each) => personOf(each) === whose)) tangle(whose, 'second row');
        // A placeholder identifies no person: it is another person with the same name (I8).
        if (contactValue(known, 'email').includes('example.com')) tangle(whose, 'duplicate');
        addRow(whose, contactValue(known, 'email'), act);
        return true;
      }
      case 'edit':
        return setField(row, field, newText(name!, field, act.c), columnOf);
      case 'clear':
        return row.value(field) !== '' && setField(row, field, '', columnOf);
      case 'old value': {
        const old = oldTexts(name, field);
        const chosen = pick(old, act.c);
        return chosen !== undefined && chosen.text.length < 50_000 && setField(row, field, chosen.text, columnOf);
      }
      case 'turn back': {
        const write = lastWrite('sheet');
        const there = write && rows.find(({ id }) => id !== '' && id === write.uuid);
        if (!write || !there || there.value(write.field) !== write.after) return false;
        return setField(there, write.field, write.before, columnOf);
      }
      case 'delete all rows': {
        tell('sheet: deletes all rows');
        for (const each of rows) {
          const whose = personOf(each);
          if (whose !== undefined) personLog(log, whose).deletedIn.add('sheet');
          for (const { field: of } of setting.fields) forget('sheet', whose, of, each.value(of));
        }
        deletedRows.push(...rows);
        person.deleteRows(tabTitle, 2, Math.max(...rows.map(({ number }) => number)) - 1);
        return true;
      }
      case 'edit key': {
        const key = pick(keys, act.b)!;
        tangle(name, 'key');
        return setField(row, key, newText(name!, key, act.c), columnOf);
      }
      case 'swap keys':
      case 'swap profiles': {
        const key = what === 'swap keys' ? 'email' : 'network_id';
        if (!keys.includes(key)) return false;
        const other = pick(rows, act.b);
        if (!other || other.number === row.number) return false;
        for (const each of [row, other]) {
          tangle(personOf(each), 'key');
          if (each.id === '') tangle(personOf(each), 'ID');
        }
        setField(row, key, other.value(key), columnOf);
        return setField(other, key, row.value(key), columnOf);
      }
      case 'formula': {
        const index = columnOf(headerOf[field]);
        if (index === undefined) return false;
        const text = newText(name!, field, 0);
        person.type(`'${tabTitle}'!${letterOf(index)}${row.number}`, `="${text}"`);
        note('sheet', name, field, text);
        tell(`sheet: row ${row.number} ${name} ${field} is the formula ="${text}"`);
        return true;
      }
      case 'error value': {
        const index = columnOf(headerOf[field]);
        if (index === undefined) return false;
        note('sheet', name, field, errorFormula);
        person.type(`'${tabTitle}'!${letterOf(index)}${row.number}`, errorFormula);
        tell(`sheet: row ${row.number} ${name} ${field} shows #DIV/0!`);
        return true;
      }
      case 'type over status':
        tell(`sheet: types over the status of row ${row.number} ${name}`);
        return setCell(row, statusHeader, 'mine', columnOf);
      case 'delete row': {
        tell(`sheet: deletes row ${row.number} ${name}`);
        deletedRows.push(row);
        for (const { field: each } of setting.fields) forget('sheet', name, each, row.value(each));
        person.deleteRows(tabTitle, row.number);
        const isGone = view().rows.every((each) => personOf(each) !== name);
        if (name !== undefined && isGone) personLog(log, name).deletedIn.add('sheet');
        if (name !== undefined && !isGone) tangle(name, 'second row');
        return true;
      }
      case 'put back': {
        const gone = deletedRows.pop();
        const whose = gone && personOf(gone);
        if (!gone || whose === undefined) return false;
        if (rows.some((each) => personOf(each) === whose)) tangle(whose, 'second row');
        tangle(whose, 'put back');
        const cells = new Map([[notesHeader, `note on ${whose}`]]);
        if (act.b < 500) cells.set(idHeader, gone.id);
        for (const { field: each } of setting.fields) {
          cells.set(headerOf[each], gone.value(each));
          note('sheet', whose, each, gone.value(each));
        }
        tell(`sheet: puts ${whose} back${act.b < 500 ? ' with the ID' : ''}`);
        // Without its ID, a row that had been emptied before it was deleted is nobody's.
        const isSomebody = act.b < 500 || setting.fields.some(({ field: each }) => gone.value(each) !== '');
        if (isSomebody) noteEntered(log, whose, 'sheet');
        pasteRow(Math.max(1, ...rows.map(({ number }) => number)) + 1, cells, columnOf);
        return true;
      }
      case 'sort': {
        const index = columnOf(headerOf[field]);
        if (index === undefined) return false;
        tell(`sheet: sorts by ${field}`);
        person.sort(tabTitle, letterOf(index), act.c < 500 ? 'ASCENDING' : 'DESCENDING');
        return true;
      }
      case 'insert row':
        tell(`sheet: inserts a row above ${row.number}`);
        person.insertRows(tabTitle, row.number);
        return true;
      case 'drag row':
        if (row.number === 2) return false;
        tell(`sheet: drags row ${row.number} to the top`);
        person.moveRows(tabTitle, row.number, 1, 2);
        return true;
      case 'swap rows': {
        const other = pick(rows, act.b);
        if (!other || other.number === row.number) return false;
        const spare = Math.max(...rows.map(({ number }) => number)) + 1;
        const place = (number: number) => `'${tabTitle}'!${number}:${number}`;
        tell(`sheet: swaps the rows ${row.number} ${name} and ${other.number} ${personOf(other)}`);
        person.copyPaste(place(row.number), place(spare));
        person.copyPaste(place(other.number), place(row.number));
        person.copyPaste(place(spare), place(other.number));
        person.clear(place(spare));
        return true;
      }
      case 'paste over':
        if (row.id === '' || rows.length >= rowsMax) return false;
        pasteOver(row, act);
        return true;
      case 'cut row': {
        const to = Math.max(...rows.map(({ number }) => number)) + 1;
        tell(`sheet: cuts row ${row.number} ${name} and pastes it at ${to}`);
        person.cutPaste(`'${tabTitle}'!${row.number}:${row.number}`, `'${tabTitle}'!A${to}`);
        return true;
      }
      case 'empty row':
        // Without an ID nothing says that it is anybody's.
        if (row.id === '') return false;
        tell(`sheet: empties row ${row.number} ${name} but for its ID`);
        for (const { field: each } of setting.fields) {
          if (row.value(each) === '') continue;
          forget('sheet', name, each, row.value(each));
          setField(row, each, '', columnOf);
        }
        return true;
      case 'copy row': {
        if (rows.length >= rowsMax) return false;
        const to = Math.max(...rows.map(({ number }) => number)) + 1;
        tangle(name, 'copied');
        tell(`sheet: copies row ${row.number} ${name} to ${to}`);
        person.copyPaste(`'${tabTitle}'!${row.number}:${row.number}`, `'${tabTitle}'!${to}:${to}`);
        return true;
      }
      case 'clear ID':
        if (row.id === '') return false;
        tangle(name, 'ID');
        tell(`sheet: clears the ID of row ${row.number} ${name}`);
        return setCell(row, idHeader, '', columnOf);
      case 'clear ID column': {
        const index = columnOf(idHeader);
        if (index === undefined) return false;
        for (const each of rows) tangle(personOf(each), 'ID');
        tell('sheet: clears the whole ID column');
        person.clear(`'${tabTitle}'!${letterOf(index)}2:${letterOf(index)}60`);
        return true;
      }
      case 'break ID': {
        tangle(name, 'ID');
        const wrong = act.c < 500 ? 'mine' : '11111111-1111-4111-8111-111111111111';
        tell(`sheet: types ${wrong} over the ID of row ${row.number} ${name}`);
        return setCell(row, idHeader, wrong, columnOf);
      }
      case 'rename header': {
        const header = headerOf[field];
        const index = columnOf(header);
        if (index === undefined) return false;
        const marks = file.content.findSheetByTitle(tabTitle)?.columns[index]?.metadataIds ?? [];
        const isAnchored = marks.some((id) => file.content.metadataById.get(id)?.key === 'c');
        if (!isAnchored || !log.areColumnsKnown) return false;
        const [now] = [...log.renamed].find(([, original]) => original === header) ?? [];
        const name2 = now === undefined ? `${header} (new)` : header;
        if (now === undefined) log.renamed.set(name2, header);
        else log.renamed.delete(now);
        tell(`sheet: renames the header ${now ?? header} to ${name2}`);
        person.paste(`'${tabTitle}'!${letterOf(index)}1`, [[name2]]);
        return true;
      }
      case 'move column': {
        const index = columnOf(headerOf[field]);
        if (index === undefined || index === 0) return false;
        tell(`sheet: drags the column of ${field} to the left end`);
        person.moveColumns(tabTitle, letterOf(index), 1, 'A');
        return true;
      }
      case 'wish':
      case 'wish cleared': {
        if (!setting.automation || columnOf(wishHeader) === undefined) return false;
        const wish = what === 'wish' ? pick(automationNames, act.b)! : '';
        if (row.text(wishHeader) === wish) return false;
        if (name !== undefined && wish !== '') {
          const { wishes } = personLog(log, name);
          wishes.set(wish, (wishes.get(wish) ?? 0) + 1);
        }
        log.wishChanges.push(log.seq);
        tell(`sheet: row ${row.number} ${name} wishes "${wish}"`);
        return setCell(row, wishHeader, wish, columnOf);
      }
    }
  }

  return {
    act(act) {
      // The service now does what is due: no person edits a contact whose deletion ended minutes ago.
      service.model.settle();
      if (isFeedAct(act.what)) return onFeed(act.what, act);
      if (isOutboxAct(act.what)) return onOutbox(act.what, act);
      return byPerson(() =>
        act.side === 'crm'
          ? inCrm(act.what as CrmAct | ThemedCrmAct, act)
          : inSheet(act.what as SheetAct | ThemedSheetAct, act),
      );
    },
  };
}

function isFeedAct(what: Act['what']): what is FeedAct {
  return (feedActs as readonly string[]).includes(what);
}

function isOutboxAct(what: Act['what']): what is OutboxAct {
  return (outboxActs as readonly string[]).includes(what);
}

function isCopiedAct(what: SheetAct | ThemedSheetAct): what is CopiedAct {
  return what in copiedActs;
}

function letterOf(index: number): string {
  return String.fromCodePoint(65 + index);
}
