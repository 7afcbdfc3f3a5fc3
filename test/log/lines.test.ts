import { expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import type { EngineEvent } from '../../src/engine/events.ts';
import { standingOf } from '../../src/engine/last-run.ts';
import type { RunReport } from '../../src/engine/report.ts';
import { createLines } from '../../src/log/lines.ts';
import { createLogger } from '../../src/log/logger.ts';
import { createQuoteHider } from '../../src/log/quotes.ts';
import type { Problem } from '../../src/sync/change.ts';

/* The log: few lines while nothing happens, a line for each change, and no contact details or secrets. */

const counts = { ...standingOf(), linked: 3 };
const planned = { creates: 0, changes: 0, blanks: 0, deletes: 0, missing: 0, enrolments: 0 };

function ended(report: Partial<RunReport> = {}): EngineEvent {
  const whole: RunReport = {
    sync: 'prospects',
    kind: 'sync',
    run: 'r1',
    status: 'succeeded',
    startedAt: '2026-11-21T09:00:00.000Z',
    endedAt: '2026-11-21T09:00:01.000Z',
    isFull: false,
    counts,
    cost: { crmCalls: 1, sheetReads: 1, sheetWrites: 0, seconds: 1 },
    problems: [],
    holds: [],
    planned,
    ...report,
  };
  return { type: 'run-ended', sync: 'prospects', report: whole };
}

const changed: EngineEvent = {
  type: 'change-done',
  sync: 'prospects',
  run: 'r1',
  outcome: { kind: 'refused', message: 'ann@firm.io is not an address' },
  change: {
    side: 'crm',
    op: 'update',
    uuid: 'u-1',
    row: 4,
    fields: [{ field: 'email', before: 'ann@old.io', after: 'ann@firm.io', rule: 'merge', reason: 'edited' }],
    rule: 'merge',
    reason: 'edited',
  },
};

const conflict: Problem = {
  id: 'u-1/email',
  kind: 'conflict',
  uuid: 'u-1',
  row: 4,
  field: 'email',
  rule: 'M1',
  reason: 'changed on both sides',
  values: { base: 'a', crm: 'ann@firm.io', sheet: 'c' },
};

function open({ level = 'info' as const, areDetailsShown = false, isStopping = false, format = 'json' as const } = {}) {
  const texts: string[] = [];
  let now = Date.parse('2026-11-21T09:00:00Z');
  const secrets = [new Secret('the-token-of-the-tests'), new Secret('hm')];
  const out = { write: (text: string) => texts.push(text) };
  const log = createLogger({ level, format, out, secrets, now: () => now, isExpected: () => false });
  const hideQuotes = createQuoteHider({ columns: { 'First name': 'first_name' }, list: 'Prospects EMEA' });
  const lines = createLines(log, {
    areDetailsShown,
    hideQuotes,
    siblingsOf: (sync) => [sync],
    now: () => now,
    isStopping: () => isStopping,
  });
  const said = () => texts.map((text) => JSON.parse(text) as Record<string, unknown>);
  return { log, lines, texts, said, pass: (ms: number) => (now += ms) };
}

test('a line is one JSON object: level, instant, static message, the rest as fields', () => {
  const { lines, said } = open();
  lines.engine(ended({ counts: { ...counts, updated: 2 } }));
  expect(said()).toEqual([
    {
      level: 'info',
      time: '2026-11-21T09:00:00.000Z',
      msg: 'run ended',
      sync: 'prospects',
      run: 'r1',
      status: 'succeeded',
      counts: { linked: 3, updated: 2 },
      crm_calls: 1,
      sheet_reads: 1,
      sheet_writes: 0,
      seconds: 1,
    },
  ]);
});

test('an enrolment names its automation, also if one call created the contact', () => {
  const { lines, said } = open();
  const common = { side: 'crm', uuid: 'u-1', row: 4, fields: [], rule: 'E1', reason: 'wished for' } as const;
  const changes = [
    { ...common, op: 'enrol', automation: 'a-1' },
    { ...common, op: 'create', key: 'row:4', enrol: 'a-2' },
  ] as const;
  for (const change of changes) {
    lines.engine({ type: 'change-done', sync: 'prospects', run: 'r1', outcome: { kind: 'done' }, change });
  }
  expect(said()).toMatchObject([
    { msg: 'change done', op: 'enrol', automation: 'a-1' },
    { op: 'create', automation: 'a-2' },
  ]);
});

test('while nothing happens there is a line every ten minutes, which counts the runs between', () => {
  const { lines, said, pass } = open();
  for (let run = 0; run < 41; run += 1) {
    lines.engine(ended());
    pass(30_000);
  }
  expect(said().map(({ msg, idle_runs }) => [msg, idle_runs])).toEqual([
    ['run ended', undefined],
    ['nothing new', 20],
    ['nothing new', 20],
  ]);
});

test('a problem or a notice is logged when it appears, not in each run, and again when it reappears', () => {
  const { lines, said } = open();
  const notice: EngineEvent = { type: 'notice', sync: 'prospects', message: 'a header was renamed' };
  for (const problems of [[conflict], [conflict], [], [conflict]]) {
    if (problems.length > 0) lines.engine(notice);
    lines.engine(ended({ problems, status: problems.length > 0 ? 'partial' : 'succeeded' }));
  }
  expect(said().filter(({ msg }) => msg === 'problem')).toHaveLength(2);
  expect(said().filter(({ msg }) => msg === 'notice')).toHaveLength(2);
});

test('a change that every run refuses for one reason is logged once', () => {
  const { lines, said } = open();
  for (let run = 0; run < 3; run += 1) {
    lines.engine(changed);
    lines.engine(ended());
  }
  expect(said().filter(({ msg }) => msg === 'change not done')).toHaveLength(1);
});

test('of a thousand new problems twenty are logged, with the number of the others', () => {
  const { lines, said } = open();
  const problems = Array.from({ length: 1_000 }, (_, index) => ({ ...conflict, id: `u-${index}` }));
  lines.engine(ended({ status: 'partial', problems }));
  expect(said()).toHaveLength(22);
  expect(said()[20]).toMatchObject({ msg: 'more problems; see leadsheet status', more: 980 });
});

test('ids, fields and rules are logged, contents of contacts are not', () => {
  const { lines, texts, said } = open();
  lines.engine(changed);
  lines.engine(ended({ status: 'partial', problems: [conflict] }));
  expect(said()[0]).toMatchObject({ contact: 'u-1', row: 4, fields: ['email'], rules: ['merge'], outcome: 'refused' });
  expect(texts.join('')).not.toContain('ann@');
});

test('unless contact_details is shown', () => {
  const { lines, said } = open({ areDetailsShown: true });
  lines.engine(changed);
  expect(said()[0]).toMatchObject({
    values: [{ before: 'ann@old.io', after: 'ann@firm.io' }],
    why: 'ann@firm.io is not an address',
  });
});

test('a secret is masked at every place, and a text too short to differ from words is not', () => {
  const { log, texts } = open();
  log.warn({ err: new Error('Bearer the-token-of-the-tests'), token: 'x', deep: { password: 'y' } }, 'hm');
  expect(texts.join('')).not.toContain('the-token-of-the-tests');
  expect(JSON.parse(texts[0]!)).toMatchObject({ msg: 'hm', token: '[secret]', deep: { password: '[secret]' } });
});

test('a run that the end of the process stops did not fail', () => {
  const { lines, said } = open({ isStopping: true });
  lines.engine(ended({ status: 'failed', error: 'stopped' }));
  expect(said()).toMatchObject([{ level: 'info', msg: 'run stopped before its end' }]);
});

test('for people a line is a line of text', () => {
  const texts: string[] = [];
  const out = { write: (text: string) => texts.push(text) };
  const log = createLogger({
    level: 'info',
    format: 'pretty',
    out,
    secrets: [],
    now: () => 0,
    isExpected: () => false,
  });
  log.info({ sync: 'prospects', notice: 'a header was renamed' }, 'notice');
  expect(texts).toHaveLength(1);
  expect(texts[0]).toMatch(/INFO: prospects: a header was renamed\n$/);
});

test.each([
  ['enrolment: no such automation: "Ann Smith, 0170 555"', 'enrolment: no such automation: "[hidden]"'],
  ['no such automation: "Ann", did you mean "Anna\'s sequence"?', 'no such automation: "[hidden]"?'],
  ['no such automation: "Ann "the boss" Smith": correct it', 'no such automation: "[hidden]": correct it'],
  [
    'its ID "Ann Smith" is no contact ID: put the right one back',
    'its ID "[hidden]" is no contact ID: put the right one back',
  ],
  ['no such automation: "Ann Smith', 'no such automation: [hidden]'],
  ['the header "First name" is "Ann" now (column B)', 'the header "First name" is "[hidden]" now (column B)'],
  ['the header "First name" is not in the tab', 'the header "First name" is not in the tab'],
  ['two rows say "first_name" and "First name"', 'two rows say "first_name" and "First name"'],
])('quotes of cells in a problem are not in the log: %s', (reason, logged) => {
  const { lines, said } = open();
  lines.engine(ended({ problems: [{ ...conflict, reason }] }));
  expect(said()[0]).toMatchObject({ msg: 'problem', reason: logged });

  const shown = open({ areDetailsShown: true });
  shown.lines.engine(ended({ problems: [{ ...conflict, reason }] }));
  expect(shown.said()[0]).toMatchObject({ reason });
});

test.each([
  'there is no list "Prospects EMEA", did you mean Prospects? Lists that there are, nearest first: Prospects, VIP. Correct it',
  'Spreadsheet 1Abc has no tab "Prospects EMEA"; it has People, Other',
])('names of lists and tabs are in the log, so that it says what to correct: %s', (error) => {
  const { lines, said } = open();
  lines.engine(ended({ status: 'failed', error }));
  expect(said()[0]).toMatchObject({ reason: error });
});

test('quotes in a refusal, a notice or a failed run are not in the log', () => {
  const { lines, texts } = open();
  lines.engine({
    ...changed,
    outcome: { kind: 'refused', message: 'first_name: "Ann Smith" is too long' },
  });
  lines.engine({ type: 'notice', sync: 'prospects', message: 'row 1 says "Ann Smith", "0170 555"' });
  lines.engine(ended({ status: 'failed', error: 'the tab has no column "Email", and row 1 says "Ann Smith"' }));
  expect(texts).toHaveLength(3);
  expect(texts.join()).not.toMatch(/Ann|0170/);
});

test('a refusal of the account is one line, and one more where a reload took the job up anew or away since', () => {
  const { lines, said } = open();
  const taken = {
    outcome: 'taken up',
    added: [],
    changed: [],
    removed: [],
    same_token: [],
    restart: [],
    problems: [],
  } as const;
  const refused = ended({ status: 'failed', error: 'no', refused: 'crm' });
  const name = ['prospects'];
  for (const change of [{}, { removed: name }, { added: name }, { changed: name }]) {
    lines.reloaded({ ...taken, ...change });
    lines.engine(refused);
    lines.engine(refused);
  }
  expect(said().filter(({ level }) => level === 'error')).toHaveLength(4);
});
