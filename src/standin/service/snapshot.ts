// Saves the data of the stand-in to a file, and loads it.
import { JSONFile } from 'lowdb/node';
import * as z from 'zod';
import type { Model } from './model.ts';
import type { World } from './world.ts';

/** The file exists and is no snapshot. */
export class SnapshotDamaged extends Error {
  override readonly name = 'SnapshotDamaged';
  readonly code = 'snapshot_damaged';
  readonly file: string;

  constructor(file: string, why: string, options?: ErrorOptions) {
    super(`the snapshot ${file} cannot be read (${why}); correct it, or delete it to start afresh`, options);
    this.file = file;
  }
}

/** Writes come in bursts; one save follows the last of them. */
const saveDelayMs = 300;

/** A JSON file with the data of the model, so that a trial continues after a restart. */
export class Snapshot implements AsyncDisposable {
  readonly #file: JSONFile<unknown>;
  readonly #path: string;
  readonly #model: Model;
  readonly #world: World;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(path: string, model: Model, world: World) {
    this.#path = path;
    this.#file = new JSONFile(path);
    this.#model = model;
    this.#world = world;
  }

  /** Loads the file into the model; false: there is none yet. Throws SnapshotDamaged. */
  async load(): Promise<boolean> {
    const saved = await this.#read();
    if (saved === null) return false;
    const { success, data, error } = snapshotSchema.safeParse(saved);
    if (!success) throw new SnapshotDamaged(this.#path, firstIssue(error));
    restore(this.#model, this.#world, data as unknown as SnapshotData);
    return true;
  }

  /** The model has changed: a save follows shortly. */
  touch(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      // `flush` throws the error of a failed save.
      this.#save().catch(() => {});
    }, saveDelayMs);
  }

  /** Saves unsaved changes. Throws when the file cannot be written. */
  async flush(): Promise<void> {
    if (this.#timer) await this.#save();
    await this.#saving;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.flush();
  }

  #save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#saving = this.#file.write(capture(this.#model, this.#world));
    return this.#saving;
  }

  async #read(): Promise<unknown> {
    try {
      return await this.#file.read();
    } catch (error) {
      throw new SnapshotDamaged(this.#path, error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}

type SnapshotData = ReturnType<typeof capture>;

function capture({ contacts, lists, automations, senderProfiles, inbox, jobs, massActions }: Model, world: World) {
  return {
    version: 1 as const,
    random: world.random.state(),
    lists: [...lists.table.all()],
    contacts: [...contacts.all()],
    automations: [...automations.table.all()],
    segments: [...automations.segmentsByAutomation],
    enrolments: [...automations.enrolments()],
    sender_profiles: [...senderProfiles.table.all()],
    external_ids: [...senderProfiles.externalIdByProfile],
    messages: [...inbox.messages.all()],
    emails: [...inbox.emails.all()],
    email_bodies: [...inbox.bodyByUuid.values()],
    jobs: jobs.pending,
    mass_actions: massActions,
  };
}

function restore(model: Model, world: World, saved: SnapshotData): void {
  const { contacts, lists, automations, senderProfiles, inbox, jobs } = model;
  world.random.restore(saved.random);
  lists.table.replaceAll(saved.lists);
  contacts.replaceAll(saved.contacts);
  automations.table.replaceAll(saved.automations);
  automations.replaceEnrolments(saved.enrolments);
  senderProfiles.table.replaceAll(saved.sender_profiles);
  inbox.messages.replaceAll(saved.messages);
  inbox.emails.replaceAll(saved.emails);
  jobs.replaceAll(saved.jobs);
  model.massActions = saved.mass_actions;
  refill(automations.segmentsByAutomation, saved.segments);
  refill(senderProfiles.externalIdByProfile, saved.external_ids);
  refill(
    inbox.bodyByUuid,
    saved.email_bodies.map((body) => [body.uuid, body]),
  );
}

function refill<K, V>(map: Map<K, V>, entries: readonly (readonly [K, V])[]): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}

// Enough to tell a snapshot from another file, or from half of one; this program wrote the records.
const records = z.array(z.looseObject({ uuid: z.string(), created_at: z.string(), updated_at: z.string() }));
const snapshotSchema = z.object({
  version: z.literal(1),
  random: z.array(z.int()).length(4),
  lists: records,
  contacts: z.array(
    z.object({
      record: z.looseObject({
        uuid: z.string(),
        list_uuid: z.string(),
        created_at: z.string(),
        updated_at: z.string(),
      }),
      customFields: z.record(z.string(), z.string()),
      domain: z.string().nullable(),
    }),
  ),
  automations: records,
  segments: z.array(z.tuple([z.string(), z.array(z.int())])),
  enrolments: z.array(z.looseObject({ uuid: z.string(), flow_uuid: z.string(), lead_uuid: z.string() })),
  sender_profiles: records,
  external_ids: z.array(z.tuple([z.string(), z.string()])),
  messages: records,
  emails: records,
  email_bodies: z.array(z.looseObject({ uuid: z.string() })),
  jobs: z.array(z.looseObject({ uuid: z.string(), kind: z.string(), due_at: z.number() })),
  mass_actions: z.array(z.looseObject({ uuid: z.string() })),
});

function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue ? `${issue.path.join('.') || 'the document'}: ${issue.message}` : 'it is no snapshot';
}
