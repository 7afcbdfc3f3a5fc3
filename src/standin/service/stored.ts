/*
 * The records of the stand-in: every field of the operations table is present, null if blank, in the form of an answer
 * without switches. They are never changed in place; a write makes a new record.
 */
import type { Field, Fields, RecordShape } from '../../crm/outreach/operations/shape.ts';
import type {
  automation,
  contact,
  email,
  list,
  networkMessage,
  senderProfile,
} from '../../crm/outreach/operations/records.ts';

type Value<F> = F extends Field<infer T> ? ([T] extends [boolean] ? boolean | 0 | 1 : T) : never;
type Stored<F extends Fields, Promised extends keyof F> = {
  readonly [Name in keyof F]: Value<F[Name]> | (Name extends Promised ? never : null);
};
type FieldsOf<Shape> = Shape extends RecordShape<infer F> ? F : never;

type Base = 'uuid' | 'team_id' | 'user_id' | 'created_at' | 'updated_at';
export type ContactRecord = Stored<
  FieldsOf<typeof contact>,
  Base | 'list_uuid' | 'pipeline_stage_uuid' | 'status' | 'network_status'
>;
export type ListRecord = Stored<FieldsOf<typeof list>, Base | 'name'>;
export type AutomationRecord = Stored<
  FieldsOf<typeof automation>,
  Base | 'name' | 'flow_version_uuid' | 'schedule' | 'priority' | 'status' | 'is_public'
>;
export type SenderProfileRecord = Stored<FieldsOf<typeof senderProfile>, Base | 'first_name' | 'last_name' | 'status'>;
export type NetworkMessageRecord = Stored<
  FieldsOf<typeof networkMessage>,
  Base | 'sender_profile_uuid' | 'lead_uuid' | 'type' | 'kind' | 'status'
>;
export type EmailRecord = Stored<FieldsOf<typeof email>, Base | 'lead_uuid' | 'type' | 'status'>;

/** A record with `given` set and every other field null. */
export function recordOf<R extends object>(shape: { readonly fields: Fields }, given: Partial<R>): R {
  const blank = Object.fromEntries(Object.keys(shape.fields).map((name) => [name, null]));
  // Callers give the required fields; the type of each `create` function below the model ensures it.
  return { ...blank, ...given } as R;
}
