import type { Config } from '../config/config.ts';
import { jobsIn } from '../config/jobs.ts';
import type { Kind } from '../engine/kind.ts';
import { kinds } from '../engine/kinds.ts';
import { didYouMean, UsageError } from './errors.ts';

/** The names of the syncs, feeds and outboxes meant, in the order of the file, syncs first; all if none is named. */
export function selectAll(config: Config, names: readonly string[]): readonly string[] {
  return selectOf(config, Object.values(kinds), names);
}

/** The names of the syncs meant, in the order of the file; all if none is named. */
export function selectSyncs(config: Config, names: readonly string[]): readonly string[] {
  return selectOf(config, [kinds.sync], names);
}

/** As `selectAll`, of the kinds that take what people decide about a record. */
export function selectDeciding(config: Config, names: readonly string[]): readonly string[] {
  const deciding = Object.values(kinds).filter(({ takesDecisions }) => takesDecisions);
  return selectOf(config, deciding, names);
}

function selectOf(config: Config, taken: readonly Kind[], names: readonly string[]): readonly string[] {
  const jobs = jobsIn(config);
  const known = jobs.flatMap(({ kind, name }) => (taken.includes(kinds[kind]) ? [name] : []));
  for (const name of names) {
    if (known.includes(name)) continue;
    const other = jobs.find((job) => job.name === name);
    if (other) {
      const wanted = `and this command takes ${listed(taken.map(({ many }) => many))}: ${known.join(', ') || 'there are none'}`;
      throw new UsageError(`${name} is ${kinds[other.kind].one}, ${wanted}`);
    }
    const what = listed(taken.map((kind) => kind.name));
    throw new UsageError(`there is no ${what} ${name}${didYouMean(name, known) || `; there are ${known.join(', ')}`}`);
  }
  return names.length === 0 ? known : known.filter((name) => names.includes(name));
}

/** "sync, feed or outbox". */
function listed(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
