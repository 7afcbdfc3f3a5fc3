// Draws the configuration of a story, and the habits of its service.
import { createRandom, type Random } from '../../../src/standin/service/random.ts';
import { type AutomationSetting, type FieldName, type FieldSetting, segment, type Setting } from '../world/setting.ts';
import type { Swarm } from './swarm.ts';

export type Chance = (percent: number) => boolean;

export function drawSetting(random: Random, chance: Chance): Setting {
  const text: FieldName[] = ['first_name', 'last_name', 'company_name', 'position', 'headline'];
  const count = random.integer(2, 4);
  const names: FieldName[] = [...text.slice(0, count), 'email', ...(chance(25) ? (['network_id'] as const) : [])];
  const conflicts = ['manual', 'crm', 'sheet', 'newest'] as const;
  const fields = names.map((field): FieldSetting => {
    const isKey = field === 'email' || field === 'network_id';
    const direction = isKey || chance(85) ? 'both' : random.pick(['to_sheet', 'to_crm'] as const);
    return {
      field,
      direction,
      ...(chance(10) && direction === 'both' && { conflict: random.pick(conflicts) }),
      ...(chance(10) && direction === 'both' && { blank: random.pick(['sync', 'ignore'] as const) }),
    };
  });
  const automation: AutomationSetting | undefined = chance(35)
    ? { onClear: random.pick(['ignore', 'cancel'] as const), cap: random.pick([2, 100]), isVetoed: chance(50) }
    : undefined;
  return {
    fields,
    conflict: random.pick(conflicts),
    blank: chance(75) ? 'sync' : 'ignore',
    onRowDeleted: random.pick(['ignore', 'restore', 'cancel_automations', 'delete_contact'] as const),
    onContactDeleted: random.pick(['mark', 'delete_row', 'ignore'] as const),
    limits: chance(80) ? 'wide' : 'default',
    hasStatus: chance(40),
    hasDates: chance(20),
    isShouting: chance(8),
    moveToList: chance(25),
    isListMissing: chance(8),
    settleSecs: chance(60) ? 0 : 10,
    ...(automation && { automation }),
    switches: drawSwitches(random, chance),
  };
}

function drawSwitches(random: Random, chance: Chance): Setting['switches'] {
  return {
    ...(chance(30) && { pageRowsMax: random.pick([2, 3]) }),
    ...(chance(40) && { searchRows: random.pick(['wrapped', 'mixed'] as const) }),
    ...(chance(20) && { searchLagMs: random.pick([2_000, 30_000]) }),
    ...(chance(20) && { deleteDelayMs: 30_000 }),
    ...(chance(20) && { totalDriftMax: 1 }),
    ...(chance(15) && { orderFieldIgnored: true }),
    ...(chance(15) && { tieOrder: 'random' as const }),
    ...(chance(15) && { orderByField: { updated_at: random.pick(['refused', 'ignored', 'server_error'] as const) } }),
    ...(chance(20) && { timestamps: 'plain' as const }),
    ...(chance(20) && { flags: 'boolean' as const }),
    ...(chance(30) && { lookupMiss: random.pick(['null', 'object', 'array', 'blank', 'no_content'] as const) }),
    ...(chance(10) && { updateIgnores: ['company_name'] }),
    ...(chance(15) && { blankValue: random.pick(['stored', 'refused', 'ignored'] as const) }),
    ...(chance(20) && {
      normalises: random.pick([['trim'], ['email_case'], ['trim', 'handle', 'email_case']] as const),
    }),
    ...(chance(10) && { emailStoredAs: 'personal_email' as const }),
    ...(chance(30) && { upsertExisting: random.pick(['refused', 'duplicated'] as const) }),
    ...(chance(15) && { filterByField: { updated_at: random.pick(['refused', 'ignored', 'server_error'] as const) } }),
    ...(chance(15) && { filterByField: { uuid: random.pick(['refused', 'ignored', 'server_error'] as const) } }),
    ...(chance(10) && { upsertCreateStatus: 201 as const }),
    ...(chance(10) && { addNewLeadAnswer: 'lead' as const }),
    ...(chance(10) && { addTwice: random.pick(['conflict', 'refused'] as const) }),
  };
}

/** So many stories of a hundred map a custom field. */
const withSegmentPercent = 20;

/** With chance of its own, so that the rest of the story is the same as without it. The column comes last. */
export function withSegment(setting: Setting, seed: number): Setting {
  const random = createRandom(seed + 5);
  const chance = (percent: number) => random.integer(1, 100) <= percent;
  if (!chance(withSegmentPercent)) return setting;
  return {
    ...setting,
    fields: [...setting.fields, { field: segment, direction: 'to_crm' }],
    switches: {
      ...setting.switches,
      ...(chance(10) && { customFields: 'ignored' as const }),
      ...(chance(10) && { customFieldNames: [], unknownCustomField: random.pick(['refused', 'ignored'] as const) }),
    },
  };
}

/**
 * Every so many stories without a theme: tight limits, by which most are held at some time and go on by approvals; a filter; names
 * as keys; rows above the headers; keys that go one way.
 */
const [tightEvery, filterEvery, namesEvery, titlesEvery, oneWayEvery] = [10, 12, 11, 9, 14];

export function withRareOptions(setting: Setting, seed: number): Setting {
  return {
    ...setting,
    ...(seed % oneWayEvery === 9 && { fields: setting.fields.map((field, index) => oneWay(field, seed + index)) }),
    ...(seed % titlesEvery === 5 && { titleRows: seed % (2 * titlesEvery) < titlesEvery ? 1 : 2 }),
    ...(seed % tightEvery === tightEvery - 1 && { limits: 'tight' }),
    ...(seed % filterEvery === filterEvery - 5 && {
      filter: seed % (2 * filterEvery) < filterEvery ? 'status' : 'position',
    }),
    ...(seed % namesEvery === 3 && { matchesNames: true }),
  };
}

function oneWay(field: FieldSetting, by: number): FieldSetting {
  const isKey = field.field === 'email' || field.field === 'network_id';
  // What an option of its own says of conflicts and blanks holds for both directions alone.
  return isKey ? { field: field.field, direction: (['both', 'to_sheet', 'to_crm'] as const)[by % 3]! } : field;
}

/** Every so many stories, with a theme or without. */
const showsEvery = 13;

export function withShownChanges(setting: Setting, seed: number): Setting {
  return seed % showsEvery === 6 ? { ...setting, showsChanges: true } : setting;
}

/** One service in so many has half of all habits at once; the others have each by its own chance, 10 to 40 %. */
const oddEvery = 4;

/** A service with each habit that the story has. Policies stay as they are. */
export function withOddService(setting: Setting, random: Random, swarm: Swarm): Setting {
  if (random.integer(1, oddEvery) > 1) return setting;
  const all = Object.entries(drawSwitches(random, () => true));
  const switches = Object.fromEntries(all.filter(([name]) => swarm.has('habit', name)));
  return { ...setting, switches };
}
