/*
 * Turns a request into the input of its operation: path, query and body, each checked by its schema in the operations
 * table, joined into one flat object.
 */
import * as z from 'zod';
import { isObject } from '../../crm/outreach/operations/answers.ts';
import type { NamedOperation } from '../../crm/outreach/operations/table.ts';
import { decodeQuery } from '../../crm/outreach/operations/query.ts';
import { contactFieldNames, contactUpdate } from '../../crm/outreach/operations/records.ts';
import { paging } from '../../crm/outreach/operations/paging.ts';
import { badRequest, invalid, issuesToFieldTexts, notFound, Refusal, serverError } from './refusal.ts';
import { failFilter } from './search.ts';
import type { Switches } from './switches.ts';

export interface RawRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly contentType: string | undefined;
  readonly bodyText: string;
}

export function decodeInput({ name, operation }: NamedOperation, raw: RawRequest, switches: Switches): object {
  for (const [parameter, value] of Object.entries(raw.params)) checkUuid(parameter, value, switches);
  return {
    ...raw.params,
    ...(operation.query && decodeCollectionQuery(raw.query, operation.query, switches)),
    ...(operation.body && check(operation.body, decodeBody(name, raw, switches))),
  };
}

const uuid = z.guid();

function checkUuid(parameter: string, value: string, { malformedUuid }: Switches): void {
  if (uuid.safeParse(value).success) return;
  switch (malformedUuid) {
    case 'refused':
      throw invalid({ [parameter]: ['This is no uuid.'] });
    case 'not_found':
      throw notFound('The record');
    case 'server_error':
      throw serverError();
  }
}

function check(schema: z.ZodType, value: unknown): object {
  const { success, data, error } = schema.safeParse(value);
  if (!success) throw invalid(issuesToFieldTexts(error.issues));
  return data as object;
}

interface CollectionQuery {
  readonly pagingSchema: z.ZodObject;
  readonly filterSchema: z.ZodObject;
}

/** By the query of an operation. zod compiles a new schema at its first use, so none is made at a request. */
const collectionQueries = new WeakMap<z.ZodObject, CollectionQuery>();

function collectionQueryOf(query: z.ZodObject): CollectionQuery {
  const known = collectionQueries.get(query);
  if (known) return known;
  const { filter, ...flat } = query.shape;
  const made = {
    pagingSchema: z.strictObject(Object.fromEntries(Object.entries(flat).filter(([name]) => name in paging))),
    filterSchema: z.strictObject({
      ...Object.fromEntries(Object.entries(flat).filter(([name]) => !(name in paging))),
      ...(filter instanceof z.ZodOptional && filter.unwrap() instanceof z.ZodObject
        ? (filter.unwrap() as z.ZodObject).shape
        : {}),
    }),
  };
  collectionQueries.set(query, made);
  return made;
}

/**
 * Filters arrive as `status=on`, `filter[status]=on` or `filter={"status":"on"}`; the handler gets all under `filter`.
 */
function decodeCollectionQuery(params: URLSearchParams, query: z.ZodObject, { flatFilters }: Switches): object {
  const { pagingSchema, filterSchema } = collectionQueryOf(query);
  const { filter: nested, ...plain } = decodeQuery(params, query);
  if (nested !== undefined && !isObject(nested)) throw invalid({ filter: ['This is no object.'] });
  const named = Object.entries(plain);
  const isFilter = ([name]: readonly [string, unknown]) => Object.hasOwn(filterSchema.shape, name);
  const flatPart = flatFilters === 'ignored' ? [] : named.filter(isFilter);
  return {
    ...check(pagingSchema, Object.fromEntries(named.filter((entry) => !isFilter(entry)))),
    filter: check(filterSchema, { ...Object.fromEntries(flatPart), ...nested }),
  };
}

function decodeBody(name: string, { bodyText, contentType }: RawRequest, switches: Switches): unknown {
  if (bodyText.trim() === '') return {};
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? '')) throw wrongContentType(switches);
  const body = parseJson(bodyText);
  if (!isObject(body)) throw invalid({ body: ['The body must be a JSON object.'] });
  return bodyForms[name]?.(body, switches) ?? body;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The body is no valid JSON.');
  }
}

function wrongContentType({ wrongContentType: status }: Switches): Refusal {
  const message = 'The body must be sent as application/json.';
  return status === 422
    ? invalid({ body: [message] })
    : new Refusal({ status, reason: 'unsupported_media_type', message });
}

type Body = Readonly<Record<string, unknown>>;

const filterNames: ReadonlySet<string> = new Set([...contactFieldNames, 'q']);
const externalProfileId = 'external_browser_profile_id';

/** Inputs of the service that the table does not let a client send, or that have another name. */
const bodyForms: Readonly<Record<string, (body: Body, switches: Switches) => Body>> = {
  // Unknown fields are accepted and not stored; null equals "".
  'contacts.update': (body, { updateIgnores }) =>
    Object.fromEntries(
      Object.entries(body)
        .filter(([name]) => Object.hasOwn(contactUpdate.shape, name) && !updateIgnores.includes(name))
        .map(([name, value]) => [name, value ?? '']),
    ),
  'contacts.search': (body, { unknownFilter }) => {
    if (!isObject(body['filter'])) return body;
    const known = Object.entries(body['filter']).filter(([name]) => {
      if (filterNames.has(name)) return true;
      failFilter(unknownFilter, `filter.${name}`);
      return false;
    });
    return { ...body, filter: Object.fromEntries(known) };
  },
  'sender-profiles.connect-external': (body, { externalProfileIdField }) => {
    const { [externalProfileIdField]: id, [externalProfileId]: _, ...rest } = body;
    return id === undefined ? rest : { ...rest, [externalProfileId]: id };
  },
};
