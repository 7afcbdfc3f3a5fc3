// What goes wrong in runs while people make mistakes in the sheet: calls fail, the process ends, and people go on meanwhile.
import type { Chaos, Fault, Step } from '../scenario.ts';
import type { Draw } from './draw.ts';

/** `operations`: of the service, of which one fails. `act`: what people do during the run. */
export function chaosAmong(draw: Draw, operations: readonly string[], act: () => Step): Partial<Chaos> {
  const { random, chance, meanwhile } = draw;
  return {
    ...(chance(40) && { acts: meanwhile(1, 2, act) }),
    ...(chance(30) && { faults: [faultOf(draw, operations)] }),
    ...(chance(25) && {
      end: { at: random.integer(4, 65), how: random.pick(['kill', 'kill', 'power', 'stop'] as const) },
    }),
  };
}

function faultOf({ random, chance }: Draw, operations: readonly string[]): Fault {
  const place = {
    when: random.pick(['before', 'after'] as const),
    times: random.pick([1, 2, 6]),
    skip: random.integer(0, 6),
  };
  if (chance(60)) {
    const kind = random.pick(['lost', 'status', 'html'] as const);
    return { ...place, on: 'crm', operation: random.pick(operations), kind, status: 502 };
  }
  const target = random.pick(['read', 'write', 'write'] as const);
  return { ...place, on: 'sheet', target, effect: random.pick(['lost', 'empty', 503] as const) };
}
