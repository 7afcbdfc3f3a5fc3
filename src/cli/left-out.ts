// Says what a command over all jobs leaves out: jobs with faults in the configuration, and of accounts that are not connected.
import type { App } from '../app.ts';
import type { Config } from '../config/config.ts';
import { lineText } from '../log/printable.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { CliWorld } from './world.ts';

/** `names`: of the command line. A job that is named and has faults is refused before. */
export function tellFaults(
  { faults }: Config,
  names: readonly string[],
  { stderr }: Pick<CliWorld, 'stderr'>,
): boolean {
  const causes = faults.filter(({ because }) => because === undefined);
  if (names.length > 0 || causes.length === 0) return false;
  const list = causes.map(({ kind, name }) => `${kind} ${name}`).join(', ');
  stderr.write(`leadsheet: left out, since the configuration has faults: ${lineText(list)}. See: leadsheet check\n`);
  return true;
}

/** A failure outweighs faults of the configuration, and these outweigh problems for a person. */
export function codeWithFaults(code: ExitCode, areFaults: boolean): ExitCode {
  return areFaults && code !== exitCodes.failed ? exitCodes.config : code;
}

/** The jobs that can be run; the others are told, each with why. */
export function withoutUnconnected(
  { jobs, unconnected, config }: App,
  names: readonly string[],
  { stderr }: Pick<CliWorld, 'stderr'>,
): readonly string[] {
  for (const [account, { message }] of unconnected) {
    const all = [...config.syncs, ...config.feeds, ...config.outboxes];
    const own = all.filter((job) => job.account === account && names.includes(job.name)).map(({ name }) => name);
    if (own.length > 0) stderr.write(`leadsheet: ${lineText(`${own.join(', ')} of account ${account}: ${message}`)}\n`);
  }
  return names.filter((name) => jobs.has(name));
}
