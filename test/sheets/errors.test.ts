// Provokes each error of src/sheets and compares it with docs/errors.md.
import { readFileSync } from 'node:fs';
import { gaxios } from 'google-auth-library';
import { describe, expect, test } from 'vitest';
import { parseCredentials } from '../../src/sheets/google/credentials.ts';
import * as errors from '../../src/sheets/errors.ts';
import { toSheetsError } from '../../src/sheets/google/to-sheets-error.ts';
import * as googleErrors from '../../src/sheets/google/errors.ts';
import {
  anyCredentials,
  createTrial,
  fillMetadata,
  header,
  openAnchored,
  rowOf,
  spreadsheetId,
  type Trial,
} from '../support/sheets.ts';

const values = [header, ['a', 'Ann', 'tag', 'ann@x.org', 1]];
const trialOf = (options: Parameters<typeof createTrial>[0] = {}) => createTrial({ values, ...options });

/** Google's answer, in the account's language. */
function answer(trial: Trial, status: number, error: object): void {
  trial.reroute = () => Promise.resolve(Response.json({ error: { code: status, ...error } }, { status }));
}

async function readError(trial: Trial, overrides: Parameters<Trial['openTable']>[0] = {}): Promise<unknown> {
  return trial
    .openTable(overrides)
    .read()
    .catch((thrown: unknown) => thrown);
}

/** The outcome of setting a cell of row `a`. */
async function updateError(prepare: (trial: Trial) => void): Promise<unknown> {
  const trial = trialOf();
  const { table, snapshot } = await openAnchored(trial);
  prepare(trial);
  const [outcome] = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { score: 2 } }]);
  return outcome && 'error' in outcome ? outcome.error : outcome;
}

function thrownBy(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}

type Provoke = () => unknown;

/** The codes of the classes of a file; the base has none. */
type CodeOf<Module> = {
  [Name in keyof Module]: Module[Name] extends new (...args: never[]) => { readonly code: infer Code extends string }
    ? Code
    : never;
}[keyof Module];

const provocations: Readonly<Record<CodeOf<typeof errors> | CodeOf<typeof googleErrors>, Provoke>> = {
  'bad-spreadsheet-reference': () => thrownBy(() => trialOf().openTable({ spreadsheet: 'Prospects' })),
  'bad-endpoint': () => thrownBy(() => trialOf({ client: { endpoint: 'http://sheets.example' } })),
  'credentials-unreadable': () => thrownBy(() => parseCredentials('{"private_key": "', '/run/secrets/google.json')),
  'credentials-refused': () => readError(trialOf({ standin: { credentials: { authorizedUsers: [] } } })),
  'not-shared': () => {
    const trial = trialOf();
    trial.file.sharedWith.clear();
    return readError(trial);
  },
  'read-only-share': () => updateError(({ file }) => file.sharedWith.set(anyCredentials.account, 'reader')),
  'scope-missing': () => {
    const trial = trialOf();
    answer(trial, 403, { details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] });
    return readError(trial);
  },
  'api-disabled': () => {
    const trial = trialOf();
    answer(trial, 403, { details: [{ reason: 'SERVICE_DISABLED' }] });
    return readError(trial);
  },
  'spreadsheet-gone': () => {
    const trial = trialOf();
    trial.standin.model.delete(trial.file.id);
    return readError(trial);
  },
  'tab-gone': () => readError(trialOf(), { tab: 'Prospect' }),
  'header-row-beyond-grid': () => readError(trialOf(), { headerRow: 21 }),
  'table-moving': async () => {
    const trial = trialOf();
    const { table } = await openAnchored(trial);
    let edits = 0;
    trial.onRequest = () => trial.person.insertColumns('Prospects', (edits += 1) % 2 === 0 ? 'A' : 'D');
    return table.read().catch((thrown: unknown) => thrown);
  },
  protected: async () => {
    const trial = trialOf();
    const { table, snapshot } = await openAnchored(trial);
    const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 2 };
    trial.person.request({ addProtectedRange: { protectedRange: { range } } });
    const [outcome] = await table.remove(snapshot, [rowOf(snapshot, 'a')]);
    return outcome && 'error' in outcome ? outcome.error : outcome;
  },
  quota: () => {
    const trial = trialOf();
    trial.standin.faults.add({ effect: { type: 'status', status: 429 }, times: 99 });
    return readError(trial);
  },
  'payload-too-large': () => updateError((trial) => answer(trial, 413, {})),
  'answer-too-large': () => {
    const trial = trialOf();
    const piece = new Uint8Array(8_000_000);
    const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(piece) });
    trial.reroute = () => Promise.resolve(new Response(endless()));
    return readError(trial);
  },
  'metadata-full': () => updateError((trial) => fillMetadata(trial)),
  unreachable: () => {
    const trial = trialOf();
    const cause = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    trial.reroute = () => Promise.reject(new TypeError('fetch failed', { cause }));
    return readError(trial);
  },
  unavailable: () => {
    const trial = trialOf();
    trial.standin.faults.add({ effect: { type: 'status', status: 503 }, times: 99 });
    return readError(trial);
  },
  'outcome-unknown': () =>
    updateError(({ standin }) => standin.faults.add({ effect: { type: 'status', status: 503 }, times: 99, skip: 2 })),
  aborted: () =>
    trialOf()
      .openTable()
      .read({ signal: AbortSignal.abort() })
      .catch((thrown: unknown) => thrown),
  refused: () => {
    const trial = trialOf();
    answer(trial, 400, { message: 'Solicitud no válida.', status: 'INVALID_ARGUMENT' });
    return readError(trial);
  },
};

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const section = /^### `([\w-]+)` \((\w+)\)\n\n> (.*)\n\nAgain: (yes|no)\. /gm;
const documented = [...page.matchAll(section)].map(([, code, name, message, again]) => ({
  code,
  name,
  message,
  again,
}));

