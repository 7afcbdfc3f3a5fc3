import { describe, expect, test } from 'vitest';
import { AuthenticationError, UnexpectedAnswerError } from '../../src/crm/errors.ts';
import type { Contact } from '../../src/crm/port.ts';
import type { Due } from '../../src/engine/enrolment/due.ts';
import { lookAgain } from '../../src/engine/enrolment/look.ts';
import type { FeedRun } from '../../src/engine/feed/context.ts';
import { control } from '../../src/engine/feed/push.ts';
import { createFeedShape } from '../../src/engine/feed/shape.ts';
import { guardTable } from '../../src/engine/guarded-table.ts';
import { lookIfNeeded } from '../../src/engine/looking.ts';
import { createOutboxShape } from '../../src/engine/outbox/shape.ts';
import { ask } from '../../src/engine/sync/ask.ts';
import type { RunContext } from '../../src/engine/sync/context.ts';
import { decidedBlank, type Decided } from '../../src/engine/sync/decide.ts';
import { findList } from '../../src/engine/sync/find-list.ts';
import { contactsMovedHere } from '../../src/engine/sync/moved-here.ts';
import { isAsRemembered, isInScope, type Pulled } from '../../src/engine/sync/pull.ts';
import { createShape, ownHeader, resultKey } from '../../src/engine/sync/shape.ts';
import { statusKey } from '../../src/engine/status-column.ts';
import { TableMovingError } from '../../src/sheets/errors.ts';
import type { Row, Snapshot, Table } from '../../src/sheets/port.ts';
import type { Batch, HistoryLine } from '../../src/state/port.ts';
import type { Change } from '../../src/sync/change.ts';
import { noAnswers } from '../../src/sync/input.ts';
import type { Outcome } from '../../src/sync/outcome.ts';
import { pack, type RowRecord } from '../../src/sync/record/record.ts';
import { feed, outbox, start, sync } from '../config/files.ts';
import { load } from '../support/config.ts';

/* How rows and contacts are read and written, and what is looked at before that. */

const { signal } = new AbortController();
const failureOf = (kind: { readonly prototype: object }, message: string) =>
  Object.assign(Object.create(kind.prototype) as Error, {
    message,
    call: { operation: 'automations.start', attempts: 1 },
  });
const lost = failureOf(UnexpectedAnswerError, 'no answer');
const token = failureOf(AuthenticationError, 'refused');
const about = { uuid: 'a', row: 2, fields: [], rule: 'E1', reason: '' } as const;

