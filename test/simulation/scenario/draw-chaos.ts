// Draws the events while leadsheet runs: what people do meanwhile, what fails, and how the process ends.
import type { Random } from '../../../src/standin/service/random.ts';
import { drawAnyAct, type Drawing, repeat } from './draw-acts.ts';
import { type Chaos, type Fault, readNames } from './scenario.ts';
import type { Swarm } from './swarm.ts';

export function drawChaos(drawing: Drawing): Chaos {
  const { random, chance, mood, swarm } = drawing;
  // Anywhere in a run, which has fifty to a hundred and fifty instants; sometimes right at its beginning.
  const at = () => (chance(75) ? random.integer(8, 130) : random.integer(1, 12));
  const ends = swarm.kept('end', ['kill', 'power', 'stop'] as const);
  const acts = mood.isBusy ? repeat(random.integer(0, 3), () => ({ at: at(), act: drawAnyAct(drawing) })) : [];
  return {
    acts: acts.toSorted((a, b) => a.at - b.at),
    faults: mood.isFailing ? repeat(random.integer(0, 2), () => drawFault(random, swarm)) : [],
    ...(swarm.has('event', 'reads') && chance(15 * swarm.times) && { reads: drawReads(random, at) }),
    ...(mood.isDeadly && ends.length > 0 && chance(45) && { end: { at: at(), how: drawEnd(random, ends) } }),
    ...(mood.isDeadly && swarm.has('end', 'disk full') && chance(6 * swarm.times) && { diskFullAt: at() }),
  };
}

function drawReads(random: Random, at: () => number): NonNullable<Chaos['reads']> {
  const reads = repeat(random.integer(1, 6), () => ({
    at: at(),
    what: random.pick(readNames),
    a: random.integer(0, 999),
  }));
  return reads.toSorted((a, b) => a.at - b.at);
}

type End = NonNullable<Chaos['end']>['how'];

/** Half of the ends are kills, if the story has any. */
function drawEnd(random: Random, ends: readonly End[]): End {
  return ends.includes('kill') && random.integer(0, 1) === 0 ? 'kill' : random.pick(ends);
}

const operations = [
  'contacts.search',
  'contacts.upsert',
  'contacts.update',
  'contacts.lookup-one',
  'contacts.get',
  'contacts.delete',
  'automations.add-contact',
  'automations.add-new-lead',
  'automations.cancel',
  'lists.list',
] as const;

/** These come twice as often. */
const usualOperations: ReadonlySet<string> = new Set(['contacts.search', 'contacts.upsert', 'contacts.update']);

const serviceFaults = ['status', 'blank', 'html', 'lost', 'hang', 'truncated', 'rate_limited', 'error_in_200'] as const;
const sheetEffects = ['lost', 'hang', 'empty', 'html', 'delay', 429, 500, 503, 401] as const;
const usualFaults: ReadonlySet<string | number> = new Set(['status', 'lost']);

export function drawFault(random: Random, swarm: Swarm): Fault {
  const when = random.pick(['before', 'after'] as const);
  const times = random.pick([1, 1, 1, 2, 3, 6]);
  const pick = <Item extends string | number>(items: readonly Item[], usual: ReadonlySet<string | number>) =>
    random.pick(items.flatMap((item) => (usual.has(item) ? [item, item] : [item])));
  const kinds = orAll(swarm.kept('service fault', serviceFaults), serviceFaults);
  const effects = orAll(swarm.kept('sheet fault', sheetEffects), sheetEffects);
  if (random.integer(0, 1) === 0) {
    const kind = pick(kinds, usualFaults);
    const status = random.pick([500, 502, 503, 401, 403, 422]);
    const failing = orAll(swarm.kept('on', operations), operations);
    // A refusal means that nothing was done.
    const isRefusal = kind === 'rate_limited' || (kind === 'status' && status < 500);
    return {
      on: 'crm',
      ...(random.integer(0, 3) > 0 && { operation: pick(failing, usualOperations) }),
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
  const effect = pick(effects, usualFaults);
  return {
    on: 'sheet',
    target: random.pick(['read', 'write', 'write', 'token'] as const),
    effect,
    when: effect === 429 || effect === 401 ? 'before' : when,
    times,
    skip: random.integer(0, 4),
  };
}

function orAll<Item>(kept: readonly Item[], all: readonly Item[]): readonly Item[] {
  return kept.length > 0 ? kept : all;
}
