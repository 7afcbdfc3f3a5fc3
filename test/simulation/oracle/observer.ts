// Sees every change of either side, and every answer that leadsheet was given, and writes down what laws are judged from.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import type { Spreadsheet } from '../../../src/standin/sheets/spreadsheet.ts';
import type { Log } from '../people/log.ts';
import { normalOf, readToken, tokensIn } from '../people/token.ts';
import {
  createdHeader,
  type FieldName,
  headerOf,
  idHeader,
  otherTab,
  policyOf,
  type Setting,
  statusHeader,
  tabTitle,
} from '../world/setting.ts';
import type { SideEvent } from '../world/sides.ts';
import { cellText, contactValue, type RowView, type SheetView, viewSheet } from '../world/view.ts';
import type { Addition, Enrolment, Naming, Removal, RunView, Side, Write } from './evidence.ts';

export interface Observer {
  readonly onSide: (event: SideEvent) => void;
  readonly onRun: (pid: number) => void;
  /** A run has ended, and what it learnt is saved. */
  readonly onSaved: (pid: number) => void;
  readonly onAnswer: (pid: number, what: string, body: string, text: string) => void;
  readonly ownerOf: (uuid: string) => string | undefined;
  readonly personOf: (row: RowView) => string | undefined;
  readonly held: (side: Side, person: string, field: FieldName) => ReadonlySet<string>;
  readonly writes: readonly Write[];
  readonly additions: readonly Addition[];
  readonly removals: readonly Removal[];
  readonly namings: readonly Naming[];
  readonly enrolments: readonly Enrolment[];
  readonly runs: readonly RunView[];
  readonly foreign: readonly string[];
}

interface ObserverDep {
  readonly setting: Setting;
  /** Fields that are mapped at the moment. */
  readonly mapped: () => ReadonlySet<FieldName>;
  readonly log: Log;
  readonly contacts: () => Iterable<ContactRecord>;
  readonly sheet: () => Spreadsheet;
  readonly listHere: () => string | undefined;
  /** Epoch milliseconds, true time. */
  readonly now: () => number;
  /** Whose request is being carried out. */
  readonly currentPid: () => number;
}

/** What one process has been shown, and when it last looked at a record on its own. */
interface Knowledge {
  readonly tokens: Set<string>;
  runBeganAt: number;
  /** The same, in epoch milliseconds. */
  runBeganTime: number;
  /** By uuid: one of the rows that had this ID when the run began said what the contact said. */
  readonly copied: Set<string>;
  /** Who was on which side when the run began: `side person`. */
  readonly present: Set<string>;
  /** By `side uuid`, and `sheet ` for rows without an ID: when it looked again, right before a write. */
  readonly lookedAt: Map<string, number>;
}

/** What stands somewhere, and what was last typed there. */
interface Sight {
  readonly person: string | undefined;
  readonly text: string;
  readonly typed: Log['typed'][number] | undefined;
}

/** What else is known of a value that leadsheet put somewhere. */
interface WriteDetails {
  /** The ID by which the record was looked at: a row may get another one, or its first, by the same write. */
  readonly id?: string;
  readonly wasFormula?: boolean;
  readonly contact?: ContactRecord | undefined;
}

const resultHeader = 'Enrolment';