describe('the shape of a sync', () => {
  const columns = 'Email: email, Name: name, Segment: { custom_field: segment }';
  const configOf = (...more: readonly string[]) => load(start + sync({ columns }, ...more)).syncs[0]!;
  const shapeOf = (...more: readonly string[]) => createShape(configOf(...more), 60_000);
  const shape = shapeOf();
  const names = shape.mapping.fields.map(({ name }) => name);
  const [email, name, segment] = names as [string, string, string];
  const row = (more: Partial<Row> = {}): Row => {
    return {
      number: 4,
      id: 'a',
      cells: { [email]: 'A@x.io', [name]: 'Ann', [segment]: null },
      own: {},
      formulas: [],
      ...more,
    };
  };
  const values = pack(['A@x.io', 'Ann', null]);
  const none = new Set<string>();

  test('M1: two edits are apart for a minute, or for two intervals', () => {
    const margin = (ms: number) => createShape(configOf(), ms).mapping.newestMarginMs;
    expect([margin(0), margin(30_000), margin(30_001), margin(60_000)]).toEqual([60_000, 60_000, 60_002, 120_000]);
  });

  test('a row has its values, and names what cannot be read and what a formula makes', () => {
    expect(shape.fromRow(row(), none)).toEqual({ number: 4, id: 'a', values });
    expect(shape.fromRow(row({ formulas: [name, 'other'] }), none)).toMatchObject({ formulas: [name] });
    expect(shape.fromRow(row({ formulas: ['other'] }), none)).not.toHaveProperty('formulas');
    const cells = { ...row().cells, [name]: { error: '#REF!' } };
    const read = shape.fromRow(row({ cells }), none);
    expect(read.values).toBe(pack(['A@x.io', undefined, null]));
    expect(Object.keys(read.unreadable ?? {})).toEqual([name]);
    expect(shape.fromRow(row(), new Set([email])).values).toBe(pack([null, 'Ann', null]));
  });

  test('an unchanged text stands for the cells, but not beside a formula or a column to be made', () => {
    const unchangedText = pack(['other', null, null]);
    expect(shape.fromRow(row({ unchangedText }), none)).toEqual({ number: 4, id: 'a', values: unchangedText });
    expect(shape.fromRow(row({ unchangedText, formulas: [name] }), none).values).toBe(values);
    expect(shape.fromRow(row({ unchangedText }), new Set([email])).values).toBe(pack([null, 'Ann', null]));
    const own = { '#automation': 'Welcome', [resultKey]: 'enrolled' };
    const wishes = { wish: 'Welcome', wishResult: 'enrolled' };
    expect(shape.fromRow(row({ unchangedText, own }), none)).toMatchObject(wishes);
    expect(shape.fromRow(row({ own }), none)).toMatchObject(wishes);
  });

  test('E5, W11: an empty cell is a wish taken back, and without the column nothing is known of one', () => {
    const wishes = (own: Row['own']) => {
      const { number: _number, id: _id, values: _values, ...rest } = shape.fromRow(row({ own }), none);
      return rest;
    };
    expect(wishes({ '#automation': null })).toEqual({ wish: '' });
    expect(wishes({ '#automation': 7 })).toEqual({ wish: '7' });
    expect(wishes({ '#automation': { error: '#REF!' } })).toEqual({});
    expect(wishes({ [resultKey]: 'done' })).toEqual({ wishResult: 'done' });
    expect(wishes({ [resultKey]: null })).toEqual({});
    expect(wishes({ [resultKey]: { error: '#REF!' } })).toEqual({});
    expect(wishes({})).toEqual({});
  });

  test('cells are written and read by the name of their field, and other fields have none', () => {
    const change = (field: string, after: string | null) =>
      ({ field, before: null, after, rule: 'merge', reason: '' }) as const;
    expect(shape.toCells([change(name, 'Ann'), change('other', 'x')])).toEqual({ [name]: 'Ann' });
    expect(shape.fromCells({ [name]: 'Ann', other: 'x' })).toEqual({ [name]: 'Ann' });
    expect(shape.fromCells({ [name]: { error: '#REF!' } })).toEqual({ [name]: undefined });
    expect([segment, name, 'other'].map((each) => shape.isCustom(each))).toEqual([true, false, false]);
    const later = [change(email, 'a@example.com'), change(name, 'Ann'), change('other', 'x')];
    expect(shape.afterCreate(later)).toEqual([later[0]]);
    expect(shape.afterCreate([change(email, 'a@x.io')])).toEqual([]);
  });

  test('I8: a contact is known by what is not blank, and by no placeholder', () => {
    expect(shape.identifiers([' a@x.io ', 'Ann', null])).toEqual({ email: 'a@x.io', name: 'Ann' });
    expect(shape.identifiers(['a@example.com', ' ', null])).toEqual({});
    expect(shape.identifiers([undefined, undefined, undefined])).toEqual({});
  });

  test('a contact without a date has none', () => {
    expect(shape.toRecord({ uuid: 'a', values: ['A@x.io', 'Ann'] })).toEqual({
      uuid: 'a',
      values: pack(['A@x.io', 'Ann', undefined]),
    });
    expect(shape.toRecord({ uuid: 'a', values: [], updatedAt: 0 })).toMatchObject({ updatedAt: 0 });
  });

  test('the status column is ours and in the table only where it is configured', () => {
    const withStatus = load(start + sync({ columns, sheet: 'spreadsheet: 1AbCdEfGhIj, tab: T, status_column: Sync' }))
      .syncs[0]!;
    const keys = (config: typeof withStatus) => createShape(config, 0).table.columns.map(({ key }) => key);
    expect(keys(withStatus)).toEqual([...names, statusKey]);
    expect(keys(configOf())).toEqual(names);
    expect(createShape(withStatus, 0).table.columns.at(-1)).toMatchObject({
      header: 'Sync',
      format: 'text',
      isOwn: true,
    });
    expect([
      ownHeader(withStatus, statusKey),
      ownHeader(withStatus, resultKey),
      ownHeader(configOf(), statusKey),
    ]).toEqual(['Sync', resultKey, statusKey]);
  });
});

