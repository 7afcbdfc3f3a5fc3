// The history in PostgreSQL: appended under a lease, read page by page in the order of the recorded instants.
import delay from 'delay';
import type { Database, Row } from '../../postgres/pool.ts';
import type { HistoryFilter, HistoryLine, HistoryPage, HistoryPageQuery, HistoryQuery, Notice } from '../port.ts';
import { tablesIn } from './schema.ts';
import { parseValue, storedKey } from './text.ts';
import type { Write } from './writer.ts';

/** How often `follow` looks for new lines. */
const followMs = 1_000;

/** Lines that are read at once: a page of some hundred kilobytes. */
const pageLines = 1_000;

/** Lines stand in the order given. `now`: for a line whose instant cannot be read. */
export function writeOfHistory(lines: readonly HistoryLine[], now: number): Write {
  const textOf = (value: unknown) => (typeof value === 'string' ? storedKey(value) : null);
  const instantOf = (time: string) => {
    const at = Date.parse(time);
    return Number.isNaN(at) ? now : at;
  };
  return {
    rest: (t) => `, added AS (
      INSERT INTO ${t.history} (at, job, run, contact, field, outcome, line)
      SELECT n.at, held.id, n.run, n.contact, n.field, n.outcome, n.line
      FROM held, unnest($5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
        WITH ORDINALITY AS n(at, run, contact, field, outcome, line, place)
      ORDER BY n.place
    )`,
    values: [
      lines.map(({ time }) => instantOf(time)),
      lines.map(({ run }) => textOf(run)),
      lines.map(({ contact }) => textOf(contact)),
      lines.map((line) => textOf(line['field'])),
      lines.map((line) => textOf(line['outcome'])),
      lines.map((line) => JSON.stringify(line)),
    ],
  };
}

/** What the order of lines depends on: the instant, then the name of the job as stored, then the order of writing. */
interface Place {
  readonly at: number;
  readonly name: string;
  readonly id: number;
}

interface Found extends Place {
  readonly job: string;
  readonly line: HistoryLine | undefined;
}

interface Conditions {
  readonly texts: string[];
  readonly values: unknown[];
}

/** `$1` and so on for the values that are added. */
function add({ texts, values }: Conditions, condition: (...places: string[]) => string, ...given: readonly unknown[]) {
  const places = given.map((value) => {
    values.push(value);
    return `$${values.length}`;
  });
  texts.push(condition(...places));
}

function conditionsOf(jobs: string, { sync, run, contact, field, outcome, since, until }: HistoryFilter): Conditions {
  const conditions: Conditions = { texts: [], values: [] };
  // A number is compared once, so that the planner knows it is one job.
  if (typeof sync === 'string')
    add(conditions, (name) => `h.job = (SELECT id FROM ${jobs} WHERE name = ${name})`, storedKey(sync));
  else if (sync !== undefined)
    add(
      conditions,
      (list) => `h.job = ANY(ARRAY(SELECT id FROM ${jobs} WHERE name = ANY(${list}::text[])))`,
      sync.map(storedKey),
    );
  for (const [column, wanted] of Object.entries({ run, contact, field, outcome })) {
    if (wanted === undefined) continue;
    const texts = (typeof wanted === 'string' ? [wanted] : wanted).map(storedKey);
    // With one text the index gives the lines in order, and the planner knows it.
    if (texts.length === 1) add(conditions, (text) => `h.${column} = ${text}::text`, texts[0]);
    else add(conditions, (list) => `h.${column} = ANY(${list}::text[])`, texts);
  }
  if (since !== undefined) add(conditions, (at) => `h.at >= ${at}::bigint`, instantNear(Math.ceil(since)));
  if (until !== undefined) add(conditions, (at) => `h.at <= ${at}::bigint`, instantNear(Math.floor(until)));
  return conditions;
}

/** Within the range of dates, which ±Infinity is not. */
function instantNear(at: number): number {
  return Math.min(Math.max(at, -maxInstant), maxInstant);
}

/** ECMA-262, "Time Values and Time Range". */
const maxInstant = 8.64e15;

interface PageOptions {
  readonly limit: number;
  readonly newestFirst?: boolean;
  readonly after?: Place | undefined;
}

async function readPage(
  database: Database,
  { texts, values }: Conditions,
  { limit, newestFirst = false, after }: PageOptions,
): Promise<readonly Found[]> {
  const t = tablesIn(database.schema);
  const conditions: Conditions = { texts: [...texts], values: [...values] };
  const [beyond, order] = newestFirst ? ['<', 'DESC'] : ['>', 'ASC'];
  if (after) {
    // The first condition is for the index.
    add(conditions, (at) => `h.at ${beyond}= ${at}::bigint`, after.at);
    const place = [after.at, after.name, after.id];
    add(
      conditions,
      (at, name, id) => `(h.at, j.name, h.id) ${beyond} (${at}::bigint, ${name}::text, ${id}::bigint)`,
      ...place,
    );
  }
  const where = conditions.texts.length === 0 ? '' : `WHERE ${conditions.texts.join(' AND ')}`;
  const rows = await database.queryRepeatable(
    `SELECT h.at, h.id, h.job, h.line, j.name FROM ${t.history} h JOIN ${t.jobs} j ON j.id = h.job ${where}
     ORDER BY h.at ${order}, j.name ${order}, h.id ${order} LIMIT ${limit}`,
    conditions.values,
  );
  return rows.map(foundIn);
}

