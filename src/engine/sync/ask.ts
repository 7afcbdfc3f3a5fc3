// Answers to what only the service can say: is this contact still there, and is this new row somebody already?
import { contactsByUuid } from '../../crm/outreach/contacts-by-uuid.ts';
import { AuthenticationError, ServiceError } from '../../crm/errors.ts';
import { matches } from '../../crm/outreach/operations/filter.ts';
import type { Contact } from '../../crm/outreach/operations/records.ts';
import type { Question } from '../../sync/change.ts';
import type { Answers, ContactAnswer } from '../../sync/input.ts';
import type { RunContext } from './context.ts';
import { scanCall } from '../read-calls.ts';
import { editCall } from '../stop.ts';
import type { Scope } from './pull.ts';

/** The answers so far, and those to the questions. Every question gets one, if only that there is none (W4). */
export async function ask(
  context: RunContext,
  scope: Scope,
  questions: readonly Question[],
  known: Answers,
): Promise<Answers> {
  const contacts = new Map(known.contacts);
  const lookups = new Map(known.lookups);
  const uuids = [...new Set(questions.flatMap((question) => (question.kind === 'contact' ? [question.uuid] : [])))];
  for (const [uuid, answer] of await askForContacts(context, scope, uuids)) contacts.set(uuid, answer);
  const keys = new Map(known.keys);
  const asked = new Map(questions.flatMap((each) => (each.kind === 'contact' ? [] : [[each.key, each] as const])));
  let done = 0;
  await Promise.all(
    [...asked.values()].map(async (question) => {
      if (question.kind === 'lookup') lookups.set(question.key, await lookUp(context, scope, question));
      else keys.set(question.key, await lookUpKey(context, scope, question));
      done += 1;
      context.emit({ type: 'progress', sync: context.config.name, step: 'questions', done, total: asked.size });
    }),
  );
  return { contacts, lookups, ...(keys.size > 0 && { keys }) };
}

async function askForContacts(
  context: RunContext,
  scope: Scope,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, ContactAnswer>> {
  if (uuids.length === 0) return new Map();
  try {
    const found = await contactsByUuid(context.client, context.capabilities, uuids, scanCall(context));
    const answers = new Map<string, ContactAnswer>();
    for (const uuid of uuids) {
      const contact = context.tombstones.has(uuid) ? undefined : found.get(uuid);
      answers.set(uuid, contact ? await toAnswer(context, scope, contact) : { kind: 'gone' });
    }
    return answers;
  } catch (error) {
    const why = reasonOf(error);
    return new Map(uuids.map((uuid) => [uuid, { kind: 'unanswered', why }]));
  }
}

/** One identifier a lookup, the strongest first. A name with a company finds somebody only where it is a match key. */
async function lookUp(
  context: RunContext,
  scope: Scope,
  { values }: Extract<Question, { kind: 'lookup' }>,
): Promise<ContactAnswer> {
  const { network_id, email, name, company_name } = context.shape.identifiers(values);
  const isNameKey = context.config.match.some((key) => key.includes('company_name'));
  const tries = [
    ...(network_id === undefined ? [] : [{ network_id }]),
    ...(email === undefined ? [] : [{ email }]),
    ...(isNameKey && name !== undefined && company_name !== undefined ? [{ name, company_name }] : []),
  ];
  try {
    for (const input of tries) {
      const contact = await context.client.contacts.lookupOne(input, scanCall(context));
      if (contact && !context.tombstones.has(contact.uuid)) return await toAnswer(context, scope, contact);
    }
    return { kind: 'gone' };
  } catch (error) {
    return { kind: 'unanswered', why: reasonOf(error) };
  }
}

/** I7: who has one key, in whatever list. */
async function lookUpKey(
  context: RunContext,
  scope: Scope,
  { by, value }: Extract<Question, { kind: 'key' }>,
): Promise<ContactAnswer> {
  const input = by === 'email' ? { email: value } : { network_id: value };
  try {
    const contact = await context.client.contacts.lookupOne(input, scanCall(context));
    return contact && !context.tombstones.has(contact.uuid)
      ? await toAnswer(context, scope, contact)
      : { kind: 'gone' };
  } catch (error) {
    return { kind: 'unanswered', why: reasonOf(error) };
  }
}

/** May ask the service for the name of the contact's list. */
export async function toAnswer(
  context: Pick<RunContext, 'client' | 'shape' | 'listNames' | 'request'>,
  { filter, listUuid, text }: Scope,
  contact: Contact,
): Promise<ContactAnswer> {
  const record = context.shape.fromContact(contact);
  if (matches(contact, filter) !== false) return { kind: 'here', contact: record };
  const where = contact.list_uuid === listUuid ? `filtered out of ${text}` : await listText(context, contact.list_uuid);
  const isFiltered = matches(contact, { ...filter, list_uuid: contact.list_uuid ?? listUuid }) === false;
  return { kind: 'elsewhere', uuid: contact.uuid, where, contact: record, ...(isFiltered && { isFiltered }) };
}

/** For people: `in list Customers`, or its uuid where the name cannot be read. Each list is asked for once a run. */
async function listText(
  context: Pick<RunContext, 'client' | 'listNames' | 'request'>,
  uuid: string | null | undefined,
): Promise<string> {
  if (uuid == null) return 'in no list';
  const { listNames } = context;
  const name = listNames.get(uuid) ?? nameOfList(context, uuid);
  listNames.set(uuid, name);
  return `in list ${await name}`;
}

async function nameOfList(context: Pick<RunContext, 'client' | 'request'>, uuid: string): Promise<string> {
  try {
    return (await context.client.lists.get({ uuid }, editCall(context))).name ?? uuid;
  } catch (error) {
    if (error instanceof AuthenticationError || !(error instanceof ServiceError)) throw error;
    return uuid;
  }
}

/** A token that is refused stops the run; what else went wrong leaves a question open. */
function reasonOf(error: unknown): string {
  if (error instanceof ServiceError && !(error instanceof AuthenticationError)) return error.message;
  throw error;
}