describe('the shapes of a feed and of an outbox', () => {
  test('a feed shows its fields and not the ID, which has a column of its own', () => {
    const [config] = load(start + feed('resource: lists, columns: { ID: uuid, Name: name }')).feeds;
    const shape = createFeedShape(config!);
    const names = shape.fields.map(({ name }) => name);
    expect(names).not.toContain('uuid');
    expect(shape.table.columns.map(({ key }) => key)).toEqual([...names, statusKey]);
    expect(shape.table).toMatchObject({ spreadsheet: '1AbCdEfGhIj', tab: 'F', owner: 'f', headerRow: 1 });
    expect(shape).not.toHaveProperty('controlled');
    const cells = Object.fromEntries(names.map((each) => [each, each]));
    expect(shape.fromRow({ number: 3, id: 'a', cells, own: {}, formulas: ['x'] })).toEqual({
      number: 3,
      id: 'a',
      cells: names,
      formulas: ['x'],
    });
  });

  test('a row of an outbox has each cell in its place', () => {
    const options = 'resource: network_messages, columns: { To: lead_uuid, From: sender_profile_uuid, Text: text }';
    const shape = createOutboxShape(load(start + outbox(options)).outboxes[0]!);
    const cells = { text: 'Hello', '#send': 'yes', '#uuid': 'u', '#sent': 1, '#delivery': 'seen' };
    const read = shape.fromRow({ number: 3, id: 'r', cells, own: {}, formulas: ['#send'] });
    expect(read).toMatchObject({
      number: 3,
      id: 'r',
      send: 'yes',
      isSendFormula: true,
      uuid: 'u',
      sentAt: 1,
      delivery: 'seen',
    });
    expect(read.cells).toEqual([undefined, undefined, 'Hello']);
    expect(shape.fromRow({ number: 3, id: 'r', cells, own: {}, formulas: ['text'] }).isSendFormula).toBe(false);
    expect([shape.headerOf('text'), shape.headerOf('other')]).toEqual(['Text', 'other']);
  });
});

describe('W14: whether a run reads the tab', () => {
  const look = { at: 1_000, mark: 'm1' };
  const quiet = { fingerprint: 'f', look, ending: {} as never };
  async function looked(
    {
      kind = 'unmoved',
      request = {},
      hasHints = true,
      now = 2_000,
      known = quiet,
    }: {
      readonly kind?: 'unmoved' | 'moved' | 'unknown';
      readonly request?: object;
      readonly hasHints?: boolean;
      readonly now?: number;
      readonly known?: typeof quiet | undefined;
    } = {},
    isNew = false,
  ) {
    const asked: unknown[] = [];
    const context = {
      table: {
        read: async (settings: { readonly unless?: string }) => {
          asked.push(settings.unless);
          return 'unchanged';
        },
      },
      hints: hasHints
        ? {
            ask: async (_spreadsheet: string, since: string | undefined) => {
              asked.push(`since ${since}`);
              return { kind, mark: 'm2' };
            },
          }
        : undefined,
      request: { isFull: false, isAsked: false, signal, ...request },
      config: { sheet: { spreadsheetId: 'S', fullLookMs: 60_000 } },
      now: () => now,
    } as unknown as Parameters<typeof lookIfNeeded>[0];
    return { ...(await lookIfNeeded(context, isNew ? undefined : known, {})), asked };
  }
  const read = { seen: 'unchanged', look: { at: 2_000, mark: 'm2' }, asked: ['since m1', 'f'] };

  test('not while a hint says that nothing moved', async () => {
    expect(await looked()).toEqual({ seen: 'unread', look, asked: ['since m1'] });
  });

  test.each([
    ['a hint says that it moved', { kind: 'moved' } as const],
    ['no hint is known', { kind: 'unknown' } as const],
    ['a person asked for the run', { request: { isAsked: true } }],
    ['somebody was told of a change', { request: { isTold: true } }],
    ['the run reads all', { request: { isFull: true } }],
  ])('where %s, with the mark of before', async (_what, given) => {
    expect(await looked(given)).toEqual(read);
  });

  test('after the longest time without a look, for the first time, and without hints', async () => {
    expect((await looked({ now: 60_999 })).seen).toBe('unread');
    expect((await looked({ now: 61_000 })).seen).toBe('unchanged');
    expect(await looked({}, true)).toMatchObject({ seen: 'unchanged', asked: ['since undefined', undefined] });
    expect(await looked({ hasHints: false })).toEqual({ seen: 'unchanged', look: undefined, asked: ['f'] });
  });
});

