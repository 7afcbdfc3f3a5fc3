// Asks the service the questions of a plan: whether a contact still exists, and whether a new row already has a contact.
import { AuthenticationError, isRefusal, ServiceError } from '../../crm/errors.ts';
import type { Contact, Identifiers } from '../../crm/port.ts';
import type { Question } from '../../sync/change.ts';
import type { Answers, ContactAnswer } from '../../sync/input.ts';
import type { RunContext } from './context.ts';
import { scanCall } from '../read-calls.ts';
import { editCall } from '../stop.ts';
import { findContact, noteLooked } from './looked-up.ts';
import { isInScope, type Scope } from './pull.ts';

/** The known answers, and one for each question. An answer may be that none is known (W4). */
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
    const found = await context.contacts.get(uuids, scanCall(context));
    const answers = new Map<string, ContactAnswer>();
    for (const uuid of uuids) {
      const contact = found.get(uuid);
      // I8: it was asked for alone where the search did not have it, which does not lag. That of the next run still may.
      if (contact) noteLooked(context, contact);
      answers.set(uuid, contact ? await toAnswer(context, scope, contact) : { kind: 'gone' });
    }
    return answers;
  } catch (error) {
    const why = reasonOf(error);
    return new Map(uuids.map((uuid) => [uuid, { kind: 'unanswered', why }]));
  }
}

/** Looks up by the identifiers of the row. A name with a company finds a contact only if it is a match key. */
export async function lookUp(
  context: RunContext,
  scope: Scope,
  { values }: Pick<Extract<Question, { kind: 'lookup' }>, 'values'>,
): Promise<ContactAnswer> {
  const { name, company_name, ...alone } = context.shape.identifiers(values);
  const isNameKey = context.config.match.some((key) => key.includes('company_name'));
  const isNamed = isNameKey && name !== undefined && company_name !== undefined;
  return find(context, scope, { ...alone, ...(isNamed && { name, company_name }) });
}

/** I7: the contact that has one key, in any list. */
async function lookUpKey(
  context: RunContext,
  scope: Scope,
  { by, value }: Extract<Question, { kind: 'key' }>,
): Promise<ContactAnswer> {
  return find(context, scope, by === 'email' ? { email: value } : { network_id: value });
}

async function find(context: RunContext, scope: Scope, identifiers: Identifiers): Promise<ContactAnswer> {
  if (Object.keys(identifiers).length === 0) return { kind: 'gone' };
  try {
    const contact = await findContact(context, identifiers, scanCall(context));
    return contact ? await toAnswer(context, scope, contact) : { kind: 'gone' };
  } catch (error) {
    return {
      kind: 'unanswered',
      why: reasonOf(error),
      ...(error instanceof ServiceError && isRefusal(error) && { isRefused: true }),
    };
  }
}

/** The answer for a contact. May ask the service for the name of its list. */
export async function toAnswer(
  context: Pick<RunContext, 'crm' | 'shape' | 'listNames' | 'request'>,
  scope: Scope,
  contact: Contact,
): Promise<ContactAnswer> {
  const record = context.shape.toRecord(contact);
  if (isInScope(contact, scope)) return { kind: 'here', contact: record };
  const { listUuid, text } = scope;
  const where = contact.list === listUuid ? `filtered out of ${text}` : await listText(context, contact.list);
  const isFiltered = contact.list === null || !contact.passesFilter;
  return { kind: 'elsewhere', uuid: contact.uuid, where, contact: record, ...(isFiltered && { isFiltered }) };
}

/** For people: `in list Customers`, or the uuid if the name cannot be read. Each list is read once a run. */
async function listText(
  context: Pick<RunContext, 'crm' | 'listNames' | 'request'>,
  uuid: string | null | undefined,
): Promise<string> {
  if (uuid == null) return 'in no list';
  const { listNames } = context;
  const name = listNames.get(uuid) ?? nameOfList(context, uuid);
  listNames.set(uuid, name);
  return `in list ${await name}`;
}

async function nameOfList(context: Pick<RunContext, 'crm' | 'request'>, uuid: string): Promise<string> {
  try {
    return (await context.crm.lists.get(uuid, editCall(context))).name ?? uuid;
  } catch (error) {
    if (error instanceof AuthenticationError || !(error instanceof ServiceError)) throw error;
    return uuid;
  }
}

/** A refused token ends the run. Any other failure leaves the question open. */
function reasonOf(error: unknown): string {
  if (error instanceof ServiceError && !(error instanceof AuthenticationError)) return error.message;
  throw error;
}
