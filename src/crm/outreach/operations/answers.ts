// The kinds of answers that operations share: a record, a page, accepted.
import * as z from 'zod';
import { NotThisAnswer } from './define.ts';
import type { AnswerRule } from './define.ts';
import type { Fields, RecordFrom, RecordShape } from './shape.ts';

/** One page of a collection, after reading. */
export interface Page<T> {
  readonly data: readonly T[];
  /** Rows that came but are no records (no uuid). Counts must include them. */
  readonly unreadable: number;
  /** The page size the service reports; a clamped page size shows here, not in an error. */
  readonly limit?: number;
  readonly offset?: number;
  /** All matches. May drift while paging. */
  readonly total?: number;
  /** Only a hint: absent from the contract for contacts, and sometimes wrong. */
  readonly has_more?: boolean;
}

interface RuleOptions {
  readonly success?: readonly number[];
  readonly refusals?: readonly number[];
}

type RecordRuleOptions = RuleOptions & { readonly blank: 'again' | 'unknown' };

/**
 * The largest valid page: 100 contacts, each with a text of 50,000 characters (V6) in which each character is written
 * as \\uXXXX, 6 bytes (30 MB), and 20 kB of other fields.
 */
const pageBytesMax = 32_000_000;
/** The largest valid record: ten such texts, 3 MB, and the lists of jobs, schools and posts that a contact has. */
export const recordBytesMax = 4_000_000;

/** One record, also wrapped or beside another object (`pick` chooses, `schema` documents the whole). */
export function recordAnswer<F extends Fields>(
  shape: RecordShape<F>,
  {
    success = [200],
    // The service answers 422 to an invalid uuid (docs/service.md).
    refusals = [404, 422],
    blank,
    pick = unwrap,
    schema = shape.schema,
  }: RecordRuleOptions & { pick?: (json: unknown) => unknown; schema?: z.ZodType },
): AnswerRule<RecordFrom<RecordShape<F>>> {
  const bytesMax = recordBytesMax;
  return { success, refusals, schema, blank, bytesMax, read: (json) => readRecord(shape, pick(json)) };
}

/** One record or none; 404, 204, null, {}, [] and a blank body have all been answers for none. */
export function maybeAnswer<F extends Fields>(
  shape: RecordShape<F>,
): AnswerRule<RecordFrom<RecordShape<F>> | undefined> {
  return {
    success: [200],
    refusals: [404, 422],
    schema: shape.schema,
    blank: { answer: undefined },
    bytesMax: recordBytesMax,
    refused: ({ status }) => (status === 404 ? { answer: undefined } : undefined),
    read: (json) => (isEmpty(json) ? undefined : readRecord(shape, unwrap(json))),
  };
}

/** A page of records, flat or wrapped, with its figures beside `data` or under `pagination`. */
export function pageAnswer<F extends Fields>(
  shape: RecordShape<F>,
  refusals: readonly number[] = [422],
): AnswerRule<Page<RecordFrom<RecordShape<F>>>> {
  return {
    success: [200],
    refusals,
    schema: z.looseObject({
      data: z.array(shape.schema),
      limit: z.int(),
      offset: z.int(),
      total: z.int(),
      has_more: z.boolean().optional(),
    }),
    blank: 'again',
    bytesMax: pageBytesMax,
    read: (json) => {
      const { rows, ...figures } = openPage(json);
      const data = rows.flatMap((row) => {
        const { success, data: read } = shape.schema.safeParse(unwrap(row));
        return success ? [read] : [];
      });
      return { data, unreadable: rows.length - data.length, ...figures };
    },
  };
}

/** Accepted, with or without a body. */
export function doneAnswer<Answer>(
  answer: Answer,
  { success = [204], refusals = [404, 422] }: RuleOptions = {},
  refused?: AnswerRule<Answer>['refused'],
): AnswerRule<Answer> {
  const bytesMax = recordBytesMax;
  return { success, refusals, blank: { answer }, bytesMax, read: () => answer, ...(refused && { refused }) };
}

/**
 * Whether no row follows a page of `rows` rows that ends at row `end` of the listing. If the page is full (`limit`),
 * the total alone does not decide: totals are sometimes wrong by a few, and one more call shows whether rows follow.
 */
export function isLastPage(
  { total, limit }: Pick<Page<unknown>, 'total' | 'limit'>,
  rows: number,
  end: number,
): boolean {
  return rows === 0 || (end >= (total ?? Infinity) && rows < (limit ?? Infinity));
}

/** The rows and figures of a page. The rows are not read yet. */
export function openPage(json: unknown): Omit<Page<unknown>, 'data' | 'unreadable'> & { rows: readonly unknown[] } {
  if (!isObject(json) || !Array.isArray(json['data'])) throw new NotThisAnswer('a page has a list under "data"');
  const figures = isObject(json['pagination']) ? { ...json, ...json['pagination'] } : json;
  const rows: readonly unknown[] = json['data'];
  return {
    rows,
    ...count('limit', figures['limit']),
    ...count('offset', figures['offset']),
    ...count('total', figures['total']),
    ...(typeof figures['has_more'] === 'boolean' && { has_more: figures['has_more'] }),
  };
}

function count(name: string, value: unknown): Record<string, number> {
  const figure = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof figure === 'number' && Number.isInteger(figure) && figure >= 0 ? { [name]: figure } : {};
}

/** The record itself: alone, or under `lead` or `data` beside markers. */
export function unwrap(json: unknown): unknown {
  if (!isObject(json)) return json;
  for (const wrapper of [json['lead'], json['data']]) {
    if (isObject(wrapper) && typeof wrapper['uuid'] === 'string') return wrapper;
  }
  return json;
}

/** The first object with a uuid: one of several under their names, or the answer itself. */
export function firstWithUuid(json: unknown): unknown {
  if (!isObject(json) || typeof json['uuid'] === 'string') return json;
  return Object.values(json).find((value) => isObject(value) && typeof value['uuid'] === 'string') ?? json;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isEmpty(json: unknown): boolean {
  return json === null || (typeof json === 'object' && Object.keys(json).length === 0);
}

function readRecord<F extends Fields>(shape: RecordShape<F>, json: unknown): RecordFrom<RecordShape<F>> {
  const { success, data } = shape.schema.safeParse(json);
  if (!success) throw new NotThisAnswer(`a ${shape.name} has a uuid`);
  return data;
}
