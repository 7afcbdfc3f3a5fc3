// Turns a seed into a story.
import { createRandom, type Random } from '../../../src/standin/service/random.ts';
import type { AutomationSetting, FieldName, FieldSetting, Setting } from '../world/setting.ts';
import { type Act, type Chaos, crmActs, type Fault, type Scenario, sheetActs, type Step } from './scenario.ts';
import { driveStep } from './themes/hints.ts';
import { themes } from './themes/themes.ts';
import { createDraw } from './themes/draw.ts';

export interface DrawOptions {
  readonly stepsMax?: number | undefined;
}

const stepsMaxDefault = 7;

/** Every third story has a theme; the themes take turns. */
const themeEvery = 3;

export function drawScenario(seed: number, { stepsMax = stepsMaxDefault }: DrawOptions = {}): Scenario {
  const random = createRandom(seed);
  const chance = (percent: number) => random.integer(1, 100) <= percent;
  const setting = drawSetting(random, chance);
  if (seed % themeEvery === themeEvery - 1) {
    const theme = themes[Math.floor(seed / themeEvery) % themes.length]!;
    return { seed, ...theme(createDraw(random), setting) };
  }
  /** On some days no person acts while leadsheet runs, or nothing fails: a fault then has fewer possible causes. */
  const mood: Mood = {
    isBusy: chance(60),
    isFailing: chance(60),
    isDeadly: chance(55),
    hasAutomation: setting.automation !== undefined,
  };
  const begin: Step[] = [
    ...repeat(random.integer(0, chance(25) ? 8 : 4), () => actStep({ ...drawAct(random), side: 'crm', what: 'enter' })),
    ...repeat(random.integer(0, 3), () => actStep({ ...drawAct(random), side: 'sheet', what: 'enter' })),
    ...repeat(random.integer(0, 2), () => actStep({ ...drawAct(random), side: 'sheet', what: 'enter known' })),
    ...(chance(10) ? [actStep({ ...drawAct(random), side: 'crm', what: 'duplicate' })] : []),
  ];
  const steps = repeat(random.integer(2, stepsMax), () => drawSteps(random, chance, mood)).flat();
  return withHints({ seed, setting, steps: [...begin, ...steps] });
}

/** Every so many stories without a theme has hints. */
const hintsEvery = 5;

/** With chance of its own, so that the rest of the story is the same as without hints. */
function withHints(story: Scenario): Scenario {
  if (story.seed % hintsEvery !== hintsEvery - 1) return story;
  const random = createRandom(story.seed + 1);
  const steps = story.steps.flatMap((step): Step[] => {
    if (step.do !== 'run' && step.do !== 'daemon') return [step];
    const before = random.integer(1, 100) <= 40 ? [driveStep({ random })] : [];
    if (step.do === 'daemon') return [...before, step];
    // Only a run of the schedule may do without a look, and only after one that had nothing to do.
    const tick: Step = { ...step, isFull: false, isAsked: false, restart: false, both: false, chaos: calm };
    return [...before, step, ...repeat(random.integer(0, 3), () => tick)];
  });
  return { ...story, setting: { ...story.setting, hints: random.pick(['version', 'changes'] as const) }, steps };
}

const calm: Chaos = { acts: [], faults: [] };

type Chance = (percent: number) => boolean;

interface Mood {
  readonly isBusy: boolean;
  readonly isFailing: boolean;
  readonly isDeadly: boolean;
  readonly hasAutomation: boolean;
}