function foundIn({ at, id, job, name, line }: Row): Found {
  const value = parseValue(String(line));
  const isLine = typeof value === 'object' && value !== null && 'time' in value && typeof value.time === 'string';
  return {
    at: Number(at),
    id: Number(id),
    name: String(name),
    job: String(job),
    line: isLine ? (value as HistoryLine) : undefined,
  };
}

/** Like Store.historyPage. */
export async function readHistoryPage(
  database: Database,
  query: HistoryPageQuery,
  warn: (notice: Notice) => void,
): Promise<HistoryPage> {
  const conditions = conditionsOf(tablesIn(database.schema).jobs, query);
  const { limit, newestFirst = false } = query;
  const found: Found[] = [];
  let after = query.after === undefined ? undefined : readCursor(query.after);
  // A line that cannot be read leaves a gap, which the next ones fill.
  for (;;) {
    const wanted = limit + 1 - found.length;
    const rows = await readPage(database, conditions, { limit: wanted, newestFirst, after });
    found.push(...rows.filter((each) => isReadable(each, database, warn)));
    if (rows.length < wanted || found.length > limit) break;
    after = rows.at(-1);
  }
  const lines = found.slice(0, limit).flatMap(({ line }) => line ?? []);
  const last = found.length > limit ? found[limit - 1] : undefined;
  const [first] = found;
  return { lines, ...(first && { first: cursorOf(first) }), ...(last && { next: cursorOf(last) }) };
}

function isReadable({ line, id, at }: Found, { place }: Database, warn: (notice: Notice) => void): boolean {
  if (line) return true;
  const message = `line ${id} of the history, of ${new Date(at).toISOString()}, was changed by hand and is left out`;
  warn({ kind: 'torn', file: place, message: `${place}: ${message}` });
  return false;
}

function cursorOf({ at, id, name }: Place): string {
  return [at, id, name].join(' ');
}

function readCursor(text: string): Place | undefined {
  const [, at, id, name] = /^(-?\d{1,16}) (\d{1,16}) (.*)$/s.exec(text) ?? [];
  // No text of another driver is refused by the database.
  return name === undefined || name.includes('\0') ? undefined : { at: Number(at), id: Number(id), name };
}

/**
 * Like Store.history. Each pass has the lines that were written before it began: those of one job are written one after the
 * other, so that the greatest number of each job says how far a pass went.
 */
export async function* readHistory(
  database: Database,
  areThere: () => Promise<boolean>,
  query: HistoryQuery,
  warn: (notice: Notice) => void,
): AsyncGenerator<HistoryLine> {
  const { follow = false, signal } = query;
  const t = tablesIn(database.schema);
  const isOver = () => signal?.aborted === true;
  let seen = new Map<string, number>();
  while (!isOver()) {
    if (await areThere()) {
      const rows = await database.queryRepeatable(
        `SELECT j.id, (SELECT max(h.id) FROM ${t.history} h WHERE h.job = j.id) AS last FROM ${t.jobs} j`,
      );
      const last = new Map(
        rows.flatMap(({ id, last: max }) => (max === null ? [] : [[String(id), Number(max)] as const])),
      );
      const grown = [...last].filter(([job, id]) => id > (seen.get(job) ?? 0));
      if (grown.length > 0) {
        const conditions = conditionsOf(t.jobs, query);
        const bounds = [grown.map(([job]) => job), grown.map(([job]) => seen.get(job) ?? 0), grown.map(([, id]) => id)];
        add(
          conditions,
          (jobs, from, to) =>
            `EXISTS (SELECT 1 FROM unnest(${jobs}::bigint[], ${from}::bigint[], ${to}::bigint[]) AS n(job, low, high)
               WHERE n.job = h.job AND h.id > n.low AND h.id <= n.high)`,
          ...bounds,
        );
        if (seen.size > 0) {
          const least = Math.min(...grown.map(([job]) => seen.get(job) ?? 0));
          add(conditions, (jobs, id) => `h.job = ANY(${jobs}::bigint[]) AND h.id > ${id}::bigint`, bounds[0], least);
        }
        for (let after: Place | undefined, isLast = false; !isLast;) {
          const page = await readPage(database, conditions, { limit: pageLines, after });
          for (const each of page) {
            if (isOver()) return;
            if (isReadable(each, database, warn) && each.line) yield each.line;
          }
          after = page.at(-1);
          isLast = page.length < pageLines;
        }
      }
      seen = last;
    }
    if (!follow) return;
    try {
      await delay(followMs, signal ? { signal } : {});
    } catch {
      return;
    }
  }
}