test.each(Object.entries(provocations))('%s has the text of docs/errors.md', async (code, provoke) => {
  const error = await provoke();
  expect(error).toBeInstanceOf(errors.SheetsError);
  if (!(error instanceof errors.SheetsError)) return;
  expect(error.code).toBe(code);
  expect(error.message).not.toContain('\n');
  const { name, message, retryable } = error;
  expect(documented.filter((each) => each.code === code)).toEqual([
    { code, name, message, again: retryable ? 'yes' : 'no' },
  ]);
});

test('the error of a call names the spreadsheet, and the tab once it was found', async () => {
  const tabId = '7';
  expect(await provocations['not-shared']()).toMatchObject({ spreadsheetId, tabId: undefined });
  expect(await provocations['tab-gone']()).toMatchObject({ spreadsheetId, tabId: undefined });
  expect(await provocations['header-row-beyond-grid']()).toMatchObject({ spreadsheetId, tabId });
  expect(await provocations['outcome-unknown']()).toMatchObject({ spreadsheetId });
  expect(await provocations['bad-spreadsheet-reference']()).toMatchObject({ spreadsheetId: undefined });
});

test('docs/errors.md has every class of errors, and no other', () => {
  const classes = Object.keys({ ...errors, ...googleErrors }).filter((name) => name !== 'SheetsError');
  expect(new Set(documented.map(({ name }) => name))).toEqual(new Set(classes));
  expect(documented).toHaveLength(classes.length);
});

describe('what is thrown beside an answer', () => {
  const call = { kind: 'writes', account: 'robot@x', spreadsheetId: 's', attempts: 1 } as const;

  test('an error that is no answer concerns the credentials, with its words', () => {
    expect(toSheetsError(new Error('no key'), call)).toMatchObject({
      code: 'credentials-refused',
      message: expect.stringContaining('of robot@x: no key. ') as string,
    });
    expect(toSheetsError('text', call)).toMatchObject({
      code: 'credentials-refused',
      message: expect.stringContaining('of robot@x: no token was given. ') as string,
    });
  });

  test.each(['https://oauth2.googleapis.com/token', 'https://sheets.googleapis.com/v4/spreadsheets/s'])(
    'where google.endpoint does not answer %s, it is named, and not Google',
    (url) => {
      const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
      const config = { url: new URL(url), headers: new Headers() };
      const error = new gaxios.GaxiosError('fetch failed', config, undefined, cause);
      const endpoint = 'http://127.0.0.1:9';
      expect(toSheetsError(error, { ...call, endpoint }).message).toContain(
        'google.endpoint http://127.0.0.1:9 cannot be reached (ECONNREFUSED)',
      );
      expect(toSheetsError(error, call).message).toContain(`${new URL(url).host} cannot be reached (ECONNREFUSED)`);
    },
  );

  test('an error of the catalogue stays as it is', () => {
    const error = new errors.AbortedError({});
    expect(toSheetsError(error, call)).toBe(error);
  });
});
