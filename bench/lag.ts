// Measures how long an edit takes to the other side: the built daemon with default settings between both stand-ins, in real time.
// Drive shows an edit after three minutes. All cases run beside each other, in twelve minutes at most. LAG_MINUTES: how long edits
// are made; 4 if left out. The plot goes to docs/lag.svg.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import delay from 'delay';
import { createRandom } from '../src/standin/service/random.ts';
import { buildProgram } from '../test/support/build.ts';
import { drawLagPlot } from './support/lag-plot.ts';
import { type LagWorld, type Side, startLagWorld } from './support/lag-world.ts';
import { type Bench, percentile } from './support/measure.ts';

const minutes = Number(process.env['LAG_MINUTES'] ?? 4);
const ways = [
  { hints: 'off', hooks: false, name: 'by the schedule' },
  { hints: 'off', hooks: true, name: 'with hooks' },
  { hints: 'changes', hooks: false, name: 'with hints' },
  { hints: 'changes', hooks: true, name: 'with hints and hooks' },
] as const;
type Way = (typeof ways)[number];
const sides = ['service', 'sheet'] as const satisfies readonly Side[];
const names: Readonly<Record<Side, string>> = { service: 'service to sheet', sheet: 'sheet to service' };

/**
 * Idle: ten syncs take 20 of the 60 reads a minute of the default budget, and the edits take some 20 more. With twenty syncs runs
 * wait for the budget. Two daemons give twice as many edits.
 */
const idle = { daemons: 2, syncs: 10, contacts: 40 };
/** After an edit has arrived, its sync rests until hints are in use again, which takes two runs, and then for some time. */
const restMs = { least: 70_000, more: 50_000 };
/** Under load: a probe a second on each side, and other edits a second on both sides together. */
const load = { syncs: 1, contacts: 1_000, probeMs: 1_000, editsPerSecond: 5 };
/** A full look, a run and some more. */
const arriveMsMax = 360_000;
const lookEveryMs = 50;

/** Seconds, by the side on which the edit was made. */
type Lags = Readonly<Record<Side, number[]>>;

export const bench: Bench = {
  name: 'lag',
  async run() {
    using program = buildProgram();
    const busyness = { idle: measureIdle, 'under load': measureLoad };
    const cases = Object.entries(busyness).flatMap(([busy, measure]) => ways.map((way) => ({ busy, measure, way })));
    const measured = await Promise.all(
      cases.map(async ({ busy, measure, way }) => ({ busy, way, lags: await measure(program.main, way) })),
    );
    const panels = Object.keys(busyness).flatMap((busy) =>
      sides.map((side) => ({
        title: `${names[side]}, ${busy}`,
        lines: measured.flatMap((each) =>
          each.busy === busy ? [{ label: each.way.name, seconds: each.lags[side].toSorted((a, b) => a - b) }] : [],
        ),
      })),
    );
    writeFileSync(join(import.meta.dirname, '..', 'docs', 'lag.svg'), drawLagPlot(panels));
    return panels.flatMap(({ title, lines }) =>
      lines.map(({ label, seconds }) => ({
        name: `${title}, ${label}`,
        value:
          `p50 ${percentile(seconds, 0.5).toFixed(1)} s, p99 ${percentile(seconds, 0.99).toFixed(1)} s ` +
          `of ${seconds.length} edits`,
      })),
    );
  },
};

interface Probe {
  readonly from: Side;
  readonly begun: number;
  readonly hasArrived: () => boolean;
}

function probe(world: LagWorld, from: Side, sync: number, contact: number, text: string, { hooks }: Way): Probe {
  world.edit(from, sync, contact, 'company', text);
  if (hooks) world.hook(sync);
  const to = from === 'service' ? 'sheet' : 'service';
  return { from, begun: performance.now(), hasArrived: () => world.read(to, sync, contact, 'company') === text };
}

async function measureIdle(main: string, way: Way): Promise<Lags> {
  const each = await Promise.all(Array.from({ length: idle.daemons }, () => measureIdleDaemon(main, way)));
  return { service: each.flatMap(({ service }) => service), sheet: each.flatMap(({ sheet }) => sheet) };
}

/** One edit at a time in each sync: the look that an edit brings must not find the next one. */
async function measureIdleDaemon(main: string, way: Way): Promise<Lags> {
  const { syncs, contacts } = idle;
  await using world = await startLagWorld({ main, syncs, contacts, hints: way.hints });
  const lags: Lags = { service: [], sheet: [] };
  const random = createRandom(1);
  const end = performance.now() + minutes * 60_000;
  await Promise.all(
    Array.from({ length: syncs }, async (_, sync) => {
      await delay(random.integer(0, restMs.more));
      for (let edits = 0; performance.now() < end; edits += 1) {
        const from = sides[(sync + edits) % sides.length]!;
        const made = probe(world, from, sync, edits % contacts, `probe ${edits}`, way);
        await arrived(made);
        lags[from].push((performance.now() - made.begun) / 1_000);
        await delay(Math.min(restMs.least + random.integer(0, restMs.more), Math.max(0, end - performance.now())));
      }
    }),
  );
  return lags;
}

async function arrived({ begun, hasArrived, from }: Probe): Promise<void> {
  while (!hasArrived()) {
    if (performance.now() - begun > arriveMsMax) throw new Error(`an edit in the ${from} has not arrived`);
    await delay(lookEveryMs);
  }
}

async function measureLoad(main: string, way: Way): Promise<Lags> {
  await using world = await startLagWorld({ main, syncs: load.syncs, contacts: load.contacts, hints: way.hints });
  const lags: Lags = { service: [], sheet: [] };
  const random = createRandom(1);
  const open = new Set<Probe>();
  const started = performance.now();
  let [probes, others] = [0, 0];
  const isOver = () => performance.now() - started > minutes * 60_000;
  while (!isOver() || open.size > 0) {
    const now = performance.now();
    if (now - started > minutes * 60_000 + arriveMsMax) throw new Error(`${open.size} edits have not arrived`);
    for (; !isOver() && probes * load.probeMs < now - started; probes += 1) {
      // Each contact has one probe a side at most.
      for (const [index, from] of sides.entries())
        open.add(probe(world, from, 0, (2 * probes + index) % load.contacts, `probe ${probes}`, way));
    }
    for (; !isOver() && others < ((now - started) / 1_000) * load.editsPerSecond; others += 1) {
      const contact = random.integer(0, load.contacts - 1);
      world.edit(sides[others % sides.length]!, 0, contact, 'position', `changed ${others}`);
      if (way.hooks) world.hook(0);
    }
    for (const each of open) {
      if (!each.hasArrived()) continue;
      open.delete(each);
      lags[each.from].push((performance.now() - each.begun) / 1_000);
    }
    await delay(lookEveryMs);
  }
  return lags;
}
