// One whole trial: the adapter at work, with edits and faults, checked by the referee.
import type { Fetch } from '../../../src/sheets/google/endpoint.ts';
import { SheetsError } from '../../../src/sheets/errors.ts';
import type { CellInput, NewRow, Row, RowChange, RowOutcome, Snapshot, Table } from '../../../src/sheets/port.ts';
import { createTrial, openAnchored, spec, temporaryMarks, type Trial } from '../../support/sheets.ts';
import {
  checkAppendedOnce,
  checkAppendOutcome,
  checkNoMarks,
  checkNothingLost,
  checkRemoveOutcome,
  checkRightRow,
  checkSnapshot,
  checkTold,
  checkUpdateOutcome,
} from './invariants.ts';
import { kindOfRequest, Requests } from './moment.ts';
import { applyEdit, type Sheet } from './people.ts';
import { type Intent, Referee, type RemovalIntent, type RowIntent } from './referee.ts';
import type { FaultKind, Schedule, Step } from './schedule.ts';
import { look, sheetId, toEntered } from './view.ts';

export interface Verdict {
  /**
   * Values landed in wrong cells and could not be restored: the process was killed, or people moved cells during the
   * repair.
   */
  readonly isExcused: boolean;
  readonly violations: readonly string[];
  /** Kinds of the outcomes of each step that was taken. */
  readonly outcomes: readonly (readonly string[])[];
  /** Edits and faults of the schedule whose moment came. */
  readonly happened: number;
  /** The trial, request by request. */
  readonly story: readonly string[];
}

const values = [
  ['Contact ID', 'First name', 'Notes', 'Email', 'Calc', 'Score'],
  ['id-1', 'Ann', 'tag 1', 'ann@x.org', '=UPPER("calc 1")', 11],
  ['id-2', 'Bob', 'tag 2', 'bob@x.org', '=UPPER("calc 2")', '=1+2'],
  ['id-3', null, 'tag 3', 'cy@x.org', '=UPPER("calc 3")', 33],
  [null, 'Dora', 'tag 4', 'dora@x.org', '=UPPER("calc 4")', 44],
  ['id-5', 'Eve', 'tag 5', null, '=UPPER("calc 5")', null],
];

export async function runSchedule(schedule: Schedule): Promise<Verdict> {
  const referee: Referee = new Referee(() => look(trial.file.content));
  const world: World = {
    schedule,
    referee,
    requests: new Requests(),
    happened: 0,
    isCrashed: false,
    isReading: false,
    trial: undefined,
    sheet: undefined,
  };
  const trial: Trial = createTrial({
    tab: { rowCount: 9, columnCount: 7, typed: true },
    values,
    standin: {
      behaviour: {
        partialSortMovesMetadata: schedule.doesSortMoveMarks,
        unmatchedFilterRefuses: schedule.doUnmatchedFiltersRefuse,
        formulaRenderingShowsApostrophes: schedule.doFormulasShowApostrophes,
      },
    },
    wrapFetch: (fetch) => (url, init) => intercept(world, fetch, url, init),
  });
  dress(trial);
  const { table } = await openAnchored(trial);
  const { doesSortMoveMarks } = schedule;
  const sheet: Sheet = { person: trial.person, title: 'Prospects', doesSortMoveMarks, typed: 0 };
  Object.assign(world, { trial, sheet });
  world.requests.count = 0;
  const told: RowOutcome[] = [];
  for (const [index, step] of schedule.steps.entries()) {
    if (world.isCrashed) break;
    world.requests.startStep(index);
    await takeStep(world, table, step, `${index}`, referee, told);
  }
  world.requests.count = -1;
  referee.ask([], [], []);
  const isExcused = (world.isCrashed || referee.isBeyondRepair) && referee.debts.length > 0;
  world.isCrashed = false;
  trial.standin.faults.clear();
  await createTidyTable(trial).tidy();
  const end = look(trial.file.content);
  return {
    isExcused,
    outcomes: referee.outcomes,
    happened: world.happened,
    story: referee.story,
    violations: [
      ...referee.violations,
      // A process killed at the moment of a write cannot check its effect. If people also move cells at the moment of
      // the repair, the adapter only has to report it.
      ...(isExcused ? checkTold(referee, told) : checkRightRow(referee, end, told)),
      ...(isExcused ? [] : checkNothingLost(referee, end, told)),
      ...checkAppendedOnce(referee),
      ...checkNoMarks(temporaryMarks(trial)),
    ],
  };
}

/** Like another process, after a crash. */
function createTidyTable(trial: Trial): Table {
  return trial.openTable();
}