test('H3: each call of a table that writes is told of the lease, and a read is not', async () => {
  const told: Record<string, unknown> = {};
  const call =
    (name: string) =>
    async (...args: readonly unknown[]) =>
      void (told[name] = args.at(-1));
  const calls = ['read', 'ensure', 'update', 'append', 'remove', 'clearMarks', 'tidy'];
  const table = Object.fromEntries(calls.map((name) => [name, call(name)])) as unknown as Table;
  const lease = { allowMs: (ms: number) => ms };
  const guarded = guardTable(table, lease);
  const snapshot = {} as Snapshot;
  await guarded.read({ signal });
  await guarded.ensure(snapshot, [], { signal });
  await guarded.update(snapshot, [], { signal });
  await guarded.append(snapshot, [], { signal });
  await guarded.remove(snapshot, [], { onlyBare: true });
  await guarded.clearMarks();
  await guarded.tidy({ signal });
  const both = { signal, ...lease };
  expect(told).toEqual({
    read: { signal },
    ensure: both,
    update: both,
    append: both,
    remove: { onlyBare: true, ...lease },
    clearMarks: lease,
    tidy: both,
  });
  expect(guardTable(table, undefined)).toBe(table);
});

describe('E4: the look before an enrolment', () => {
  const planned = (id: string, text: string): RowRecord => ({ number: 2, id, values: pack([text]) });
  const enrol = { ...about, side: 'crm', op: 'enrol', automation: 'f' } as Due;
  const create = { ...about, uuid: null, side: 'crm', op: 'create', key: 'k', enrol: 'f' } as Due;
  const look = (
    read: () => Promise<unknown>,
    get: (uuids: readonly string[]) => Promise<unknown> = async () => new Map(),
    plannedRows: readonly RowRecord[] = [],
  ) =>
    lookAgain(
      {
        request: { signal },
        table: { read },
        contacts: { get },
        shape: { fromRow: (row: { readonly text: string; readonly id: string }) => planned(row.id, row.text) },
      } as unknown as RunContext,
      { fingerprint: 'f' } as Snapshot,
      plannedRows,
      [enrol, create],
    );
  const rowOf = async (rows: readonly object[] | 'unchanged', change: Due, row: RowRecord) => {
    const seen = await look(async () => (rows === 'unchanged' ? rows : { rows }));
    return seen.kind === 'seen' ? seen.rowOf(change, row) : seen;
  };

  test('asks for contacts that are there, and keeps the row where the tab is unchanged', async () => {
    const asked: unknown[] = [];
    await look(
      async () => 'unchanged',
      async (uuids) => void asked.push(uuids),
    );
    expect(asked).toEqual([['a']]);
    const row = planned('a', 'x');
    expect(await rowOf('unchanged', enrol, row)).toBe(row);
  });

  test('finds a row by its ID, and one without by its values', async () => {
    expect(await rowOf([{ id: 'a', text: 'new' }], enrol, planned('a', 'x'))).toEqual(planned('a', 'new'));
    expect(await rowOf([{ id: 'b', text: 'x' }], enrol, planned('a', 'x'))).toBeUndefined();
    expect(await rowOf([{ id: '', text: 'x' }], create, planned('', 'x'))).toEqual(planned('', 'x'));
    expect(await rowOf([{ id: 'a', text: 'x' }], enrol, planned('', 'x'))).toEqual(planned('a', 'x'));
    expect(await rowOf([{ id: 'b', text: 'x' }], enrol, planned('', 'x'))).toBeUndefined();
    expect(await rowOf([{ id: '', text: 'y' }], create, planned('', 'x'))).toBeUndefined();
  });

  test('E4, L8: takes none of several rows that have the ID, or of several without one that have the values', async () => {
    const [row, copy] = [
      { id: 'a', text: 'x' },
      { id: 'a', text: 'y' },
    ];
    expect(await rowOf([row, copy], enrol, planned('a', 'x'))).toBeUndefined();
    const twin = { id: '', text: 'x' };
    expect(await rowOf([twin, twin], create, planned('', 'x'))).toBeUndefined();
  });

  test('L4: a look that fails holds these alone; a refused token and a fault end the run', async () => {
    const fail = (error: Error) => async () => {
      throw error;
    };
    expect(await look(fail(lost))).toEqual({ kind: 'failed', message: 'no answer' });
    const moving = new TableMovingError(3, {});
    expect(await look(fail(moving))).toEqual({ kind: 'failed', message: moving.message });
    expect(await look(async () => 'unchanged', fail(lost))).toMatchObject({ kind: 'failed' });
    await expect(look(fail(token))).rejects.toBe(token);
    await expect(look(fail(new Error('a fault')))).rejects.toThrow('a fault');
  });
});

