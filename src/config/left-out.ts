// Tells which parts of the configuration do not run, and why: accounts, included files and jobs with faults.
import type { Config } from './config.ts';
import { jobsIn } from './jobs.ts';
import { problemToText } from './problems.ts';

/** Told once for each cause: the jobs of a faulty account are named with it. */
export interface LeftOut {
  readonly kind: 'account' | 'file' | 'job';
  readonly name: string;
  /** One line for people, without secrets. */
  readonly reason: string;
  /** The jobs that do not run because of it. */
  readonly jobs: readonly string[];
}

/** `unconnected`: accounts that could not be connected, and why. */
export function findLeftOut(config: Config, unconnected: ReadonlyMap<string, Error>): readonly LeftOut[] {
  const { faults, path } = config;
  const of = (cause: string) =>
    faults.flatMap(({ kind, name, because }) => (kind === 'job' && because === cause ? [name] : []));
  const own = faults.filter(({ because }) => because === undefined);
  const jobs = jobsIn(config);
  return [
    ...own.map(({ kind, name, problems }): LeftOut => {
      const [first, ...more] = problems.map((problem) => problemToText(path, problem));
      const rest = more.length === 0 ? '' : `; and ${more.length} more: leadsheet check`;
      return { kind, name, reason: `${first}${rest}`, jobs: kind === 'job' ? [name] : of(`${kind} ${name}`) };
    }),
    ...[...unconnected].map(([name, { message: reason }]): LeftOut => ({
      kind: 'account',
      name,
      reason,
      jobs: jobs.flatMap((job) => (job.config.account === name ? [job.name] : [])),
    })),
  ];
}

/** Whether a person who was told of one knows the other. */
export function isSameFault(
  one: Pick<LeftOut, 'kind' | 'name' | 'reason'>,
  other: Pick<LeftOut, 'kind' | 'name' | 'reason'>,
): boolean {
  return one.kind === other.kind && one.name === other.name && one.reason === other.reason;
}
