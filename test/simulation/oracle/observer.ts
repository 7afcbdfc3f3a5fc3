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
import type { Addition, Enrolment, Naming, Removal, Side, Write } from './evidence.ts';

export interface Observer {
  readonly onSide: (event: SideEvent) => void;
  readonly onRun: (pid: number) => void;
  readonly onAnswer: (pid: number, what: string, body: string, text: string) => void;
  readonly ownerOf: (uuid: string) => string | undefined;
  readonly personOf: (row: RowView) => string | undefined;
  readonly held: (side: Side, person: string, field: FieldName) => ReadonlySet<string>;
  readonly writes: readonly Write[];
  readonly additions: readonly Addition[];
  readonly removals: readonly Removal[];
  readonly namings: readonly Naming[];
  readonly enrolments: readonly Enrolment[];
  readonly foreign: readonly string[];
}

interface ObserverDep {
  readonly setting: Setting;
  readonly log: Log;
  readonly contacts: () => Iterable<ContactRecord>;
  readonly sheet: () => Spreadsheet;
  /** Whose request is being carried out. */
  readonly currentPid: () => number;
}

/** What one process has been shown, and when it last looked at a record on its own. */
interface Knowledge {
  readonly tokens: Set<string>;
  runBeganAt: number;
  /** By `side uuid`: when it looked again, right before a write. */
  readonly lookedAt: Map<string, number>;
}

const resultHeader = 'Enrolment';

export function createObserver({ setting, log, contacts, sheet, currentPid }: ObserverDep): Observer {
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
    const fresh: Knowledge = { tokens: new Set(), lookedAt: new Map(), runBeganAt: 0 };
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
    wasFormula: boolean,
  ): void {
    const other = side === 'crm' ? 'sheet' : 'crm';
    const read = readToken(before);
    // Somebody else's key was shown as theirs, which says nothing of whether it was shown here.
    const isHidden = read !== undefined && (read.person !== person || !known(currentPid()).tokens.has(read.token));
    const typed = log.typed.findLast((each) => each.side === side && each.person === person && each.field === field);
    // It had read it on the other side: should the same be typed there again, it is what both agree on.
    if (person !== undefined && holding(other, person, field).has(after))
      agreements.add(`${person} ${field} ${normalOf(field, after)}`);
    const { lookedAt, runBeganAt } = known(currentPid());
    const isTyped = before !== '' && typed !== undefined && normalOf(field, typed.text) === normalOf(field, before);
    const looked = lookedAt.get(`${side} ${uuid}`);
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
      isUnseen: isHidden && looked !== undefined && looked > runBeganAt,
      isOfOtherSide: person !== undefined && holding(other, person, field).has(after),
      isOfThisSide: person !== undefined && holding(side, person, field).has(after),
      wasFormula,
    });
  }

  function ofContact(event: Extract<SideEvent, { side: 'crm' }>): void {
    const { uuid, before, after } = event;
    if (event.by === 'leadsheet') {
      if (!before && after) ownedByLeadsheet(after);
      else if (before && after) {
        for (const field of fields) {
          const pair = [contactValue(before, field), contactValue(after, field)] as const;
          if (pair[0] !== pair[1]) noteWrite('crm', uuid, ownerOf(uuid), field, pair, false);
        }
      } else if (before) {
        const person = ownerOf(uuid);
        const isWanted = person === undefined || log.people.get(person)?.deletedIn.has('sheet') === true;
        const agreed = agreedTexts(person, (field) => contactValue(before, field));
        removals.push({ seq: log.seq, side: 'crm', uuid, person, isWanted, agreed });
      }
    } else if (after && !before) owners.set(uuid, log.entering ?? 'nobody');
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
    additions.push({ seq: log.seq, side: 'crm', uuid: record.uuid, person, twins });
  }

  function ofSheet({ by, before, after }: Extract<SideEvent, { side: 'sheet' }>): void {
    const [was, is] = [viewSheet(before, log.renamed), viewSheet(after, log.renamed)];
    const knownCells = new Set(was.rows.map(({ cells }) => cells));
    if (by === 'leadsheet') compare(before, after, was, is);
    for (const row of is.rows) if (!knownCells.has(row.cells)) noteRow(row);
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
        noteWrite('sheet', row.id, person, field, pair, old?.formula !== undefined);
    }
    for (let index = 0; index < Math.max(was.cells.length, row.cells.length); index += 1) {
      if (owned.has(index) || cellText(was.cells[index]) === cellText(row.cells[index])) continue;
      foreign.push(
        `row ${row.number} of ${person}, column ${index + 1}: "${cellText(was.cells[index])}" became "${cellText(row.cells[index])}"`,
      );
    }
    if (was.id !== row.id)
      namings.push({ seq: log.seq, uuid: row.id, owner: ownerOf(row.id), person: was.notedPerson });
  }

  function appeared(row: RowView, { rows }: SheetView): void {
    const twins = rows
      .filter(({ id, number }) => id === row.id && number !== row.number)
      .map(({ number }) => `row ${number}`);
    additions.push({ seq: log.seq, side: 'sheet', uuid: row.id, person: personOf(row), twins });
    const person = personOf(row);
    for (const field of fields) {
      if (row.value(field) !== '') noteWrite('sheet', row.id, person, field, ['', row.value(field)], false);
    }
  }

  function vanished(row: RowView): void {
    const person = personOf(row);
    const isWanted = person === undefined || log.people.get(person)?.deletedIn.has('crm') === true;
    const agreed = agreedTexts(person, row.value);
    removals.push({ seq: log.seq, side: 'sheet', uuid: row.id, person, isWanted, agreed });
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
    foreign,
    onSide(event) {
      log.seq += 1;
      switch (event.side) {
        case 'crm':
          return ofContact(event);
        case 'sheet':
          return ofSheet(event);
        case 'enrolment': {
          const status = [...contacts()].find(({ uuid }) => uuid === event.uuid)?.status;
          enrolments.push({
            seq: log.seq,
            uuid: event.uuid,
            automation: event.automation,
            person: ownerOf(event.uuid),
            isVetoed: setting.automation?.isVetoed === true && status === 'replied',
          });
        }
      }
    },
    onRun: (of) => void (known(of).runBeganAt = log.seq),
    onAnswer(of, what, body, text) {
      log.seq += 1;
      const { tokens, lookedAt } = known(of);
      for (const token of tokensIn(text)) tokens.add(token);
      const isLook =
        what.startsWith('crm GET /leads/api/leads/') ||
        (what.endsWith('/leads/search') && body.includes('"uuid"')) ||
        what.startsWith('sheets POST /v4:getByDataFilter');
      if (!isLook) return;
      const side = what.startsWith('crm') ? 'crm' : 'sheet';
      for (const uuid of text.match(uuids) ?? []) lookedAt.set(`${side} ${uuid}`, log.seq);
    },
  };
}

function contentOf({ cells }: RowView): string {
  return JSON.stringify(cells.map((cell) => cellText(cell)));
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
