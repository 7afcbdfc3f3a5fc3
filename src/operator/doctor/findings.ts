// Says what is wrong with an installation, each with what to do.
import type { DoctorAnswer } from '../answers/doctor.ts';
import { countText } from '../words.ts';

type Finding = DoctorAnswer['findings'][number];
type Found = Omit<DoctorAnswer, 'findings'>;

/** `failing`: the jobs whose latest run failed. */
export function findWrong({ configuration, state, daemon }: Found, failing: ReadonlySet<string>): Finding[] {
  return [
    ...aboutConfiguration(configuration),
    ...aboutState(state),
    ...state.jobs.flatMap((job) =>
      aboutJob(job, { isUnconfigured: state.is_default, isFailing: failing.has(job.name) }),
    ),
    ...aboutDaemon(daemon),
  ];
}

function aboutConfiguration({ faults }: Found['configuration']): Finding[] {
  if (faults.length === 0) return [];
  const detail = `The configuration has ${countText(faults.length, 'fault')}. See them in full: leadsheet check`;
  return [{ verdict: 'failed', about: 'configuration', detail }];
}

function aboutState({ fault, is_default: isDefault, place }: Found['state']): Finding[] {
  const about = 'state';
  return [
    ...(isDefault
      ? [
          {
            verdict: 'warning' as const,
            about,
            detail: `The configuration does not say where the state is, so ${place} was looked at.`,
          },
        ]
      : []),
    ...(fault === null ? [] : [{ verdict: 'failed' as const, about, detail: fault }]),
  ];
}

type Job = Found['state']['jobs'][number];

function aboutJob(
  job: Job,
  { isUnconfigured, isFailing }: { readonly isUnconfigured: boolean; readonly isFailing: boolean },
): Finding[] {
  const { name, fault, notices, phase, kind, holder, is_holder_running: isRunning } = job;
  const found: Finding[] = [];
  if (fault !== null) found.push({ verdict: 'failed', about: name, detail: fault });
  if (notices.length > 0) {
    const detail = `Its state has ${countText(notices.length, 'damaged file')}. Read everything: leadsheet state check config`;
    found.push({ verdict: 'failed', about: name, detail });
  }
  if (phase === 'stopped' || phase === 'backing-off') {
    const detail = phase === 'stopped' ? 'It has stopped.' : 'Its last run failed, and it pauses.';
    found.push({ verdict: 'failed', about: name, detail: `${detail} See why: leadsheet status ${name}` });
  } else if (isFailing && kind !== null) {
    const detail = `Its last run failed. See why: leadsheet status ${name}`;
    found.push({ verdict: 'failed', about: name, detail });
  }
  if (holder !== null && isRunning === false) {
    const detail = `${holder} has its lease and has ended. The next run takes the lease over: leadsheet sync ${name}`;
    found.push({ verdict: 'warning', about: name, detail });
  }
  if (kind === null && fault === null && !isUnconfigured) {
    const detail =
      'There is a state of it, and the configuration does not have it. A renamed job begins anew under its new name.';
    found.push({ verdict: 'warning', about: name, detail });
  }
  return found;
}

function aboutDaemon({ state, pid, notice, workers }: Found['daemon']): Finding[] {
  const found: Finding[] = [];
  if (state === 'silent') {
    const detail = `${notice ?? 'It does not answer.'} End ${pid === null ? 'it' : `process ${pid}`}, then: leadsheet run`;
    found.push({ verdict: 'failed', about: 'daemon', detail });
  }
  if (state === 'killed') {
    const detail = `The last one, process ${pid ?? '?'}, was killed. Nothing is lost; start it again: leadsheet run`;
    found.push({ verdict: 'failed', about: 'daemon', detail });
  }
  const gone = (workers ?? []).filter((worker) => worker.state === 'gone');
  if (gone.length > 0) {
    const detail = `${countText(gone.length, 'worker')} went away without ending. See which: leadsheet workers`;
    found.push({ verdict: 'warning', about: 'daemon', detail });
  }
  return found;
}