describe('E7: what an automation answers', () => {
  const wish = (after: string): Change => {
    return {
      ...about,
      side: 'crm',
      op: 'update',
      fields: [{ field: 'status', before: null, after, rule: 'E7', reason: '' }],
    };
  };
  /** Notes of calls of which the history has no answer, in the state. */
  const notes = new Set<string>();
  async function answered(changes: readonly Change[], answer: object | Error, stop = signal) {
    const asked: unknown[] = [];
    const context = {
      request: { signal: stop },
      config: { name: 'f', resource: 'automations' },
      run: 'R',
      now: () => 0,
      emit: () => {},
      crm: {
        collections: {
          control: async (_resource: string, uuid: string, isToStart: boolean) => {
            asked.push([uuid, isToStart]);
            if (answer instanceof Error) throw answer;
            return answer;
          },
        },
      },
    } as unknown as FeedRun;
    const lines: HistoryLine[] = [];
    const lease = {
      appendHistory: async (more: readonly HistoryLine[]) => void lines.push(...more),
      commit: async (batch: Batch) => {
        for (const note of batch.outbox?.delete ?? []) notes.delete(note);
        for (const [note] of batch.outbox?.put ?? []) notes.add(note);
      },
    };
    const { outcomes, answers, records } = await control(context, lease, changes, new Map());
    expect(lines.map(({ outcome }) => outcome)).toEqual([...outcomes.values()].map(({ kind }) => kind));
    return { asked, outcomes: [...outcomes.values()], answers: answers.get('a'), records: records.size };
  }

  test('is done where the service shows it as wished, in any case', async () => {
    expect(await answered([wish('on')], { uuid: 'a', status: 'ON' })).toEqual({
      asked: [['a', true]],
      outcomes: [{ kind: 'done' }],
      answers: { kind: 'done' },
      records: 1,
    });
    expect((await answered([wish('off')], { uuid: 'a', status: 'off' })).answers).toEqual({ kind: 'done' });
    expect((await answered([wish('off')], { uuid: 'a', status: 'on' })).asked).toEqual([['a', false]]);
  });

  test('is refused where it shows another, and unknown where it shows none', async () => {
    expect((await answered([wish('on')], { uuid: 'a', status: 'off' })).answers).toEqual({
      kind: 'refused',
      message: 'the service left it off',
    });
    expect((await answered([wish('on')], { uuid: 'a', status: null })).answers).toEqual({
      kind: 'refused',
      message: 'the service left it blank',
    });
    expect(await answered([wish('on')], { uuid: 'a' })).toMatchObject({ answers: { kind: 'unknown' }, records: 0 });
  });

  test('a failure is its outcome, a refused token ends the run, and after a stop none is asked', async () => {
    expect((await answered([wish('on')], lost)).answers).toMatchObject({ message: 'no answer' });
    await expect(answered([wish('on')], token)).rejects.toBe(token);
    expect([...notes]).toEqual([]);
    await expect(answered([wish('on')], new Error('a fault'))).rejects.toThrow('a fault');
    // Nobody saw what became of that call: the next run says so (L12).
    expect([...notes]).toEqual(['R a']);
    expect(await answered([wish('on')], { status: 'on' }, AbortSignal.abort())).toMatchObject({
      asked: [],
      outcomes: [],
    });
    const others: readonly Change[] = [
      { ...about, side: 'sheet', op: 'set' },
      { ...wish('on'), uuid: null },
    ];
    expect((await answered(others, { status: 'on' })).asked).toEqual([]);
  });
});

