// Plays the end of a story in which calls fail for good and some of them heal (L14).
import type { RunReport } from '../../src/engine/report.ts';
import { goesOn, type StillBroken } from './laws/l14-goes-on.ts';
import type { Sight } from './laws/records.ts';
import type { Violation } from './oracle/evidence.ts';
import type { Act, Breakage, Step } from './scenario/scenario.ts';
import type { Sides } from './world/sides.ts';

export interface HealingDep {
  readonly sides: Sides;
  readonly tell: (text: string) => void;
  readonly act: (act: Act) => void;
  readonly pass: (ms: number) => Promise<void>;
  readonly restart: () => void;
  /** One run that was asked for. */
  readonly run: (isFull: boolean) => Promise<RunReport>;
  /** Both sides as they are now. */
  readonly sight: (report: RunReport) => Sight;
  /** The contacts that the last run before told as refused. */
  readonly refused: () => readonly string[];
  /** The names of all people so far. */
  readonly people: () => readonly string[];
}

/** As between the runs while all is quiet. */
const betweenMs = 16 * 60_000;

/**
 * Of a refusal the third pause has 30 minutes: two runs meet a fault, so that the last of four is an hour after it (W5).
 */
const runsAfter = 4;

/** Returns what did not go on. */
export async function playHealing(
  { acts, broken, restart }: Extract<Step, { do: 'heal' }>,
  dep: HealingDep,
): Promise<readonly Violation[]> {
  const { sides, tell, pass, run } = dep;
  const before = new Set(dep.people());
  const refusedBefore = new Set(dep.refused());
  const lasting = broken.map((what) => ({ what, uuid: contactOf(sides, what) }));
  tell(`calls fail for good: ${lasting.map(({ what }) => nameOf(what)).join(', ')}`);
  for (const each of lasting) inject(sides, each);
  const half = Math.ceil(acts.length / 2);
  for (const part of [acts.slice(0, half), acts.slice(half)]) {
    for (const act of part) dep.act(act);
    await run(false);
    await pass(betweenMs);
  }
  clear(sides);
  const remaining = lasting.filter(({ what }) => !what.heals);
  for (const each of remaining) inject(sides, each);
  tell(`of them heal: ${lasting.flatMap(({ what }) => (what.heals ? [nameOf(what)] : [])).join(', ')}`);
  if (restart) dep.restart();
  let report: RunReport | undefined;
  for (let runs = 0; runs < runsAfter; runs += 1) {
    report = await run(runs === 0);
    await pass(betweenMs);
  }
  const violations = report
    ? goesOn({
        ...dep.sight(report),
        remaining,
        refusedBefore,
        entered: new Set(dep.people().filter((person) => !before.has(person))),
      })
    : [];
  clear(sides);
  return violations;
}

function nameOf(what: Breakage): string {
  const heals = what.heals ? '' : ' (stays)';
  return what.on === 'sheet'
    ? `sheet ${what.target} ${what.status}${heals}`
    : `${what.operation} ${what.status} ${what.when}${what.of === undefined ? '' : ' of one contact'}${heals}`;
}

function contactOf({ service, lists }: Sides, what: Breakage): string | undefined {
  if (what.on === 'sheet' || what.of === undefined) return undefined;
  const here = [...service.model.contacts.all()].flatMap(({ record }) =>
    lists.isInScope(record) ? [record.uuid] : [],
  );
  // Without any contact the call fails for nobody.
  return here[Math.floor((what.of * here.length) / 1000)] ?? 'nobody';
}

/** More calls than a story makes. */
const times = 100_000;

function inject({ service, sheets }: Sides, { what, uuid }: StillBroken): void {
  if (what.on === 'sheet') {
    const effect = { type: 'status', status: what.status } as const;
    return sheets.faults.add({ effect, times, match: { kind: what.target } });
  }
  const { operation, status, when } = what;
  const matches = uuid === undefined ? undefined : (request: Request) => request.url.includes(uuid);
  return service.faults.inject({ kind: 'status', status, when, operation, times, matches });
}

function clear({ service, sheets }: Sides): void {
  service.faults.clear();
  sheets.faults.clear();
}
