import { type NewSpreadsheet, type SpreadsheetFile } from '../../../../src/standin/sheets/model.ts';
import {
  type SheetsStandin,
  type SheetsStandinOptions,
  createSheetsStandin,
} from '../../../../src/standin/sheets/standin.ts';

/** A small seeded generator (mulberry32): the same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const writerEmail = 'sync@project.example.com';

export interface Answer {
  readonly status: number;
  // Each test knows the shape of its answers.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** A stand-in with one spreadsheet, a hand-moved clock, and a client that writes to it. */
export interface Trial {
  readonly standin: SheetsStandin;
  readonly file: SpreadsheetFile;
  readonly clock: { now: number };
  /** A request below `/v4/spreadsheets/{id}`. */
  readonly call: (method: string, path: string, body?: unknown, token?: string) => Promise<Answer>;
  readonly get: (path: string) => Promise<Answer>;
  readonly post: (path: string, body?: unknown) => Promise<Answer>;
  readonly batch: (...requests: readonly unknown[]) => Promise<Answer>;
  /** The values of a range, read through the API. */
  readonly values: (range: string, option?: string) => Promise<unknown>;
}

export function createTrial(spreadsheet: NewSpreadsheet = {}, options: Partial<SheetsStandinOptions> = {}): Trial {
  const clock = { now: Date.UTC(2026, 5, 1, 12) };
  const standin = createSheetsStandin({ now: () => clock.now, random: seededRandom(7), quotas: 'none', ...options });
  const file = standin.model.create({ writers: [writerEmail], ...spreadsheet });
  const ownToken = standin.tokens.issue(writerEmail);
  const call = async (method: string, path: string, body?: unknown, token = ownToken): Promise<Answer> => {
    const response = await standin.fetch(`https://sheets.googleapis.com/v4/spreadsheets/${file.id}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const get = (path: string): Promise<Answer> => call('GET', path);
  const post = (path: string, body?: unknown): Promise<Answer> => call('POST', path, body);
  return {
    standin,
    file,
    clock,
    call,
    get,
    post,
    batch: (...requests) => post(':batchUpdate', { requests }),
    values: async (range, option = 'UNFORMATTED_VALUE') => {
      const { body } = await get(`/values/${encodeURIComponent(range)}?valueRenderOption=${option}`);
      return body.values;
    },
  };
}

/** The message of an error answer, after its status. */
export function problem({ status, body }: Answer): string {
  return `${status} ${body?.error?.status}: ${body?.error?.message}`;
}
