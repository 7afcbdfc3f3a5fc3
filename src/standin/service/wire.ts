// Turns stored records into answers, changed by the switches.
import type { Fields } from '../../crm/outreach/operations/shape.ts';
import type { Switches } from './switches.ts';

type Shape = { readonly fields: Fields };

/** A record in the form of an answer. Without switches that is the record itself. */
export function toWire(record: object, { fields }: Shape, switches: Switches): object {
  const entries = Object.entries(record).map(([name, value]: [string, unknown]): [string, unknown] => {
    switch (fields[name]?.kind) {
      case 'instant':
        return [
          name,
          typeof value === 'string' && switches.timestamps === 'plain' ? value.replace('.000000Z', 'Z') : value,
        ];
      case 'flag':
        return [name, value !== null && switches.flags === 'boolean' ? Boolean(value) : value];
      default:
        return [name, value];
    }
  });
  return { ...Object.fromEntries(entries), ...(switches.extraFields && undocumented) };
}

export function contactToWire(record: ContactLike, shape: Shape, switches: Switches): object {
  if (isPlain(switches)) return record;
  const { location, unread_counts } = record;
  return {
    ...toWire(record, shape, switches),
    ...(switches.locationAs === 'object' && Array.isArray(location) && { location: location[0] ?? {} }),
    ...(switches.unreadCountsBy === 'category' &&
      Array.isArray(unread_counts) && {
        unread_counts: unread_counts.map(byCategory),
      }),
  };
}

interface ContactLike {
  readonly location?: unknown;
  readonly unread_counts?: unknown;
}

/** The usual case, in which a page of contacts is sent without being copied. */
function isPlain({ timestamps, flags, extraFields, locationAs, unreadCountsBy }: Switches): boolean {
  return (
    timestamps === 'decimals' &&
    flags === 'integer' &&
    !extraFields &&
    locationAs === 'array' &&
    unreadCountsBy === 'sender_profile'
  );
}

/** Undocumented fields of a later version of the service. */
const undocumented = { x_revision: 7, x_scoring: { model: 'beta', score: 0.5 } };

function byCategory(entry: unknown): object {
  const count = typeof entry === 'object' && entry !== null && 'count' in entry ? entry.count : 0;
  return { category: 'messages', count };
}

interface Scheduled {
  readonly schedule: unknown;
}

/** Automations and sender profiles have a schedule, whose spelling varies. */
export function scheduledToWire(record: Scheduled, shape: Shape, switches: Switches): object {
  return { ...toWire(record, shape, switches), schedule: scheduleToWire(record.schedule, switches) };
}

function scheduleToWire(schedule: unknown, { timeblocks, sundayAs }: Switches): unknown {
  if (!isSchedule(schedule)) return schedule;
  return {
    ...schedule,
    timeblocks: schedule.timeblocks.map(({ dow, from, to, ...rest }) => ({
      dow: dow === 0 ? sundayAs : dow,
      ...(timeblocks === 'min_max' ? { min: from, max: to } : { from, to }),
      ...rest,
    })),
  };
}

interface Schedule {
  readonly timeblocks: readonly { readonly dow: number; readonly from: number; readonly to: number }[];
}

function isSchedule(value: unknown): value is Schedule {
  return typeof value === 'object' && value !== null && 'timeblocks' in value && Array.isArray(value.timeblocks);
}

interface MessageLike {
  readonly kind: string;
  readonly automation: unknown;
  readonly uuid: string;
}

/** `connection_note` as `Connection-Note`, and the automation as an object, if the switch says so. */
export function messageToWire(record: MessageLike, shape: Shape, switches: Switches): object {
  const wire = toWire(record, shape, switches);
  if (switches.messageSpelling === 'documented') return wire;
  const kind = record.kind
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('-');
  return { ...wire, kind, automation: { uuid: record.uuid, name: record.automation } };
}
