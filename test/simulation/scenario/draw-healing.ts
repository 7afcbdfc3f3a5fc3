// Draws the end of a story in which several things are broken for good, and half of them heal.
import type { Random } from '../../../src/standin/service/random.ts';
import { drawAct } from './draw-acts.ts';
import type { Act, Breakage, Step } from './scenario.ts';
import type { Setting } from '../world/setting.ts';

/** Calls without which no run can go on: these always heal. */
const needed = ['contacts.search', 'lists.list'] as const;
const others = [
  'contacts.upsert',
  'contacts.upsert',
  'contacts.update',
  'contacts.update',
  'contacts.update',
  'contacts.lookup-one',
  'contacts.get',
  'contacts.delete',
] as const;
const ofWishes = ['automations.add-contact', 'automations.add-new-lead', 'automations.cancel'] as const;

export function drawHealing(random: Random, setting: Setting): Step {
  const isWishing = setting.automation !== undefined;
  const operations = [...others, ...(isWishing ? ofWishes : [])];
  return {
    do: 'heal',
    acts: [...drawActs(random, isWishing), ...drawActs(random, isWishing)],
    broken: Array.from({ length: random.integer(2, 4) }, () => drawBreakage(random, operations)),
    restart: random.integer(0, 2) === 0,
  };
}

function drawBreakage(random: Random, operations: readonly string[]): Breakage {
  const heals = random.integer(0, 1) === 0;
  const when = random.pick(['before', 'before', 'after'] as const);
  const kind = random.integer(0, 39);
  if (kind === 0) return { on: 'crm', operation: random.pick(needed), status: 502, when, heals: true };
  if (kind === 1) return { on: 'sheet', target: 'read', status: 503, heals: true };
  if (kind <= 4) return { on: 'sheet', target: 'write', status: random.pick([500, 503]), heals };
  const operation = random.pick(operations);
  const status = random.pick([422, 422, 500, 502, 503]);
  return {
    on: 'crm',
    operation,
    status,
    // A refusal means that nothing was done.
    when: status === 422 ? 'before' : when,
    heals,
    // Its path names the contact.
    ...(operation === 'contacts.update' && random.integer(0, 1) === 0 && { of: random.integer(0, 999) }),
  };
}

/** Edits on both sides, so that there is something to carry over, and a new person on each. */
function drawActs(random: Random, isWishing: boolean): readonly Act[] {
  const edits = Array.from({ length: random.integer(2, 4) }, (): Act => ({
    ...drawAct(random),
    side: random.pick(['crm', 'sheet'] as const),
    what: 'edit',
  }));
  const side = random.pick(['crm', 'sheet'] as const);
  const entered: Act = { ...drawAct(random), side, what: 'enter' };
  const wish: Act = { ...drawAct(random), side: 'sheet', what: 'wish' };
  return [...edits, entered, ...(isWishing ? [wish] : [])];
}
