// Answers to what only the service can say: is this contact still there, and is this new row somebody already?
import { contactsByUuid } from '../crm/contacts-by-uuid.ts';
import { AuthenticationError, ServiceError } from '../crm/errors.ts';
import { matches } from '../crm/operations/filter.ts';
import type { Contact } from '../crm/operations/records.ts';
import type { Question } from '../sync/change.ts';
import type { Answers, ContactAnswer } from '../sync/input.ts';
import { type RunContext, scanCall } from './context.ts';
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
  const ofRows = questions.filter((question) => question.kind === 'lookup');
  let done = 0;
  await Promise.all(
    ofRows.map(async (question) => {
      lookups.set(question.key, await lookUp(context, scope, question));
      done += 1;
      context.emit({ type: 'progress', sync: context.config.name, step: 'questions', done, total: ofRows.length });
    }),
  );
  return { contacts, lookups };
}

async function askForContacts(
  context: RunContext,
  scope: Scope,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, ContactAnswer>> {
  if (uuids.length === 0) return new Map();
  try {
    const found = await contactsByUuid(context.client, context.capabilities, uuids, scanCall(context));
    return new Map(
      uuids.map((uuid) => {
        const contact = context.tombstones.has(uuid) ? undefined : found.get(uuid);
        return [uuid, contact ? toAnswer(context, scope, contact) : { kind: 'gone' }];
      }),
    );
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
      if (contact && !context.tombstones.has(contact.uuid)) return toAnswer(context, scope, contact);
    }
    return { kind: 'gone' };
  } catch (error) {
    return { kind: 'unanswered', why: reasonOf(error) };
  }
}

export function toAnswer({ shape }: RunContext, { filter, listUuid, text }: Scope, contact: Contact): ContactAnswer {
  if (matches(contact, filter) !== false) return { kind: 'here', contact: shape.fromContact(contact) };
  const where =
    contact.list_uuid === listUuid ? `filtered out of ${text}` : `in list ${contact.list_uuid ?? 'unknown'}`;
  return { kind: 'elsewhere', uuid: contact.uuid, where };
}

/** A token that is refused stops the run; what else went wrong leaves a question open. */
function reasonOf(error: unknown): string {
  if (error instanceof ServiceError && !(error instanceof AuthenticationError)) return error.message;
  throw error;
}
