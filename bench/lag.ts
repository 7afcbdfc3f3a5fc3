// Measures how long an edit takes to the other side: the built daemon with default settings between both stand-ins over HTTP,
// in real time. The plot goes to docs/lag.svg.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import delay from 'delay';
import { createRandom } from '../src/standin/service/random.ts';
import { drawPlot } from '../test/soak/plot.ts';
import { buildProgram } from '../test/support/build.ts';
import { createSides, tab } from '../test/support/sides.ts';
import { type Bench, percentile } from './support/measure.ts';

const contacts = 1_000;
const minutes = 3;
/** Every second one probe on each side. */
const probeMs = 1_000;
/** Edits of other people a second, on both sides together. */
const otherEdits = { idle: 0, load: 5 };
const secret = 'the-secret-of-the-hooks-of-this-bench';
const headers = ['First name', 'Company', 'Position', 'Email'];
/** The longest wait for the last probes. */
const restMsMax = 120_000;

type Side = 'service' | 'sheet';

interface Probe {
  readonly from: Side;
  readonly begun: number;
  readonly hasArrived: () => boolean;
}

/** Seconds, by the side on which the edit was made. */
type Lags = Readonly<Record<Side, number[]>>;

const names: Readonly<Record<Side, string>> = { service: 'service to sheet', sheet: 'sheet to service' };

export const bench: Bench = {
  name: 'lag',
  async run() {
    using program = buildProgram();
    const figures = [];
    const panels = [];
    for (const hooks of [false, true]) {
      for (const busy of ['idle', 'load'] as const) {
        const lags = await measure(program.main, hooks, otherEdits[busy]);
        for (const side of ['service', 'sheet'] as const) {
          const seconds = lags[side].toSorted((a, b) => a - b);
          const what = `${names[side]}, ${hooks ? 'with hooks' : 'by the schedule'}, ${busy}`;
          const [half, most] = [percentile(seconds, 0.5), percentile(seconds, 0.99)];
          figures.push({
            name: what,
            value: `p50 ${half.toFixed(1)} s, p99 ${most.toFixed(1)} s of ${seconds.length} edits`,
          });
          const points = seconds.map((x, index) => ({ x, y: Math.round(((index + 1) / seconds.length) * 100) }));
          panels.push({ title: `${what}: percent arrived`, points: [{ x: 0, y: 0 }, ...points] });
        }
      }
    }
    writeFileSync(join(import.meta.dirname, '..', 'docs', 'lag.svg'), drawPlot(panels, 'seconds after the edit'));
    return figures;
  },
};

async function measure(main: string, hooks: boolean, editsPerSecond: number): Promise<Lags> {
  const columns = { 'First name': 'first_name', Company: 'company_name', Position: 'position', Email: 'email' };
  const sides = await createSides({
    values: [headers],
    rowCount: contacts + 100,
    more: { server: { listen: '127.0.0.1:0', hook_secret: secret } },
    sync: { match: ['email'], columns },
  });
  const random = createRandom(1);
  for (let index = 0; index < contacts; index += 1) {
    const fields = { first_name: `First ${index}`, company_name: 'Company', position: 'Position' };
    sides.addContact({ ...fields, name: `First ${index}`, work_email: `p${index}@lag.test` });
  }
  const child = spawn(process.execPath, [main, 'run', '--config', sides.configFile], { cwd: sides.folder });
  const ended = once(child, 'close');
  let url: string | undefined;
  child.stdout.on('data', (data: Buffer) => (url ??= /"url":"([^"]+)"/.exec(data.toString())?.[1]));
  child.stderr.on('data', (data: Buffer) => process.stderr.write(data));
  try {
    await until(() => sides.rows().length === contacts && sides.rows().every((row) => row['Sync'] === 'in sync'));
    const uuidByEmail = new Map(sides.contacts().map((each) => [String(each.work_email), each.uuid]));
    const rowByUuid = new Map(sides.rows().map((row, index) => [uuidByEmail.get(row['Email']!)!, index + 2]));
    const uuids = [...rowByUuid.keys()];
    const letterOf = (header: string) => String.fromCodePoint('A'.codePointAt(0)! + headerRow(sides).indexOf(header));
    const [company, position] = [letterOf('Company'), letterOf('Position')];
    const hook = () =>
      hooks && void fetch(`${url}/hooks/prospects`, { method: 'POST', headers: { authorization: `Bearer ${secret}` } });

    const open = new Set<Probe>();
    const lags: Lags = { service: [], sheet: [] };
    const started = performance.now();
    let [probes, others] = [0, 0];
    const isOver = () => performance.now() - started > minutes * 60_000;
    while (!isOver() || open.size > 0) {
      const now = performance.now();
      if (now - started > minutes * 60_000 + restMsMax) throw new Error(`${open.size} edits have not arrived`);
      for (; !isOver() && probes * probeMs < now - started; probes += 1) {
        // Each contact has one probe a side at most.
        const text = `probe ${probes}`;
        const [one, other] = [uuids[(2 * probes) % contacts]!, uuids[(2 * probes + 1) % contacts]!];
        sides.service.model.contacts.change(one, { fields: { company_name: text } });
        const cell = `${tab}!${company}${rowByUuid.get(one)!}`;
        open.add({ from: 'service', begun: now, hasArrived: () => sides.person.read(cell)[0]?.[0] === text });
        sides.person.type(`${tab}!${company}${rowByUuid.get(other)!}`, text);
        open.add({ from: 'sheet', begun: now, hasArrived: () => companyOf(sides, other) === text });
        hook();
      }
      for (; !isOver() && others < ((now - started) / 1_000) * editsPerSecond; others += 1) {
        const uuid = random.pick(uuids);
        if (others % 2 === 0) sides.service.model.contacts.change(uuid, { fields: { position: `changed ${others}` } });
        else sides.person.type(`${tab}!${position}${rowByUuid.get(uuid)!}`, `typed ${others}`);
        hook();
      }
      for (const probe of open) {
        if (!probe.hasArrived()) continue;
        open.delete(probe);
        lags[probe.from].push((performance.now() - probe.begun) / 1_000);
      }
      await delay(50);
    }
    return lags;
  } finally {
    child.kill('SIGTERM');
    await ended;
    await sides.close();
  }
}

type Sides = Awaited<ReturnType<typeof createSides>>;

function headerRow({ person }: Sides): readonly unknown[] {
  return person.read(`${tab}!A1:Z1`)[0] ?? [];
}

function companyOf({ service }: Sides, uuid: string): unknown {
  return service.model.contacts.get(uuid)?.record.company_name;
}

async function until(isDone: () => boolean): Promise<void> {
  const begun = performance.now();
  while (!isDone()) {
    if (performance.now() - begun > restMsMax) throw new Error('both sides are not equal yet');
    await delay(200);
  }
}
