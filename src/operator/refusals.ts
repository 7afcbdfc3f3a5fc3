// Refusals of the credentials of an account, which all of its jobs meet: told once, not once a job.
import type { StandingAnswer } from './answers/status.ts';

export interface Refusal {
  readonly account: string;
  /** The side that refuses. */
  readonly side: 'crm' | 'sheet';
  /** Names of the jobs that met it: two or more. */
  readonly jobs: readonly string[];
  readonly reason: string;
}

/** In the order of the jobs. */
export function refusalsOf(jobs: readonly StandingAnswer[]): readonly Refusal[] {
  const met = jobs.filter(({ last_run: run }) => run?.refused);
  const groups = Map.groupBy(met, ({ account, last_run: run }) => JSON.stringify([account, run!.refused]));
  return [...groups.values()].flatMap((own): readonly Refusal[] => {
    const [{ account, last_run: run }] = own as [StandingAnswer];
    const reason = own.find((each) => each.last_run?.reason)?.last_run?.reason;
    return own.length > 1 && reason
      ? [{ account, side: run!.refused!, jobs: own.map(({ name }) => name), reason }]
      : [];
  });
}

export function refusalWords({ side, jobs: { length } }: Refusal): { readonly what: string; readonly remedy: string } {
  return side === 'crm'
    ? { what: `the service refuses the token: ${length} jobs run no more`, remedy: 'replace it, then leadsheet reload' }
    : { what: `Google refuses the credentials: ${length} jobs fail`, remedy: 'they are tried again by themselves' };
}