/** Marks, notes and formats of other owners: they identify the unmapped columns for the referee. */
function dress(trial: Trial): void {
  const column = (index: number) => ({ sheetId, dimension: 'COLUMNS', startIndex: index, endIndex: index + 1 });
  for (const [index, key] of [[2, 'notes'] as const, [4, 'calc'] as const]) {
    trial.person.request({
      createDeveloperMetadata: {
        developerMetadata: {
          metadataId: 100 + index,
          metadataKey: 'c',
          metadataValue: `referee/${key}`,
          location: { dimensionRange: column(index) },
          visibility: 'DOCUMENT',
        },
      },
    });
  }
  trial.person.request({
    updateCells: {
      start: { sheetId, rowIndex: 1, columnIndex: 1 },
      rows: [1, 2, 3, 4, 5].map((row) => ({
        values: [{ note: `note ${row}`, userEnteredFormat: { textFormat: { bold: row % 2 === 0 } } }],
      })),
      fields: 'note,userEnteredFormat.textFormat.bold',
    },
  });
}

interface World {
  readonly schedule: Schedule;
  readonly referee: Referee;
  readonly requests: Requests;
  happened: number;
  isCrashed: boolean;
  /** The adapter takes a snapshot: it plans on the answer of its call for values. */
  isReading: boolean;
  trial: Trial | undefined;
  sheet: Sheet | undefined;
}

async function intercept(world: World, fetch: Fetch, url: URL, init: RequestInit): Promise<Response> {
  const { trial, sheet, referee, schedule } = world;
  if (!trial || !sheet || world.requests.count < 0 || url.hostname !== 'sheets.googleapis.com') return fetch(url, init);
  if (world.isCrashed) throw refused();
  const number = world.requests.count;
  const kind = kindOfRequest(url.pathname, init.body);
  const isNow = world.requests.next(kind);
  for (const { at, edit } of schedule.edits) {
    if (!isNow(at)) continue;
    world.happened += 1;
    const before = look(trial.file.content);
    referee.tell(`  somebody ${applyEdit(sheet, before, edit)}`);
    referee.peopleEdited(before, look(trial.file.content));
  }
  const fault = schedule.faults.find(({ at }) => isNow(at))?.fault;
  if (fault) world.happened += 1;
  referee.tell(`  ${number}. ${kind}${fault ? `, ${fault}` : ''}`);
  const before = trial.file.content;
  referee.requested(before, kind === 'write');
  try {
    return await sendWithFault(world, trial, fault, () => fetch(url, init));
  } finally {
    const after = trial.file.content;
    if (after !== before) {
      if (fault !== undefined) referee.isAnswerLost = true;
      referee.adapterWrote(before, after);
    }
    if (world.isReading ? kind === 'read' : ['look', 'verify'].includes(kind)) referee.looked(after);
  }
}

async function sendWithFault(world: World, trial: Trial, fault: FaultKind | undefined, send: () => Promise<Response>) {
  switch (fault) {
    case undefined:
      return send();
    case '429':
    case '500 before':
    case '500 after':
      trial.standin.faults.add({
        effect: { type: 'status', status: fault === '429' ? 429 : 500 },
        when: fault === '500 after' ? 'after' : 'before',
      });
      return send();
    case 'lost before':
    case 'lost after':
      trial.standin.faults.add({ effect: { type: 'lost' }, when: fault === 'lost after' ? 'after' : 'before' });
      return send();
    case 'timeout before':
      throw timeout();
    case 'timeout after':
      await send();
      throw timeout();
    case 'crash before':
      world.isCrashed = true;
      throw refused();
    case 'crash after':
      await send();
      world.isCrashed = true;
      throw timeout();
  }
}

function timeout(): DOMException {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError');
}

function refused(): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
}

async function takeStep(
  world: World,
  table: Table,
  step: Step,
  name: string,
  referee: Referee,
  told: RowOutcome[],
): Promise<void> {
  let snapshot: Snapshot;
  try {
    referee.tell('read');
    world.isReading = true;
    snapshot = await table.read();
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
    referee.tell(`  ${error.message}`);
    return;
  } finally {
    world.isReading = false;
  }
  referee.report(checkSnapshot(snapshot, referee.lastLook!));
  if (step.kind === 'update') await takeUpdate(table, snapshot, step, name, referee, told);
  else if (step.kind === 'append') await takeAppend(table, snapshot, step, name, referee);
  else await takeRemoval(table, snapshot, step, referee);
}

type UpdateStep = Extract<Step, { kind: 'update' }>;