function drawSetting(random: Random, chance: Chance): Setting {
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

function drawAct(random: Random): Act {
  const part = () => random.integer(0, 999);
  return { side: 'crm', what: 'edit', a: part(), b: part(), c: part() };
}

/** People do ordinary work most of the time. */
const often = ['edit', 'edit', 'edit', 'edit', 'clear', 'enter'] as const;

function drawAnyAct(random: Random, mood: Mood): Act {
  const drawn = drawAct(random);
  const side = random.pick(['crm', 'sheet'] as const);
  if (random.integer(0, 99) < 50) return { ...drawn, side, what: random.pick(often) };
  if (side === 'crm') return { ...drawn, side, what: random.pick(crmActs) };
  if (mood.hasAutomation && random.integer(0, 2) === 0) return { ...drawn, side, what: 'wish' };
  return { ...drawn, side, what: random.pick(sheetActs) };
}

function drawSteps(random: Random, chance: Chance, mood: Mood): Step[] {
  if (chance(3)) return drawTugOfWar(random);
  const acts = repeat(random.integer(0, 5), () => actStep(drawAnyAct(random, mood)));
  return [...acts, drawEvent(random, chance, mood), { do: 'pass', ms: random.pick([1_000, 20_000, 120_000, 900_000]) }];
}

/** A person types, and a program in the service turns it back each time; and the other way round. */
function drawTugOfWar(random: Random): Step[] {
  const calmly = { isFull: false, isAsked: true, restart: false, both: false, chaos: { acts: [], faults: [] } };
  const run: Step = { do: 'run', ...calmly };
  const typed = actStep({ ...drawAct(random), side: 'sheet', what: 'edit' });
  const turnBack = (side: 'crm' | 'sheet') => actStep({ ...drawAct(random), side, what: 'turn back' });
  const pass: Step = { do: 'pass', ms: 120_000 };
  const round = [turnBack('crm'), run, pass, turnBack('sheet'), run, pass];
  return [run, pass, typed, run, pass, ...round, ...round];
}

function drawEvent(random: Random, chance: Chance, mood: Mood): Step {
  const kind = random.integer(1, 100);
  if (kind <= 3) return { do: 'set clock', byMs: random.pick([-3_600_000, -90_000, 90_000, 3_600_000, 86_400_000]) };
  if (kind <= 6) return { do: 'back up' };
  if (kind <= 9) return { do: 'restore' };
  if (kind <= 11) return { do: 'lose state' };
  if (kind <= 13) return { do: 'damage', a: random.integer(0, 999), b: random.integer(0, 999) };
  if (kind <= 17) return { do: 'map', column: random.integer(0, 3) };
  if (kind <= 23)
    return { do: 'decide', what: random.pick(['resolve', 'approve', 'retry'] as const), a: random.integer(0, 999) };
  if (kind <= 28) return { do: 'quiet' };
  const chaos = drawChaos(random, chance, mood);
  if (kind <= 32) return drawUndo(random, chance, chaos);
  if (kind <= 38) return { do: 'daemon', ms: random.pick([30_000, 90_000, 240_000]), both: chance(25), chaos };
  return { do: 'run', isFull: chance(35), isAsked: chance(60), restart: chance(20), both: chance(12), chaos };
}

function drawUndo(random: Random, chance: Chance, chaos: Chaos): Step {
  const part = random.pick(['all', 'all', 'all', 'contact', 'field'] as const);
  const [which, a] = [random.integer(0, 999), random.integer(0, 999)];
  return { do: 'undo', which, part, a, deletesCreated: chance(50), chaos };
}

function drawChaos(random: Random, chance: Chance, mood: Mood): Chaos {
  // Anywhere in a run, which has fifty to a hundred and fifty instants; sometimes right at its beginning.
  const at = () => (chance(75) ? random.integer(8, 130) : random.integer(1, 12));
  return {
    acts: mood.isBusy
      ? repeat(random.integer(0, 3), () => ({ at: at(), act: drawAnyAct(random, mood) })).toSorted(
          (a, b) => a.at - b.at,
        )
      : [],
    faults: mood.isFailing ? repeat(random.integer(0, 2), () => drawFault(random)) : [],
    ...(mood.isDeadly &&
      chance(45) && { end: { at: at(), how: random.pick(['kill', 'kill', 'power', 'stop'] as const) } }),
    ...(mood.isDeadly && chance(6) && { diskFullAt: at() }),
  };
}

const faultyOperations = [
  'contacts.search',
  'contacts.search',
  'contacts.upsert',
  'contacts.upsert',
  'contacts.update',
  'contacts.update',
  'contacts.lookup-one',
  'contacts.get',
  'contacts.delete',
  'automations.add-contact',
  'automations.add-new-lead',
  'automations.cancel',
  'lists.list',
];

function drawFault(random: Random): Fault {
  const when = random.pick(['before', 'after'] as const);
  const times = random.pick([1, 1, 1, 2, 3, 6]);
  if (random.integer(0, 1) === 0) {
    const kind = random.pick([
      'status',
      'status',
      'blank',
      'html',
      'lost',
      'lost',
      'hang',
      'truncated',
      'rate_limited',
      'error_in_200',
    ] as const);
    const status = random.pick([500, 502, 503, 401, 403, 422]);
    // A refusal means that nothing was done.
    const isRefusal = kind === 'rate_limited' || (kind === 'status' && status < 500);
    return {
      on: 'crm',
      ...(random.integer(0, 3) > 0 && { operation: random.pick(faultyOperations) }),
      kind,
      ...(kind === 'status' && { status }),
      // An HTML page with a status of the service: nothing may be concluded from it.
      ...(kind === 'html' && { status: status < 500 ? 404 : status }),
      ...(kind === 'rate_limited' && { isTimed: random.integer(0, 1) === 0 }),
      when: kind === 'truncated' ? 'after' : isRefusal ? 'before' : when,
      times,
      skip: random.pick([0, 0, 1, 2]),
    };
  }
  const effect = random.pick(['lost', 'lost', 'hang', 'empty', 'html', 'delay', 429, 500, 503, 401] as const);
  return {
    on: 'sheet',
    target: random.pick(['read', 'write', 'write', 'token'] as const),
    effect,
    when: effect === 429 || effect === 401 ? 'before' : when,
    times,
    skip: random.integer(0, 4),
  };
}

function actStep(act: Act): Step {
  return { do: 'act', act };
}

function repeat<Item>(count: number, make: () => Item): Item[] {
  return Array.from({ length: count }, make);
}
