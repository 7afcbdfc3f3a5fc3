// The fields of a contact that a column can be mapped to, with how each is read and written.
// They come from the operations table; the exceptions that no schema can express are listed here.
import type { Direction } from '../../port.ts';
import { contact, contactUpdate, lead } from '../operations/records.ts';
import type { ContactField as AnswerField, ContactUpdate, Lead } from '../operations/records.ts';
import type { FieldKind } from '../operations/shape.ts';

/** A field of a contact by the name the service gives it, in answers or in bodies. */
export type ContactFieldName = AnswerField | keyof Lead;

/** How two values of a field compare, in addition to the rules for all text (V2). */
export type Equality = 'exact' | 'email' | 'handle';

export interface OutreachField {
  readonly name: ContactFieldName;
  /** The kind of its values, and how they compare (V1). Fields that are only written are text. */
  readonly kind: FieldKind;
  readonly equality: Equality;
  /** The fields of an answer that hold it; the first that is not blank counts. None: the service never answers it. */
  readonly readFrom: readonly AnswerField[];
  /** Its name under `lead` in upsert and add-new-lead; undefined: a create cannot set it. */
  readonly createAs?: keyof Lead;
  /** Its name in the body of an update; undefined: an update cannot change it. */
  readonly updateAs?: keyof ContactUpdate;
  /** The directions a column of it may have, the default first; never empty. */
  readonly directions: readonly [Direction, ...Direction[]];
  readonly description?: string;
}

/**
 * The fields with different names in answers and in bodies (M8). All others have one name. They are readable if an
 * answer has it, and writable if a body has it: `name`, which the service computes, is in no body.
 */
const renamed: Readonly<Partial<Record<ContactFieldName, Pick<OutreachField, 'readFrom' | 'createAs' | 'updateAs'>>>> =
  {
    email: { readFrom: ['work_email', 'personal_email'], createAs: 'email', updateAs: 'email' },
    network_id: { readFrom: ['network'], createAs: 'network_id', updateAs: 'network' },
  };

/** Fields in which two spellings can mean one address or one profile (V2). */
const equalities: Readonly<Partial<Record<ContactFieldName, Equality>>> = {
  email: 'email',
  work_email: 'email',
  personal_email: 'email',
  network_id: 'handle',
  network: 'handle',
};

/**
 * Every field of a contact by name: the fields of answers in the order of the contract, then those that are only
 * written.
 */
export const contactFields: ReadonlyMap<string, OutreachField> = new Map(
  [...new Set([...Object.keys(contact.fields), ...Object.keys(lead.shape)] as ContactFieldName[])].map((name) => [
    name,
    describeField(name),
  ]),
);

/** Throws for an unknown field name: the configuration is checked first. */
export function contactField(name: ContactFieldName): OutreachField {
  const field = contactFields.get(name);
  if (field === undefined) throw new Error(`a contact has no field ${name}`);
  return field;
}

function describeField(name: ContactFieldName): OutreachField {
  const places = renamed[name] ?? {
    readFrom: isKeyOf(contact.fields, name) ? [name] : [],
    ...(isKeyOf(lead.shape, name) && { createAs: name }),
    ...(isKeyOf(contactUpdate.shape, name) && { updateAs: name }),
  };
  const [source] = places.readFrom;
  const description = isKeyOf(lead.shape, name) ? lead.shape[name].description : answerDescription(source);
  return {
    name,
    kind: source === undefined ? 'text' : contact.fields[source].kind,
    equality: equalities[name] ?? 'exact',
    ...places,
    directions: directionsOf(
      places.readFrom.length > 0,
      places.createAs !== undefined && places.updateAs !== undefined,
    ),
    ...(description !== undefined && { description }),
  };
}

function answerDescription(name: AnswerField | undefined): string | undefined {
  const description = name && contact.fields[name].wire['description'];
  return typeof description === 'string' ? description : undefined;
}

function directionsOf(isReadable: boolean, isWritable: boolean): readonly [Direction, ...Direction[]] {
  if (!isWritable) return ['to_sheet'];
  return isReadable ? ['both', 'to_sheet', 'to_crm'] : ['to_crm'];
}

function isKeyOf<T extends object>(table: T, name: PropertyKey): name is keyof T {
  return Object.hasOwn(table, name);
}
