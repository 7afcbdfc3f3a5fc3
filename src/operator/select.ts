// Selects the jobs that a request names: syncs, feeds and outboxes of the configuration.
import type { Config } from '../config/config.ts';
import { jobsIn } from '../config/jobs.ts';
import type { JobKind, Kind } from '../engine/kind.ts';
import { kinds } from '../engine/kinds.ts';
import { ConfigError } from '../config/problems.ts';
import { didYouMean } from '../lib/nearest.ts';
import { OperatorError } from './errors.ts';

export interface NamedJob {
  readonly name: string;
  readonly kind: JobKind;
  readonly account: string;
}

const jobsByConfig = new WeakMap<Config, readonly NamedJob[]>();

/** The jobs in the order of the file, syncs first. */
export function jobsOf(config: Config): readonly NamedJob[] {
  const known =
    jobsByConfig.get(config) ?? jobsIn(config).map(({ name, kind, config: { account } }) => ({ name, kind, account }));
  jobsByConfig.set(config, known);
  return known;
}

/** The names of the selected jobs, in the order of the file, syncs first; all if none is named. */
export function selectAll(config: Config, names: readonly string[]): readonly string[] {
  return selectOf(config, Object.values(kinds), names).map(({ name }) => name);
}

/** The names of the selected syncs, in the order of the file; all if none is named. */
export function selectSyncs(config: Config, names: readonly string[]): readonly string[] {
  return selectOf(config, [kinds.sync], names).map(({ name }) => name);
}

/** As `selectAll`, for the kinds that take decisions about records. */
export function selectDeciding(config: Config, names: readonly string[]): readonly NamedJob[] {
  const deciding = Object.values(kinds).filter(({ takesDecisions }) => takesDecisions);
  return selectOf(config, deciding, names);
}

function selectOf(config: Config, taken: readonly Kind[], names: readonly string[]): readonly NamedJob[] {
  const all = jobsOf(config);
  const meant = all.filter(({ kind }) => taken.includes(kinds[kind]));
  if (names.length === 0) return meant;
  const known = meant.map(({ name }) => name);
  const [knownNames, wanted] = [new Set(known), new Set(names)];
  for (const name of wanted) {
    if (knownNames.has(name)) continue;
    const other = all.find((job) => job.name === name);
    if (other) {
      const others = `and this command takes ${listed(taken.map(({ many }) => many))}: ${known.join(', ') || 'there are none'}`;
      throw new OperatorError('unknown', `${name} is ${kinds[other.kind].one}, ${others}`);
    }
    const faults = config.faults.find((fault) => fault.kind === 'job' && fault.name === name);
    if (faults) throw new ConfigError(config.path, faults.problems);
    const hint = didYouMean(name, known) || `; there are ${known.join(', ')}`;
    throw new OperatorError('unknown', `there is no ${listed(taken.map((kind) => kind.name))} ${name}${hint}`);
  }
  return meant.filter(({ name }) => wanted.has(name));
}

/** "sync, feed or outbox". */
function listed(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