describe('what a sync asks the service', () => {
  const contact = (more: Partial<Contact> = {}): Contact => ({
    uuid: 'a',
    values: [],
    list: 'U',
    passesFilter: true,
    ...more,
  });
  const scope = { listUuid: 'U', text: 'list L' };

  async function asking(
    questions: Parameters<typeof ask>[2],
    {
      found,
      match = [['email']],
      listName = 'Old',
    }: {
      readonly found?: Contact | Error;
      readonly match?: readonly string[][];
      readonly listName?: string | Error;
    } = {},
  ) {
    const asked: unknown[] = [];
    const answer = (what: unknown) => {
      asked.push(what);
      if (found instanceof Error) throw found;
      return found;
    };
    const context = {
      request: { signal },
      emit: () => {},
      config: { name: 's', match },
      listNames: new Map(),
      lookedUp: new Map(),
      shape: {
        toRecord: ({ uuid }: Contact) => ({ uuid, values: '[]' }),
        identifiers: () => ({ email: 'e', name: 'N', company_name: 'C' }),
      },
      contacts: {
        get: async (uuids: readonly string[]) => {
          const one = answer(uuids);
          return new Map(one ? [[one.uuid, one]] : []);
        },
        findByIdentifiers: async (identifiers: unknown) => answer(identifiers),
      },
      crm: {
        lists: {
          get: async () => {
            if (listName instanceof Error) throw listName;
            return { name: listName };
          },
        },
      },
    } as unknown as RunContext;
    return { ...(await ask(context, scope, questions, noAnswers)), asked };
  }
  const ofContact = { kind: 'contact', uuid: 'a', rule: 'D3' } as const;
  const ofRow = { kind: 'lookup', key: 'k', row: 2, values: [] } as const;
  const ofKey = { kind: 'key', by: 'email', value: 'e', uuid: 'b', field: 'email' } as const;

  test('a contact is here, gone, in another list, or out of the filter', async () => {
    const answerTo = async (found?: Contact | Error, listName?: string | Error) =>
      (
        await asking([ofContact, ofContact], { ...(found && { found }), ...(listName !== undefined && { listName }) })
      ).contacts.get('a');
    const record = { uuid: 'a', values: '[]' };
    expect(await answerTo(contact())).toEqual({ kind: 'here', contact: record });
    expect(await answerTo(contact({ list: undefined }))).toEqual({ kind: 'here', contact: record });
    expect(await answerTo()).toEqual({ kind: 'gone' });
    const away = { kind: 'elsewhere', uuid: 'a', contact: record };
    expect(await answerTo(contact({ list: 'V' }))).toEqual({ ...away, where: 'in list Old' });
    expect(await answerTo(contact({ list: 'V' }), lost)).toEqual({ ...away, where: 'in list V' });
    expect(await answerTo(contact({ list: null }))).toEqual({ ...away, where: 'in no list', isFiltered: true });
    expect(await answerTo(contact({ passesFilter: false }))).toEqual({
      ...away,
      where: 'filtered out of list L',
      isFiltered: true,
    });
    expect(await answerTo(lost)).toEqual({ kind: 'unanswered', why: 'no answer' });
    await expect(answerTo(token)).rejects.toBe(token);
    await expect(answerTo(contact({ list: 'V' }), token)).rejects.toBe(token);
  });

  test('each is asked for once, and nothing where nothing is asked', async () => {
    expect((await asking([ofContact, ofContact])).asked).toEqual([['a']]);
    expect((await asking([ofRow, ofRow])).asked).toHaveLength(1);
    const none = await asking([]);
    expect(none.asked).toEqual([]);
    expect(none).not.toHaveProperty('keys');
  });

  test('a row is looked up by a name and a company only where they are a key', async () => {
    expect((await asking([ofRow])).asked).toEqual([{ email: 'e' }]);
    const named = await asking([ofRow], { match: [['email'], ['name', 'company_name']], found: contact() });
    expect(named.asked).toEqual([{ email: 'e', name: 'N', company_name: 'C' }]);
    expect(named.lookups.get('k')).toMatchObject({ kind: 'here' });
  });

  test('I7: a key is looked up by its kind', async () => {
    const { asked, keys } = await asking([
      { ...ofKey, key: 'k1' },
      { ...ofKey, key: 'k2', by: 'network_id', value: 'n' },
    ]);
    expect(asked).toEqual([{ email: 'e' }, { network_id: 'n' }]);
    expect([...keys!]).toEqual([
      ['k1', { kind: 'gone' }],
      ['k2', { kind: 'gone' }],
    ]);
    expect((await asking([{ ...ofKey, key: 'k1' }], { found: lost })).keys!.get('k1')).toMatchObject({
      kind: 'unanswered',
    });
  });

  test('a contact is in scope by its list and its filter, and where its list is not known', () => {
    expect(isInScope(contact(), scope)).toBe(true);
    expect(isInScope(contact({ list: undefined }), scope)).toBe(true);
    expect(isInScope(contact({ list: null }), scope)).toBe(false);
    expect(isInScope(contact({ list: 'V' }), scope)).toBe(false);
    expect(isInScope(contact({ passesFilter: false }), scope)).toBe(false);
  });

  test('readings are as remembered where each contact is as it was seen', () => {
    const agreed = pack(['x']);
    const reading = {
      contacts: [{ uuid: 'a', values: agreed }],
      coverage: 'changes',
      isDrifted: false,
      scope: '',
    } as const;
    const base = (link?: object) => ({ base: { links: new Map(link ? [['a', { agreed, ...link }]] : []) } });
    expect(isAsRemembered(reading, base({}))).toBe(true);
    expect(isAsRemembered({ ...reading, contacts: [] }, base())).toBe(true);
    expect(isAsRemembered({ ...reading, coverage: 'whole' }, base({}))).toBe(false);
    expect(isAsRemembered({ ...reading, isDrifted: true }, base({}))).toBe(false);
    expect(isAsRemembered(reading, base())).toBe(false);
    expect(isAsRemembered(reading, base({ crm: pack(['y']) }))).toBe(false);
    expect(isAsRemembered(reading, base({ isOpen: true }))).toBe(false);
    expect(isAsRemembered(reading, base({ standing: 'left' }))).toBe(false);
  });

  test('a decision over a tab without rows stands after its columns were made, and over no other', () => {
    const crm = {};
    const pulledOf = (rows: readonly object[], more: object = {}) =>
      ({ crm, identities: { crm: 'c', sheet: 's' }, sheet: { rows, missing: [] }, ...more }) as unknown as Pulled;
    const decided = { pulled: pulledOf([]), input: { now: 1 } } as unknown as Decided;
    const same = pulledOf([]);
    expect(decidedBlank(decided, same)).toEqual({ ...decided, pulled: same, input: { now: 1, sheet: same.sheet } });
    expect(decidedBlank(decided, pulledOf([{}]))).toBeUndefined();
    expect(decidedBlank({ ...decided, pulled: pulledOf([{}]) }, same)).toBeUndefined();
    expect(decidedBlank(decided, pulledOf([], { crm: {} }))).toBeUndefined();
    expect(decidedBlank(decided, pulledOf([], { identities: { crm: 'c', sheet: 't' } }))).toBeUndefined();
    expect(decidedBlank(decided, pulledOf([], { sheet: { rows: [], missing: ['x'] } }))).toBeUndefined();
  });

  test('I2: a contact that was to come here counts only where it did', () => {
    const create = { ...about, side: 'crm', op: 'create', key: 'k' } as const;
    const moved = { ...create, moves: 'a' };
    const here = (outcome?: Outcome) =>
      contactsMovedHere([create, moved], new Map(outcome ? [[moved, outcome]] : [])).get('a');
    const record = { uuid: 'a', values: pack(['x']) };
    expect(here({ kind: 'done', contact: record })).toEqual({ change: moved, answer: record });
    expect(here({ kind: 'done', contact: { ...record, uuid: 'b' } })).toBe('not here');
    expect([here(), here({ kind: 'done' }), here({ kind: 'failed', message: '' })]).toEqual(Array(3).fill('not here'));
    expect(contactsMovedHere([create], new Map()).size).toBe(0);
  });
});

