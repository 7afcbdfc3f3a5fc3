// Tells whether a daemon lives: as it answers, as its heartbeat tells, and as the table of workers has it.
import { type DaemonLook, type DaemonView, lookAtDaemon } from '../../daemon/view.ts';
import { StateError } from '../../state/errors.ts';
import type { DoctorAnswer } from '../answers/doctor.ts';
import { readWorkersAnswer } from '../workers.ts';
import type { Hiders, Opened } from './patient.ts';

type DaemonAnswer = DoctorAnswer['daemon'];

export async function describeDaemon(
  { store, lookout, workers, daemonVersion }: Opened,
  now: number,
  hide: Hiders,
): Promise<{ readonly daemon: DaemonAnswer; readonly view: DaemonView | undefined }> {
  const look = await lookAtDaemon(store, now, lookout);
  const { view, last, notice } = look;
  const daemon: DaemonAnswer = {
    state: stateOf(look),
    pid: view?.pid ?? last?.pid ?? null,
    version: daemonVersion() ?? null,
    told_at: view?.writtenAt ?? last?.at ?? null,
    notice: notice === undefined ? null : hide.messages(notice),
    workers: workers ? await workersOf(workers) : null,
  };
  return { daemon, view };
}

/** Without a notice it either answered or is known by its heartbeat alone, as a process of another machine is. */
function stateOf({ view, last, notice }: DaemonLook): DaemonAnswer['state'] {
  if (notice !== undefined) return 'silent';
  return view?.state ?? last?.end ?? 'unknown';
}

async function workersOf(workers: NonNullable<Opened['workers']>): Promise<DaemonAnswer['workers']> {
  try {
    const { workers: all } = await readWorkersAnswer({ workers });
    return all.map(({ id, state, version, seen_at: seenAt, runs }) => {
      return { id, state, version, seen_at: seenAt, runs: runs.length };
    });
  } catch (error) {
    // The state itself says that the database cannot be asked.
    if (error instanceof StateError) return [];
    throw error;
  }
}
