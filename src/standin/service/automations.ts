/*
 * The automations of the stand-in. An automation is draft, on, off or archived. Start turns draft and off on; stop
 * turns on off. Either is harmless if it changes nothing, and both are refused once archived.
 */
import { automation } from '../../crm/outreach/operations/records.ts';
import type { Jobs } from './jobs.ts';
import { invalid, Refusal, unprocessable } from './refusal.ts';
import { recordOf } from './stored.ts';
import type { AutomationRecord } from './stored.ts';
import { RecordTable } from './table.ts';
import { instantText } from './world.ts';
import type { World } from './world.ts';

/** A contact placed in an automation; the pair has one record for good. */
export interface Enrolment {
  readonly uuid: string;
  readonly flow_uuid: string;
  readonly lead_uuid: string;
  readonly flow_segment_id: number;
  readonly state: 'active' | 'cancelled';
  readonly cancel_reason: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The segment that every version of an automation has. */
export const firstSegment = 1;
const cancelledByUser = 'Automation cancelled manually';

export class Automations {
  readonly #world: World;
  readonly #jobs: Jobs;
  readonly table: RecordTable<AutomationRecord>;
  /** Contact sources of an automation beyond the first. */
  readonly segmentsByAutomation = new Map<string, readonly number[]>();
  readonly #enrolmentByPair = new Map<string, Enrolment>();

  constructor(world: World, jobs: Jobs) {
    this.#world = world;
    this.table = new RecordTable(world, 'The automation');
    this.#jobs = jobs;
  }

  add(given: Partial<AutomationRecord> & Pick<AutomationRecord, 'name' | 'status'>): AutomationRecord {
    const { random, teamId, userId, now } = this.#world;
    const at = instantText(now());
    return this.table.put(
      recordOf<AutomationRecord>(automation, {
        uuid: random.uuid(),
        team_id: teamId,
        user_id: userId,
        flow_version_uuid: random.uuid(),
        schedule: officeHours,
        priority: 1,
        is_public: false,
        created_at: at,
        updated_at: at,
        ...given,
      }),
    );
  }

  start(uuid: string): AutomationRecord {
    const { status } = this.table.get(uuid);
    if (status === 'archived') throw unprocessable('You cannot turn on an archived automation.');
    return status === 'on' ? this.table.get(uuid) : this.table.change(uuid, { status: 'on' }, this.#world.now());
  }

  stop(uuid: string): AutomationRecord {
    const { status } = this.table.get(uuid);
    if (status === 'archived') throw unprocessable('You cannot turn off an archived automation.');
    return status === 'on' ? this.table.change(uuid, { status: 'off' }, this.#world.now()) : this.table.get(uuid);
  }

  /** Throws the refusal that `enrol` would throw, before anything else is written. */
  assertEnrollable(uuid: string, segment: number, segmentField: string): void {
    const { status } = this.table.get(uuid);
    if (status === 'archived') throw unprocessable('The automation is archived.');
    if (status !== 'on' && this.#world.switches.addToStopped === 'refused') {
      throw unprocessable('The automation is not on.');
    }
    const known = segment === firstSegment || this.segmentsByAutomation.get(uuid)?.includes(segment);
    if (!known) throw invalid({ [segmentField]: ['The automation has no such contact source.'] });
  }

  /** Places a contact in an automation; one that is active there stays unchanged. */
  enrol(flow: string, lead: string, segment: number): void {
    const at = instantText(this.#world.now());
    const known = this.enrolment(flow, lead);
    if (known?.state === 'active') return;
    this.#put({
      uuid: known?.uuid ?? this.#world.random.uuid(),
      flow_uuid: flow,
      lead_uuid: lead,
      flow_segment_id: segment,
      state: 'active',
      cancel_reason: null,
      created_at: known?.created_at ?? at,
      updated_at: at,
    });
  }

  /** The refusal of a second enrolment, if the switches say so. */
  assertNotEnrolled(flow: string, lead: string): void {
    if (this.enrolment(flow, lead)?.state !== 'active') return;
    const message = 'The contact is already in the automation.';
    switch (this.#world.switches.addTwice) {
      case 'accepted':
        return;
      case 'conflict':
        throw new Refusal({ status: 409, reason: 'conflict', message });
      case 'refused':
        throw unprocessable(message);
    }
  }

  /** Dispatches one cancellation job for each named automation, whether the contact is active there or not. */
  requestCancel(lead: string, flows: readonly string[]): void {
    const unknown = flows.flatMap((uuid, index) => (this.table.has(uuid) ? [] : [index]));
    if (unknown.length > 0) {
      throw invalid(
        Object.fromEntries(unknown.map((index) => [`flow_uuids.${index}`, ['The automation was not found.']])),
      );
    }
    for (const flow_uuid of new Set(flows)) {
      this.#jobs.dispatch(
        { kind: 'cancel_enrolment', lead_uuid: lead, flow_uuid, reason: cancelledByUser },
        this.#world.switches.cancelDelayMs,
      );
    }
  }

  activeFlows(lead: string): string[] {
    return this.enrolments()
      .filter(({ lead_uuid, state }) => lead_uuid === lead && state === 'active')
      .map(({ flow_uuid }) => flow_uuid)
      .toArray();
  }

  cancel(flow: string, lead: string, reason: string, at: number): void {
    const known = this.enrolment(flow, lead);
    if (known?.state !== 'active') return;
    this.#put({ ...known, state: 'cancelled', cancel_reason: reason, updated_at: instantText(at) });
  }

  enrolment(flow: string, lead: string): Enrolment | undefined {
    return this.#enrolmentByPair.get(pair(flow, lead));
  }

  enrolments(): MapIterator<Enrolment> {
    return this.#enrolmentByPair.values();
  }

  replaceEnrolments(enrolments: Iterable<Enrolment>): void {
    this.#enrolmentByPair.clear();
    for (const enrolment of enrolments) this.#put(enrolment);
  }

  #put(enrolment: Enrolment): void {
    this.#enrolmentByPair.set(pair(enrolment.flow_uuid, enrolment.lead_uuid), enrolment);
  }
}

const pair = (flow: string, lead: string) => `${flow} ${lead}`;

/** Monday to Friday, 9 to 18 o'clock, in minutes from midnight. */
export const officeHours = {
  timezone: 'Europe/Berlin',
  use_lead_timezone: false,
  timeblocks: [1, 2, 3, 4, 5].map((dow) => ({ dow, from: 540, to: 1080 })),
};
