// Many trials of the laws, one law after the other: what `npm run properties` does, and whoever else wants plans by the
// million.
import { VerbosityLevel } from 'fast-check';
import { explain } from './explain.ts';
import { laws } from './properties.ts';

export interface PlayOptions {
  /**
   * Trials of all laws together, each law its share. A trial makes one plan at least, and ten or twenty where sides have to
   * come to rest: so many trials are more plans than that.
   */
  readonly runs: number;
  /** A number that fast-check takes: below 2^31. */
  readonly seed: number;
  /** Part of the names of the laws wanted; all when left out. */
  readonly law?: string;
  /** Of a failure, to play that one again. */
  readonly path?: string;
}

export interface Played {
  readonly law: string;
  readonly runs: number;
  readonly seconds: number;
  /** The story of the smallest trial found that breaks it, and the command that plays it again. */
  readonly broken?: string;
}

/** As they are played: a million trials take their time. */
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