export function createObserver(dep: ObserverDep): Observer {
  const { setting, mapped, log, contacts, sheet, listHere, now, currentPid } = dep;
  const owners = new Map<string, string>();
  const holdings = new Map<string, Set<string>>();
  /** By what a row showed in its fields: whose it was when it still said so. */
  const showed = new Map<string, Set<string>>();
  const agreements = new Set<string>();
  const knowledge = new Map<number, Knowledge>();
  const writes: Write[] = [];
  const additions: Addition[] = [];
  const removals: Removal[] = [];
  const namings: Naming[] = [];
  const enrolments: Enrolment[] = [];
  const foreign: string[] = [];
  const runs: RunView[] = [];
  /** `side token`: when an answer first showed it. */
  const shown = new Map<string, number>();
  /** By uuid: since when its status has been one that is vetoed. */
  const vetoed = new Map<string, number>();
  /** IDs of contacts that had a row when the last run ended well; and all that any row ever had. */
  const linked = new Set<string>();
  const everLinked = new Set<string>();
  /** `person field`: what both sides said when a run last ended well, and nobody had typed since it began. */
  const settled = new Map<string, string>();
  const fields = setting.fields.map(({ field }) => field);

  const textOf = (row: RowView) => JSON.stringify(fields.map((field) => row.value(field)));
  const ownerOf = (uuid: string) => owners.get(uuid);
  /** Where neither a note nor an ID tells: whose row showed the same before, else whoever holds the key in the service. */
  function personOf(row: RowView): string | undefined {
    const plain = row.notedPerson ?? ownerOf(row.id);
    if (plain !== undefined) return plain;
    const [before, ...others] = showed.get(textOf(row)) ?? [];
    if (before !== undefined && others.length === 0) return before;
    const email = normalOf('email', row.value('email'));
    const holders = [...contacts()].filter((each) => normalOf('email', contactValue(each, 'email')) === email);
    return email !== '' && holders.length === 1 ? ownerOf(holders[0]!.uuid) : undefined;
  }

  function known(of: number): Knowledge {
    const found = knowledge.get(of);
    if (found) return found;
    const fresh: Knowledge = {
      tokens: new Set(),
      lookedAt: new Map(),
      runBeganAt: 0,
      runBeganTime: 0,
      copied: new Set(),
      present: new Set(),
    };
    knowledge.set(of, fresh);
    return fresh;
  }

  function holding(side: Side, person: string, field: FieldName): Set<string> {
    const key = `${side} ${person} ${field}`;
    const found = holdings.get(key);
    if (found) return found;
    const fresh = new Set<string>();
    holdings.set(key, fresh);
    return fresh;
  }

  function noteContact(record: ContactRecord): void {
    const person = ownerOf(record.uuid);
    if (person === undefined) return;
    for (const field of fields) holding('crm', person, field).add(contactValue(record, field));
    const rows = viewSheet(sheet(), log.renamed).rows.filter((row) => personOf(row) === person);
    for (const row of rows) noteAgreement(person, record, row);
  }

  function noteRow(row: RowView): void {
    const person = personOf(row);
    if (person === undefined) return;
    showed.set(textOf(row), new Set([...(showed.get(textOf(row)) ?? []), person]));
    for (const field of fields) holding('sheet', person, field).add(row.value(field));
    for (const record of contacts()) if (ownerOf(record.uuid) === person) noteAgreement(person, record, row);
  }

  function noteAgreement(person: string, record: ContactRecord, row: RowView): void {
    for (const field of fields) {
      const [a, b] = [contactValue(record, field), row.value(field)];
      if (normalOf(field, a) === normalOf(field, b)) agreements.add(`${person} ${field} ${normalOf(field, a)}`);
    }
  }

  function agreedTexts(person: string | undefined, valueOf: (field: FieldName) => string): ReadonlySet<string> {
    const texts = fields.map((field) => `${field} ${normalOf(field, valueOf(field))}`);
    return new Set(texts.filter((text) => agreements.has(`${person} ${text}`)));
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
    const typed = lastTyped(side, person, field);
    // It had read it on the other side: should the same be typed there again, it is what both agree on.
    if (person !== undefined && holding(other, person, field).has(after))
      agreements.add(`${person} ${field} ${normalOf(field, after)}`);
    const { runBeganAt, copied } = known(currentPid());
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
      wasAgreed: agreements.has(`${person} ${field} ${normalOf(field, before)}`),
      isUnseen: isUnseen(`${side} ${id}`, { person, text: before, typed }),
      isOfOtherSide: person !== undefined && holding(other, person, field).has(after),
      isOfThisSide: person !== undefined && holding(side, person, field).has(after),
      wasFormula,
      at: now(),
      typedAt: typed && shownSince(typed),
      shownAt: token === undefined ? undefined : shown.get(`${side} ${token}`),
      contactChangedAt: contact && Date.parse(contact.updated_at),
      isOfCopy: side === 'crm' && copied.has(uuid) && !isTypedSince,
      isCleared: before === '' && typed?.text === '',
      isOtherUnchanged: settled.get(`${person} ${field}`) === normalOf(field, after),
    });
  }

  function lastTyped(side: Side, person: string | undefined, field: FieldName): Log['typed'][number] | undefined {
    return log.typed.findLast((each) => each.side === side && each.person === person && each.field === field);
  }

  /** Who types what stands there already changes nothing that anybody could see. */
  function shownSince(last: Log['typed'][number]): number {
    const typed = log.typed.filter(
      ({ side, person, field }) => side === last.side && person === last.person && field === last.field,
    );
    const other = typed.findLastIndex(({ text }) => text !== last.text);
    return typed[other + 1]!.at;
  }

  /** It was looked at again in this run, and no answer that showed `text` had reached this process. */
  function isUnseen(place: string, { person, text, typed }: Sight): boolean {
    const { tokens, lookedAt, runBeganAt } = known(currentPid());
    const lookAt = lookedAt.get(place) ?? 0;
    const read = readToken(text);
    // Somebody else's key was shown as theirs, which says nothing of whether it was shown here.
    const isHidden =
      read === undefined
        ? typed !== undefined && typed.text === text && typed.seq >= lookAt
        : read.person !== person || !tokens.has(read.token);
    return isHidden && lookAt > runBeganAt;
  }

  /** What of a record a person typed there, both sides never agreed upon, and leadsheet was shown. */
  function editedTexts(
    side: Side,
    uuid: string,
    person: string | undefined,
    valueOf: (field: FieldName) => string,
  ): Removal['edited'] {
    return [...mapped()].flatMap((field) => {
      const text = valueOf(field);
      const typed = lastTyped(side, person, field);
      const isTyped = text !== '' && typed !== undefined && normalOf(field, typed.text) === normalOf(field, text);
      const isAgreed = agreements.has(`${person} ${field} ${normalOf(field, text)}`);
      return isTyped && !isAgreed && !isUnseen(`${side} ${uuid}`, { person, text, typed }) ? [{ field, text }] : [];
    });
  }

  function presentPeople(): ReadonlySet<string> {
    const inCrm = [...contacts()].filter((each) => each.list_uuid === listHere()).map(({ uuid }) => ownerOf(uuid));
    const { rows } = viewSheet(sheet(), log.renamed);
    // A row that leadsheet made has no note; without its ID the key says whose it is.
    const inSheet = rows.map((row) => row.notedPerson ?? ownerOf(row.id) ?? readToken(row.value('email'))?.person);
    return new Set([
      ...inCrm.map((person) => `crm ${person}`),
      ...inSheet.map((person) => `sheet ${person}`),
      ...[...contacts()].map(({ uuid }) => `crm ${uuid}`),
      ...rows.map(({ id }) => `sheet ${id}`),
    ]);
  }

  function noteRemoval(side: Side, uuid: string, person: string | undefined, valueOf: (field: FieldName) => string) {
    const other = side === 'crm' ? 'sheet' : 'crm';
    const [before, after] = [known(currentPid()).present, presentPeople()];
    const isThere = (whom: string) => before.has(`${other} ${whom}`) && after.has(`${other} ${whom}`);
    removals.push({
      seq: log.seq,
      pid: currentPid(),
      side,
      uuid,
      person,
      isWanted: person === undefined || log.people.get(person)?.deletedIn.has(other) === true,
      isOtherThere: person !== undefined && isThere(person),
      isIdThere: isThere(uuid),
      agreed: agreedTexts(person, valueOf),
      edited: editedTexts(side, uuid, person, valueOf),
    });
  }

  function noteSettled(since: number): void {
    const fieldsNow = mapped();
    const byId = new Map(viewSheet(sheet(), log.renamed).rows.map((row) => [row.id, row]));
    // What leaves the mapping loses its base (M9).
    for (const key of settled.keys()) if (!fieldsNow.has(key.split(' ')[1] as FieldName)) settled.delete(key);
    for (const contact of contacts()) {
      const [row, person] = [byId.get(contact.uuid), ownerOf(contact.uuid)];
      if (!row || person === undefined || contact.list_uuid !== listHere()) continue;
      for (const field of fieldsNow) {
        const [a, b] = [normalOf(field, contactValue(contact, field)), normalOf(field, row.value(field))];
        const isTypedSince = log.typed.some(
          (each) => each.person === person && each.field === field && each.seq >= since,
        );
        // What was typed while the run went on may be in its base, or not.
        if (isTypedSince) settled.delete(`${person} ${field}`);
        else if (a === b) settled.set(`${person} ${field}`, a);
      }
    }
  }

  function noteRun(pid: number): void {
    const { rows } = viewSheet(sheet(), log.renamed);
    const here = new Map([...contacts()].flatMap((each) => (each.list_uuid === listHere() ? [[each.uuid, each]] : [])));
    const knowing = known(pid);
    knowing.runBeganAt = log.seq;
    knowing.runBeganTime = now();
    knowing.copied.clear();
    knowing.present.clear();
    for (const each of presentPeople()) knowing.present.add(each);
    for (const [id, same] of Map.groupBy(rows, (row) => row.id)) {
      const contact = here.get(id);
      const says = (row: RowView) =>
        contact &&
        fields.every((field) => normalOf(field, row.value(field)) === normalOf(field, contactValue(contact, field)));
      if (same.length > 1 && same.some(says)) knowing.copied.add(id);
    }
    runs.push({
      seq: log.seq,
      pid,
      rows: rows.length,
      contactsHere: here.size,
      linked: linked.size,
      everLinked: everLinked.size,
      isApproved: log.approvals > 0,
    });
  }

  function ofContact(event: Extract<SideEvent, { side: 'crm' }>): void {
    const { uuid, before, after } = event;
    if (event.by === 'leadsheet') {
      if (!before && after) ownedByLeadsheet(after);
      else if (before && after) {
        for (const field of fields) {
          const pair = [contactValue(before, field), contactValue(after, field)] as const;
          if (pair[0] !== pair[1]) noteWrite('crm', uuid, ownerOf(uuid), field, pair, { contact: before });
        }
      } else if (before) {
        noteRemoval('crm', uuid, ownerOf(uuid), (field) => contactValue(before, field));
      }
    } else if (after && !before) owners.set(uuid, log.entering ?? 'nobody');
    if (after?.status !== 'replied') vetoed.delete(uuid);
    else if (!vetoed.has(uuid)) vetoed.set(uuid, now());
    if (after) noteContact(after);
  }

  /** The row it was made from: nobody has its ID, and it holds what was sent. */
  function ownedByLeadsheet(record: ContactRecord): void {
    const texts = fields.filter((field) => field !== 'email' && field !== 'network_id');
    const rows = viewSheet(sheet(), log.renamed).rows;
    const tokenOfFields = [...texts, 'network_id' as const, 'email' as const]
      .map((field) => readToken(contactValue(record, field)))
      .find((each) => each !== undefined);
    const email = normalOf('email', contactValue(record, 'email'));
    const row = rows.find((each) => each.id === '' && email !== '' && normalOf('email', each.value('email')) === email);
    const person = tokenOfFields?.person ?? row?.notedPerson;
    const twins = [...contacts()]
      .filter((other) => other.uuid !== record.uuid && person !== undefined && ownerOf(other.uuid) === person)
      .map((other) => other.uuid);
    if (person !== undefined) owners.set(record.uuid, person);
    // Its row may not have got the ID yet.
    everLinked.add(record.uuid);
    additions.push({ seq: log.seq, pid: currentPid(), side: 'crm', uuid: record.uuid, person, twins });
  }

  function ofSheet({ by, before, after }: Extract<SideEvent, { side: 'sheet' }>): void {
    const [was, is] = [viewSheet(before, log.renamed), viewSheet(after, log.renamed)];
    const knownCells = new Set(was.rows.map(({ cells }) => cells));
    if (by === 'leadsheet') compare(before, after, was, is);
    for (const row of is.rows) if (!knownCells.has(row.cells)) noteRow(row);
    for (const { id } of is.rows) if (id !== '') everLinked.add(id);
  }

  function compare(before: Spreadsheet, after: Spreadsheet, was: SheetView, is: SheetView): void {
    const [others, othersNow] = [before, after].map((content) => content.findSheetByTitle(otherTab)?.rows);
    if (others?.some((row, index) => row?.cells !== othersNow?.[index]?.cells))
      foreign.push(`the tab "${otherTab}" was changed`);
    const [rows, rowsNow] = [before, after].map((content) => content.findSheetByTitle(tabTitle)!.rows);
    compareHeader(rows![0]?.cells ?? [], rowsNow![0]?.cells ?? []);
    if (rows!.length === rowsNow!.length) {
      const byNumber = new Map(was.rows.map((row) => [row.number, row]));
      for (const row of is.rows) {
        const old = byNumber.get(row.number);
        if (old?.cells === row.cells) continue;
        if (old) compareRow(old, row, was, is);
        else appeared(row, is);
      }
      const still = new Set(is.rows.map(({ number }) => number));
      for (const row of was.rows) if (!still.has(row.number)) vanished(row);
      return;
    }
    // Formulas are rewritten where rows move, so rows are told by what they show.
    const left = Map.groupBy(was.rows, contentOf);
    for (const row of is.rows) if (left.get(contentOf(row))?.shift() === undefined) appeared(row, is);
    for (const rest of left.values()) for (const row of rest) vanished(row);
  }

  function compareHeader(was: RowView['cells'], is: RowView['cells']): void {
    for (const [index, cell] of was.entries()) {
      if (cellText(cell) !== '' && cellText(cell) !== cellText(is[index]))
        foreign.push(`the header "${cellText(cell)}" became "${cellText(is[index])}"`);
    }
  }

  function compareRow(was: RowView, row: RowView, before: SheetView, { columnOf }: SheetView): void {
    const person = personOf(was) ?? personOf(row);
    const owned = new Set<number>();
    for (const header of [idHeader, 'Sync', resultHeader, statusHeader, createdHeader])
      owned.add(columnOf(header) ?? -1);
    for (const field of fields) {
      const index = columnOf(headerOf[field]);
      if (index === undefined) continue;
      if (policyOf(setting, field).direction !== 'to_crm') owned.add(index);
      const place = before.columnOf(headerOf[field]);
      const old = place === undefined ? undefined : was.cells[place];
      const pair = [cellText(old), cellText(row.cells[index])] as const;
      if (pair[0] !== pair[1] || old?.formula !== row.cells[index]?.formula)
        noteWrite('sheet', row.id, person, field, pair, {
          id: was.id,
          wasFormula: old?.formula !== undefined,
          contact: [...contacts()].find(({ uuid }) => uuid === row.id),
        });
    }
    for (let index = 0; index < Math.max(was.cells.length, row.cells.length); index += 1) {
      if (owned.has(index) || cellText(was.cells[index]) === cellText(row.cells[index])) continue;
      foreign.push(
        `row ${row.number} of ${person}, column ${index + 1}: "${cellText(was.cells[index])}" became "${cellText(row.cells[index])}"`,
      );
    }
    if (was.id !== row.id)
      namings.push({
        seq: log.seq,
        uuid: row.id,
        owner: ownerOf(row.id),
        isTaken:
          known(currentPid()).present.has(`sheet ${row.id}`) &&
          before.rows.some(({ id, number }) => id === row.id && number !== row.number),
        person: was.notedPerson,
      });
  }

  function appeared(row: RowView, { rows }: SheetView): void {
    const twins = rows
      .filter(({ id, number }) => id === row.id && number !== row.number)
      .map(({ number }) => `row ${number}`);
    additions.push({ seq: log.seq, pid: currentPid(), side: 'sheet', uuid: row.id, person: personOf(row), twins });
    const person = personOf(row);
    for (const field of fields) {
      if (row.value(field) !== '') noteWrite('sheet', row.id, person, field, ['', row.value(field)]);
    }
  }

  function vanished(row: RowView): void {
    noteRemoval('sheet', row.id, personOf(row), row.value);
  }

  return {
    ownerOf,
    personOf,
    held: holding,
    writes,
    additions,
    removals,
    namings,
    enrolments,
    runs,
    foreign,
    onSide(event) {
      log.seq += 1;
      switch (event.side) {
        case 'crm':
          return ofContact(event);
        case 'sheet':
          return ofSheet(event);
        case 'enrolment': {
          const since = vetoed.get(event.uuid) ?? Infinity;
          const lagMs = setting.switches.searchLagMs ?? 0;
          enrolments.push({
            seq: log.seq,
            uuid: event.uuid,
            automation: event.automation,
            person: ownerOf(event.uuid),
            at: now(),
            wasVetoed: setting.automation?.isVetoed === true && since + lagMs < known(currentPid()).runBeganTime,
          });
        }
      }
    },
    onRun: noteRun,
    onSaved(of) {
      noteSettled(known(of).runBeganAt);
      const ids = new Set(viewSheet(sheet(), log.renamed).rows.map(({ id }) => id));
      linked.clear();
      for (const { uuid, list_uuid } of contacts()) if (list_uuid === listHere() && ids.has(uuid)) linked.add(uuid);
    },
    onAnswer(of, what, body, text) {
      log.seq += 1;
      const { tokens, lookedAt } = known(of);
      for (const token of tokensIn(text)) {
        tokens.add(token);
        const place = `${what.startsWith('crm') ? 'crm' : 'sheet'} ${token}`;
        if (!shown.has(place)) shown.set(place, now());
      }
      const isLook =
        what.startsWith('crm GET /leads/api/leads/') ||
        (what.endsWith('/leads/search') && body.includes('"uuid"')) ||
        what.startsWith('sheets POST /v4:getByDataFilter');
      if (!isLook) return;
      const side = what.startsWith('crm') ? 'crm' : 'sheet';
      for (const uuid of text.match(uuids) ?? []) lookedAt.set(`${side} ${uuid}`, log.seq);
      if (side === 'sheet') lookedAt.set('sheet ', log.seq);
    },
  };
}

function contentOf({ cells }: RowView): string {
  return JSON.stringify(cells.map((cell) => cellText(cell)));
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