describe('the list of a sync', () => {
  const uuid = 'AAAAAAAA-0000-4000-8000-000000000000';
  const find = (name: string, named: object, all: object = { lists: [] }, otherwise?: string) =>
    findList(
      { lists: { named: async () => named, list: async () => all } } as unknown as Parameters<typeof findList>[0],
      { name: 's', contacts: { list: name } } as unknown as Parameters<typeof findList>[1],
      { signal },
      otherwise,
    );
  const list = (name: string | undefined, id = 'u1') => ({ uuid: id, name });

  test('is named by its uuid, or by a name that one list has', async () => {
    expect(await find(uuid, { lists: [] })).toBe(uuid.toLowerCase());
    for (const name of ['L', `${uuid}0`, `x${uuid}`]) expect(await find(name, { lists: [list(name)] })).toBe('u1');
    await expect(find('L', { lists: [list('L'), list('L', 'u2')] })).rejects.toThrow(
      '2 lists are called "L": write the uuid of one into contacts.list (u1, u2)',
    );
  });

  test('L7: is not known, is to be made, or is missing', async () => {
    await expect(find('L', { lists: [], notice: 'half' }, undefined, 'new')).rejects.toThrow(
      'whether there is a list "L" is not known: half',
    );
    expect(await find('L', { lists: [] }, undefined, 'new')).toBe('new');
    await expect(find('L', { lists: [] })).rejects.toThrow(
      'there is no list "L", and the service shows no other: make',
    );
    await expect(find('L', { lists: [] }, { lists: [], notice: 'half' })).rejects.toThrow(
      'shows no other (half): make',
    );
    const others = { lists: [list('Customers'), list(undefined), list('Prospect')] };
    await expect(find('Prospects', { lists: [] }, others)).rejects.toThrow(
      'there is no list "Prospects", did you mean Prospect? Lists that there are, nearest first: Prospect, Customers. Correct',
    );
    const many = { lists: Array.from({ length: 51 }, (_, index) => list(`Somebody else ${index}`)) };
    await expect(find('L', { lists: [] }, many)).rejects.toThrow(
      /"L"\. Lists .* and 1 more\. Correct contacts\.list of s/,
    );
    await expect(find('L', { lists: [] }, { lists: many.lists.slice(1) })).rejects.toThrow(/(?<! more)\. Correct/);
  });
});
