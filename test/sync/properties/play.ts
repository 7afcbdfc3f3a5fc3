// Plays many trials of the laws, one law after the other: for `npm run properties`, and for any caller that needs plans
// by the million.
import { VerbosityLevel } from 'fast-check';
import { explain } from './explain.ts';
import { laws } from './properties.ts';

export interface PlayOptions {
  /**
   * Trials of all laws together; each law gets its share. A trial makes at least one plan, and ten or twenty if its sides
   * have to come to rest.
   */
  readonly runs: number;
  /** A number that fast-check accepts: below 2^31. */
  readonly seed: number;
  /** Part of the names of the wanted laws; left out: all laws. */
  readonly law?: string;
  /** The path of a failure, to play that trial again. */
  readonly path?: string;
}

export interface Played {
  readonly law: string;
  readonly runs: number;
  readonly seconds: number;
  /** The story of the smallest failing trial, and the command that plays it again. */
  readonly broken?: string;
}

/** Yields each law as soon as it is played: a million trials take long. */
export function* playLaws({ runs, seed, law = '', path }: PlayOptions): Generator<Played> {
  const wanted = laws.filter(({ name }) => name.includes(law));
  const shares = wanted.reduce((sum, { share }) => sum + share, 0);
  for (const each of wanted) {
    const started = performance.now();
    const details = each.check({
      numRuns: Math.ceil((runs * each.share) / shares),
      seed,
      ...(path !== undefined && { path }),
      verbose: VerbosityLevel.None,
    });
    yield {
      law: each.name,
      runs: details.numRuns,
      seconds: (performance.now() - started) / 1000,
      ...(details.failed && { broken: explain(each, details) }),
    };
  }
}