async function takeUpdate(
  table: Table,
  snapshot: Snapshot,
  step: UpdateStep,
  name: string,
  referee: Referee,
  told: RowOutcome[],
): Promise<void> {
  const rows = snapshot.rows.filter((_, index) => (step.rows >> (index % 6)) & 1);
  const changes = rows.map((row, index) => planChange(snapshot, row, step, `${name}.${index}`));
  const intents = changes.map((change) => changeIntents(referee, change));
  referee.ask(intents.flat(), [], []);
  referee.tell(
    `update ${changes.map(({ row, set, id }) => JSON.stringify({ [row.id]: set, ...(id && { id }) })).join(' ')}`,
  );
  const outcomes = await table.update(snapshot, changes);
  told.push(...outcomes);
  tellOutcomes(referee, outcomes);
  for (const [index, outcome] of outcomes.entries()) referee.report(checkUpdateOutcome(outcome, intents[index]!));
}

function planChange(snapshot: Snapshot, row: Row, step: UpdateStep, name: string): RowChange {
  const set: Record<string, CellInput> = {};
  for (const [index, { key }] of spec.columns.entries()) {
    // Planning leaves formulas alone (V5); sometimes it does not, to test that the adapter does.
    const isFormula = row.formulas.includes(key) && step.rows % 8 !== 1;
    if (((step.columns >> index) & 1) === 0 || row.cells[key] === undefined || isFormula) continue;
    set[key] = ((step.clearing >> index) & 1) === 1 ? '' : `sent ${name} ${key}`;
  }
  return row.id === '' && snapshot.idColumn.kind === 'found' ? { row, set, id: `new ${name}` } : { row, set };
}

function changeIntents(referee: Referee, { row, set, id }: RowChange): Intent[] {
  const seen = referee.lastLook!;
  const seenRow = seen.rows[row.number - 1]!;
  const cells = Object.entries(id === undefined ? set : { ...set, '#id': id });
  return cells.map(([key, value]) => ({
    id: row.id,
    tag: seenRow.tag,
    idAfter: id ?? row.id,
    key,
    value: toEntered(value),
    before: seenRow.cells[seen.keys.indexOf(key)]?.entered ?? '',
    hits: 0,
    misses: 0,
  }));
}

async function takeAppend(
  table: Table,
  snapshot: Snapshot,
  { count }: Extract<Step, { kind: 'append' }>,
  name: string,
  referee: Referee,
): Promise<void> {
  const rows = Array.from({ length: count }, (_, index): NewRow => {
    const id = `new-${name}-${index}`;
    return { id, set: { first_name: `first ${id}`, score: index } };
  });
  const intents = rows.map(({ id, set }): RowIntent => {
    const cells = Object.entries({ ...set, '#id': id }).map(([key, value]) => [key, toEntered(value)] as const);
    return { id, cells: new Map(cells), count: 0 };
  });
  referee.ask([], intents, []);
  referee.tell(`append ${rows.map(({ id }) => id).join(', ')}`);
  const outcomes = await table.append(snapshot, rows);
  tellOutcomes(referee, outcomes);
  const isDisplaced = referee.hasTakenAnchorAway || (referee.revivedKeys.size > 0 && !referee.isAnswerLost);
  for (const [index, outcome] of outcomes.entries())
    referee.report(checkAppendOutcome(outcome, intents[index]!, isDisplaced));
}

async function takeRemoval(
  table: Table,
  snapshot: Snapshot,
  step: Extract<Step, { kind: 'remove' }>,
  referee: Referee,
): Promise<void> {
  const rows = snapshot.rows.filter((_, index) => index === step.row % 8 || index === step.row % 5);
  const intents = rows.map(({ id, number }): RemovalIntent => ({ id, number, marks: [], count: 0, displaced: 0 }));
  referee.ask([], [], intents);
  referee.tell(`remove ${rows.map(({ id, number }) => id || `row ${number}`).join(', ')}`);
  const outcomes = await table.remove(snapshot, rows);
  tellOutcomes(referee, outcomes);
  const idsLeft = new Set(referee.present().rows.map(({ id }) => id));
  for (const [index, outcome] of outcomes.entries()) {
    const intent = intents[index]!;
    referee.report(checkRemoveOutcome(outcome, intent, idsLeft.has(intent.id), referee.isAnswerLost));
  }
}

interface Outcome {
  readonly kind: string;
  readonly error?: Error;
  readonly cells?: unknown;
}

function tellOutcomes(referee: Referee, outcomes: readonly Outcome[]): void {
  referee.outcomes.push(outcomes.map(({ kind }) => kind));
  referee.tell(`  -> ${outcomes.map(describe).join(', ')}`);
}

function describe(outcome: Outcome): string {
  const details = outcome.error?.message ?? (outcome.cells ? JSON.stringify(outcome.cells) : '');
  return details ? `${outcome.kind} (${details})` : outcome.kind;
}
