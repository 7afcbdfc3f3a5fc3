// Plays further syncs of the same list in the same process, each into a tab of its own, and judges them (W17).
import type { EngineEvent } from '../../src/engine/events.ts';
import type { RunReport } from '../../src/engine/report.ts';
import { mirrorsShow } from './laws/mirrors.ts';
import type { Violation } from './oracle/evidence.ts';
import type { SimulatedProcess } from './world/process.ts';
import { mirrorNames, type Setting } from './world/setting.ts';
import type { SideEvent } from './world/sides.ts';
import type { World } from './world/world.ts';

interface MirrorsDep {
  readonly world: World;
  readonly setting: Setting;
  readonly tell: (text: string) => void;
  readonly counted: (name: string) => void;
  readonly violate: (violation: Violation) => void;
}

export interface Mirrors {
  /** Each begins so many milliseconds after this; left out: at once; negative: not. Resolves when all have ended, or their process has. */
  run(
    process: SimulatedProcess,
    request: { readonly isFull: boolean; readonly afterMs: readonly number[] },
  ): Promise<unknown>;
  onSide(event: SideEvent): void;
  /** Whether the event is of one of these syncs. */
  onEvent(event: EngineEvent, process: SimulatedProcess): boolean;
}

export function createMirrors({ world, setting, tell, counted, violate }: MirrorsDep): Mirrors {
  const names = mirrorNames(setting);
  /** By contact: the number of the event that changed it last. */
  const changedAt = new Map<string, number>();
  /** By process and sync: the last event before its run began. */
  const begunAt = new Map<string, number>();
  let events = 0;

  function judge(name: string, { status, isFull, problems }: RunReport, since: number): void {
    counted(`${isFull ? 'full ' : ''}${status}`);
    if (status !== 'succeeded' || problems.length > 0) return;
    const known = new Set([...changedAt].flatMap(([uuid, at]) => (at <= since ? [uuid] : [])));
    for (const violation of mirrorsShow(world.sides, setting, name, known)) violate(violation);
  }

  return {
    run: (process, { isFull, afterMs }) =>
      Promise.all(
        names.map(async (name, index) => {
          const ms = afterMs[index] ?? 0;
          if (ms < 0) return undefined;
          await new Promise((resolve) => void setTimeout(resolve, ms));
          return process.isDead ? 'killed' : world.runBeside(process, name, isFull);
        }),
      ),
    onSide(event) {
      events += 1;
      if (event.side === 'crm') changedAt.set(event.uuid, events);
    },
    onEvent(event, process) {
      const { sync } = event;
      if (sync === undefined || !names.includes(sync)) return false;
      const key = `${process.pid} ${sync}`;
      if (event.type === 'run-started') begunAt.set(key, events);
      if (event.type === 'run-ended') {
        const { report } = event;
        const told = Object.entries(report.counts).filter(([, count]) => count > 0);
        tell(
          `${sync}: ${report.isFull ? 'full ' : ''}${report.status} ${report.error ?? ''} ${told.map((each) => each.join(' ')).join(', ')}`,
        );
        for (const { rule, reason } of report.problems) tell(`    ${sync} (${rule}): ${reason}`);
        judge(sync, report, begunAt.get(key) ?? 0);
      }
      return true;
    },
  };
}
