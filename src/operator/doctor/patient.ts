// What the parts of `doctor` are given: the installation, and how texts are made fit for a public report.
import type { Config } from '../../config/config.ts';
import type { StoreHealth } from '../../state/port.ts';
import type { DoctorAnswer } from '../answers/doctor.ts';
import type { Operator } from '../operator.ts';

/** What is looked at, and how. */
export interface Patient {
  readonly versions: Pick<DoctorAnswer['versions'], 'leadsheet' | 'node' | 'system'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the file of the configuration. */
  readonly path: string;
  /** The sound part of the configuration. Throws SettingsError. */
  readonly read: () => Config;
  /** Undefined: the configuration cannot be read, and the state is looked for at its default place. */
  readonly open: (config: Config | undefined) => Opened;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface Opened extends Pick<Operator, 'store' | 'lookout' | 'workers'> {
  readonly place: string;
  readonly driver: DoctorAnswer['versions']['state_driver'];
  /** Throws StateErrors. */
  readonly look: () => Promise<StoreHealth>;
  /** The version of the daemon, once `lookout` was asked. Undefined: it did not answer. */
  readonly daemonVersion: () => string | undefined;
}

/** Removes what a public report must not have from a text. */
export type Hide = (text: string) => string;

export interface Hiders {
  /** For messages, which may quote cells. */
  readonly messages: Hide;
  /** For values of the configuration. */
  readonly values: Hide;
}
