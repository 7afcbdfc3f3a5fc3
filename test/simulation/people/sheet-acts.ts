// What people do in the sheet.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import { type Act, copiedActs, type CopiedAct, type SheetAct, type ThemedSheetAct } from '../scenario/scenario.ts';
import {
  automationNames,
  type FieldName,
  headerOf,
  idHeader,
  nameFields,
  notesHeader,
  statusHeader,
  tabTitle,
  wishHeader,
} from '../world/setting.ts';
import { contactValue, type RowView, type SheetView } from '../world/view.ts';
import type { PeopleDep } from './dep.ts';
import { noteEntered, noteWish, personLog } from './log.ts';
import { errorFormula, pick, rowsMax, type Typing } from './typing.ts';

export interface SheetActs {
  /** Returns whether the header of the column had been renamed. */
  readonly putHeaderBack: (field: FieldName) => boolean;
  readonly act: (what: SheetAct | ThemedSheetAct, act: Act) => boolean;
}

/** Of a row with a copy that was typed over, the copy would be left alone with the ID. */
const losesID: ReadonlySet<SheetAct | ThemedSheetAct> = new Set(['delete row', 'clear ID', 'break ID']);

const namedActs: ReadonlySet<SheetAct | ThemedSheetAct> = new Set([
  'edit',
  'edit key',
  'take key',
  'formula',
  'swap keys',
  'swap profiles',
]);

export function createSheetActs(
  { sides: { person, file }, setting, log, ownerOf, personOf, view, here, away, lastWrite }: PeopleDep,
  { keys, texts, tell, tangle, oldTexts, newText, note, giveKey, forget, newPerson }: Typing,
): SheetActs {
  const deletedRows: RowView[] = [];

  function addRow(name: string, email: string, act: Act): void {
    const { rows, columnOf, headerRow } = view();
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
    pasteRow(Math.max(headerRow, ...rows.map(({ number }) => number)) + 1, cells, columnOf);
  }

  /** A row with the name and company of a contact, and nothing else. */
  function addNamed(name: string, known: ContactRecord): boolean {
    const { rows, columnOf, headerRow } = view();
    const named = nameFields.map((field) => ({ field, text: contactValue(known, field) }));
    if (named.some(({ field, text }) => text === '' || text.length > 50_000 || !texts.includes(field))) return false;
    const cells = new Map<string, string>([[notesHeader, `note on ${name}`]]);
    for (const { field, text } of named) {
      cells.set(headerOf[field], text);
      note('sheet', name, field, text);
    }
    // Without a match it is another person of that name.
    tangle(name, 'duplicate');
    noteEntered(log, name, 'sheet');
    tell(`sheet: enters ${name} by name alone ${JSON.stringify(Object.fromEntries(cells))}`);
    pasteRow(Math.max(headerRow, ...rows.map(({ number }) => number)) + 1, cells, columnOf);
    return true;
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
    if (index === undefined || row.isCovered(header)) return false;
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

  function putHeaderBack(field: FieldName): boolean {
    const header = headerOf[field];
    const { columnOf, headerRow } = view();
    const index = columnOf(header);
    const [renamed] = [...log.renamed].find(([, original]) => original === header) ?? [];
    if (index === undefined || renamed === undefined) return false;
    log.renamed.delete(renamed);
    tell(`sheet: renames the header ${renamed} to ${header}`);
    person.paste(`'${tabTitle}'!${letterOf(index)}${headerRow}`, [[header]]);
    return true;
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

  function inSheet(what: SheetAct | ThemedSheetAct, act: Act): boolean {
    const { rows, columnOf, headerRow } = view();
    // Who meets rows that are mixed up puts them right first.
    if (log.misplaced.size > 0 && what !== 'enter') return false;
    if (isCopiedAct(what)) return onCopied(what, act);
    if (
      what === 'enter' ||
      (rows.length === 0 && what !== 'enter known' && what !== 'enter away' && what !== 'put back')
    ) {
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
        if (setting.matchesNames && act.b % 2 === 0) return addNamed(whose, known);
        // A placeholder identifies no person: it is another person with the same name (I8).
        if (contactValue(known, 'email').includes('example.com')) tangle(whose, 'duplicate');
        addRow(whose, contactValue(known, 'email'), act);
        return true;
      }
      case 'enter away': {
        const known = pick(away(), act.a);
        const whose = known && ownerOf(known.uuid);
        const email = emailOf(known);
        if (whose === undefined || email === '' || rows.length >= rowsMax) return false;
        tangle(whose, 'second row');
        addRow(whose, email, act);
        return true;
      }
      case 'take key': {
        const from = act.c < 700 ? away() : here();
        const email = emailOf(pick(from, act.b));
        if (email === '' || email === row.value('email')) return false;
        giveKey(name!, email);
        tangle(name, 'key');
        return setField(row, 'email', email, columnOf);
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
        person.deleteRows(tabTitle, headerRow + 1, Math.max(...rows.map(({ number }) => number)) - headerRow);
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
        pasteRow(Math.max(headerRow, ...rows.map(({ number }) => number)) + 1, cells, columnOf);
        return true;
      }
      case 'sort': {
        const index = columnOf(headerOf[field]);
        if (index === undefined) return false;
        if (file.content.findSheetByTitle(tabTitle)!.merges.length > 0) {
          tell('sheet: cannot sort, since cells are merged');
          return false;
        }
        tell(`sheet: sorts by ${field}`);
        person.sort(tabTitle, letterOf(index), act.c < 500 ? 'ASCENDING' : 'DESCENDING', headerRow);
        return true;
      }
      case 'insert row':
        tell(`sheet: inserts a row above ${row.number}`);
        person.insertRows(tabTitle, row.number);
        return true;
      case 'drag row':
        if (row.number === headerRow + 1) return false;
        tell(`sheet: drags row ${row.number} to the top`);
        person.moveRows(tabTitle, row.number, 1, headerRow + 1);
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
        person.clear(`'${tabTitle}'!${letterOf(index)}${headerRow + 1}:${letterOf(index)}60`);
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
        if (!putHeaderBack(field)) {
          const name2 = `${header} (new)`;
          log.renamed.set(name2, header);
          tell(`sheet: renames the header ${header} to ${name2}`);
          person.paste(`'${tabTitle}'!${letterOf(index)}${headerRow}`, [[name2]]);
        }
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
        if (row.text(wishHeader) === wish || row.isCovered(wishHeader)) return false;
        if (name === undefined) log.wishChanges.push(log.seq);
        else noteWish(log, name, row.text(wishHeader), wish);
        tell(`sheet: row ${row.number} ${name} wishes "${wish}"`);
        return setCell(row, wishHeader, wish, columnOf);
      }
    }
  }

  return { act: inSheet, putHeaderBack };
}

function isCopiedAct(what: SheetAct | ThemedSheetAct): what is CopiedAct {
  return what in copiedActs;
}

export function letterOf(index: number): string {
  return String.fromCodePoint(65 + index);
}

function emailOf(contact: ContactRecord | undefined): string {
  return contact ? contactValue(contact, 'email') : '';
}
