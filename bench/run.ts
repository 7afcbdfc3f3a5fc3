// npm run bench [-- NAME ...]: runs the named benches, or all, and prints their figures. No test depends on them.
import { glob } from 'node:fs/promises';
import { cpus } from 'node:os';
import type { Bench } from './support/measure.ts';

const wanted = process.argv.slice(2);
const files = (await Array.fromAsync(glob('*.ts', { cwd: import.meta.dirname }))).filter((file) => file !== 'run.ts');
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}`);
let missed = 0;
for (const file of files.toSorted()) {
  if (wanted.length > 0 && !wanted.includes(file.replace(/\.ts$/, ''))) continue;
  const { bench } = (await import(new URL(file, import.meta.url).href)) as { bench: Bench };
  console.log(`\n${bench.name}`);
  for (const { name, value, target, met } of await bench.run()) {
    if (met === false) missed += 1;
    const verdict = target === undefined ? '' : `   ${target}: ${met ? 'met' : 'MISSED'}`;
    console.log(`  ${name}: ${value}${verdict}`);
  }
}
process.exitCode = missed > 0 ? 1 : 0;
