// Hands a fault of a story to the stand-in that it is of.
import type { Fault } from './scenario/scenario.ts';
import type { Setting } from './world/setting.ts';
import type { Sides } from './world/sides.ts';

interface InjectDep {
  readonly sides: Sides;
  readonly hints: Setting['hints'];
  /** Called each time that the fault strikes. */
  readonly met: (name: string) => void;
}

export function inject(fault: Fault, { sides: { service, sheets }, hints, met }: InjectDep): void {
  if (fault.on === 'crm') {
    const { kind, operation, when, times, status = 500, isTimed, beside } = fault;
    const shared = { times, ...(operation !== undefined && { operation }) };
    let left = fault.skip;
    const matches = ({ url }: Request) => {
      // A blank answer to a lookup says that nobody has the key. Where somebody has it, no program can tell that it is wrong.
      if (kind === 'blank' && url.endsWith('/leads/lookup-one')) return false;
      left -= 1;
      if (left >= 0) return false;
      const isOfNote = kind === 'status' || (kind === 'html' && status === 404);
      met(`crm ${kind}${isOfNote ? ` ${status}` : ''} ${when}`);
      return true;
    };
    switch (kind) {
      case 'status':
        return service.faults.inject({ ...shared, kind, status, when, matches });
      case 'rate_limited':
        return service.faults.inject({ ...shared, kind, headers: isTimed ? 'seconds' : 'none', matches });
      case 'truncated':
      case 'bad_rows':
        return service.faults.inject({ ...shared, kind, matches });
      case 'html':
        return service.faults.inject({ ...shared, kind, status: fault.status ?? 502, when, matches });
      case 'error_in_200':
        return service.faults.inject({ ...shared, kind, when, ...(beside && { beside }), matches });
      default:
        return service.faults.inject({ ...shared, kind, when, matches });
    }
  }
  const { effect, target, when, times, skip } = fault;
  const hinted = hints === 'version' ? 'files.get' : 'changes.list';
  const match =
    target === 'token' ? { operation: 'token' } : target === 'drive' ? { operation: hinted } : { kind: target };
  const effects = {
    lost: { type: 'lost' },
    hang: { type: 'hang' },
    empty: { type: 'empty' },
    bare: { type: 'bare' },
    cut: { type: 'cut' },
    html: { type: 'html' },
    delay: { type: 'delay', delayMs: 40_000 },
  } as const;
  const what = typeof effect === 'number' ? ({ type: 'status', status: effect } as const) : effects[effect];
  sheets.faults.add({ effect: what, when, times, skip, match });
  return undefined;
}
