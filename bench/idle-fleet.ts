// Measures many idle syncs of 2,000 rows in one daemon, in real time, with and without hints: CPU, calls to each side, memory.
// IDLE_SYNCS: how many; 500 if left out. IDLE_MINUTES: how long each mode is measured; 10 if left out. IDLE_FULL_LOOK: how long a
// tab may go unread with hints; 10m if left out, since 500 tabs every 5 minutes are 100 reads a minute. A run is compared with a bare
// loop that searches one contact, reads the tab and parses both.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import delay from 'delay';
import { parse, stringify } from 'yaml';
import { bareTickMs } from './support/bare-tick.ts';
import { nameOf, spreadsheetOf, startJobs, tabOf, tabsOfOne } from './support/jobs.ts';
import { callsIn, listen, runOnce, runsIn, startJobsDaemon } from './support/jobs-daemon.ts';
import { type Bench, cpuMsOf } from './support/measure.ts';

const syncs = Number(process.env['IDLE_SYNCS'] ?? 500);
const rows = 2_000;
const minutes = Number(process.env['IDLE_MINUTES'] ?? 10);
const fullLook = process.env['IDLE_FULL_LOOK'] ?? '10m';
const modes = ['off', 'version', 'changes'] as const;
/** Reads that Google allows one user a minute (https://developers.google.com/workspace/sheets/api/limits). */
const readsMax = 60;

export const bench: Bench = {
  name: 'idle-fleet',
  async run() {
    await using state = await startJobs(syncs, rows, { server: { listen } });
    await runOnce(state.configFile, nameOf(0));
    await state.copyState();
    const figures: { name: string; value: string; target?: string; met?: boolean }[] = [];
    const tabs = Array.from({ length: syncs }, (_, job) => ({ spreadsheet: spreadsheetOf(job), tab: tabOf(job) }));
    const bareMs = await bareTickMs(state.urls, tabs, 40);
    for (const mode of modes) {
      writeHints(state.configFile, mode);
      const { cpuMs, runs, crm, reads, drive, idleMb, peakMb } = await measure(state.configFile);
      const each = (count: number) => (count / minutes).toFixed(1);
      const readsAMinute = reads / minutes;
      figures.push({
        name: `${syncs} syncs of ${rows.toLocaleString('en')} rows, ${Math.min(tabsOfOne, syncs)} to a spreadsheet, hints ${mode}, a minute`,
        value:
          `${(cpuMs / minutes / 1_000).toFixed(2)} s of CPU for ${each(runs)} runs (${(cpuMs / runs).toFixed(1)} ms a run, ${(cpuMs / runs / bareMs).toFixed(2)}x of a bare loop), ` +
          `${each(crm)} calls to the CRM, ${each(reads)} reads of sheets, ${each(drive)} calls to Drive, ` +
          `${idleMb} MB, at most ${peakMb} MB`,
        ...(mode === 'changes' && {
          target: `<= ${readsMax} reads and <= ${readsMax} calls to Drive a minute`,
          met: readsAMinute <= readsMax && drive / minutes <= readsMax,
        }),
      });
    }
    figures.push({ name: 'load of the machine', value: loadavg()[0]!.toFixed(1) });
    return figures;
  },
};

function writeHints(configFile: string, hints: (typeof modes)[number]): void {
  const file = parse(readFileSync(configFile, 'utf8')) as {
    google: object;
    syncs: Readonly<Record<string, { readonly sheet: object }>>;
  };
  const withLook = Object.entries(file.syncs).map(([name, sync]) => [
    name,
    { ...sync, sheet: { ...sync.sheet, full_look: fullLook } },
  ]);
  const changed = { ...file, google: { ...file.google, hints }, syncs: Object.fromEntries(withLook) as object };
  writeFileSync(configFile, stringify(changed, { aliasDuplicateObjects: false }));
}

async function measure(configFile: string) {
  await using daemon = startJobsDaemon(configFile);
  await daemon.answers();
  // The first run of a process reads everything. The second one finds nothing to do, and the third may go by a hint.
  await daemon.untilAllRan(syncs, 3);
  const [cpuBefore, before] = [cpuMsOf(daemon.process), await daemon.metrics()];
  await delay(minutes * 60_000);
  const [cpuAfter, after] = [cpuMsOf(daemon.process), await daemon.metrics()];
  if (runsIn(after) === runsIn(before)) throw new Error('no job has run meanwhile: IDLE_MINUTES=1 is the least');
  const calls = (budget: Parameters<typeof callsIn>[1]) => callsIn(after, budget) - callsIn(before, budget);
  const [idleMb, peakMb] = [daemon.memoryMb('VmRSS'), daemon.memoryMb('VmHWM')];
  return {
    cpuMs: cpuAfter - cpuBefore,
    runs: runsIn(after) - runsIn(before),
    crm: calls('crm'),
    reads: calls('sheet_reads'),
    drive: calls('drive'),
    idleMb,
    peakMb,
  };
}
