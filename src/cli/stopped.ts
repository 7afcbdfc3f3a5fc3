// Prints what is left after `sync` or `apply` was stopped before its end (W8).
import type { RunReport } from '../engine/report.ts';
import type { CliWorld } from './world.ts';

interface StoppedCommand {
  readonly reports: readonly RunReport[];
  /** Names of syncs, feeds and outboxes whose run did not begin. */
  readonly unbegun: readonly string[];
  /** The command that continues with these names. */
  readonly goOn: (names: readonly string[]) => string;
}

/** Prints nothing if nothing was stopped. */
export function tellStopped({ stop, stderr }: CliWorld, { reports, unbegun, goOn }: StoppedCommand): void {
  if (!stop.aborted) return;
  const cut = reports.filter(({ stopped }) => stopped !== undefined);
  const total = (of: 'done' | 'left') => cut.reduce((sum, { stopped }) => sum + stopped![of], 0);
  const unplanned = reports.filter(({ error }) => error === 'stopped').map(({ sync }) => sync);
  const parts = [
    ...(cut.length > 0 ? [`${total('left')} left, ${total('done')} done`] : []),
    ...(unplanned.length > 0 ? [`not planned: ${unplanned.join(', ')}`] : []),
    ...(unbegun.length > 0 ? [`not begun: ${unbegun.join(', ')}`] : []),
  ];
  const names = [...cut.map(({ sync }) => sync), ...unplanned, ...unbegun];
  const text = names.length === 0 ? 'nothing left' : `${parts.join('; ')}; to go on: ${goOn(names)}`;
  stderr.write(`leadsheet: stopped: ${text}\n`);
}
