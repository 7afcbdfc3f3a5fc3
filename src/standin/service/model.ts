// The data of the stand-in, put together.
import { Automations } from './automations.ts';
import { Contacts } from './contacts.ts';
import { Inbox } from './inbox.ts';
import { Jobs } from './jobs.ts';
import type { Job } from './jobs.ts';
import { Lists } from './lists.ts';
import { ContactSearch } from './search.ts';
import { SenderProfiles } from './sender-profiles.ts';
import { instantText } from './world.ts';
import type { World } from './world.ts';

/** The record of a deletion: the mass action item and its delete payload. */
export interface MassAction {
  readonly uuid: string;
  readonly kind: 'delete';
  readonly lead_uuid: string;
  readonly payload: { readonly manually_deleted_by_user: true };
  readonly created_at: string;
}

/** All data of the service. Tests read it, and add data that no operation can create. */
export class Model {
  readonly #world: World;
  readonly jobs: Jobs;
  readonly contacts: Contacts;
  readonly search: ContactSearch;
  readonly lists: Lists;
  readonly automations: Automations;
  readonly senderProfiles: SenderProfiles;
  readonly inbox: Inbox;
  massActions: MassAction[] = [];

  constructor(world: World) {
    this.#world = world;
    this.jobs = new Jobs(world);
    this.contacts = new Contacts(world);
    this.search = new ContactSearch(this.contacts.index, world.switches, world.random);
    this.lists = new Lists(world);
    this.automations = new Automations(world, this.jobs);
    this.senderProfiles = new SenderProfiles(world);
    this.inbox = new Inbox(world);
  }

  /** Does all jobs due by now; `at` may be ahead of the clock, to see the end of all jobs. True: a job was done. */
  settle(at = this.#world.now()): boolean {
    const done = this.jobs.run(at, (job) => this.#perform(job));
    this.contacts.index.settle(at);
    return done > 0;
  }

  #perform(job: Job): void {
    switch (job.kind) {
      case 'delete_contact':
        return this.#deleteContact(job.lead_uuid, job.due_at);
      case 'enrich_contact':
        return this.#enrichContact(job.lead_uuid, job.due_at);
      case 'cancel_enrolment':
        return this.automations.cancel(job.flow_uuid, job.lead_uuid, job.reason, job.due_at);
      case 'deliver_message':
        return this.inbox.deliverMessage(job.message_uuid, job.due_at);
      case 'deliver_email':
        return this.inbox.deliverEmail(job.email_uuid, job.due_at);
    }
  }

  #deleteContact(uuid: string, at: number): void {
    if (!this.contacts.find(uuid)) return;
    for (const flow of this.automations.activeFlows(uuid)) this.automations.cancel(flow, uuid, 'Contact deleted', at);
    this.contacts.remove(uuid, at);
    this.massActions.push({
      uuid: this.#world.random.uuid(),
      kind: 'delete',
      lead_uuid: uuid,
      payload: { manually_deleted_by_user: true },
      created_at: instantText(at),
    });
  }

  #enrichContact(uuid: string, at: number): void {
    const record = this.contacts.find(uuid)?.record;
    if (!record) return;
    const position = record.position ?? 'Account Executive';
    const fields = {
      position: `Senior ${position}`,
      headline: `Senior ${position} at ${record.company_name ?? 'a company'}`,
    };
    this.contacts.change(uuid, { fields }, at);
  }
}
