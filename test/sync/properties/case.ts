// A story of the small world that is written by hand: a setting, who is there, and what happens.
import type { Act } from './people.ts';
import { healthy } from './options.ts';
import { type RunOptions } from './options.ts';
import type { Setting } from './setting.ts';
import { begin, play, type Step } from './trial.ts';
import type { World } from './world.ts';

const plain: Setting = {
  conflict: 'manual',
  keyConflict: 'manual',
  blank: 'sync',
  onRowDeleted: 'ignore',
  onContactDeleted: 'mark',
  moveToList: false,
  habit: 'keeps',
};
/** Letters of the alphabets of `setting.ts`, by field. */
export const nobody = [0, 0, 0, 0, 0, 0, 0];
export const [name, company] = [2, 3] as const;
export const runs = (options: Partial<RunOptions> = {}): Step => ({ run: { ...healthy, ...options } });
export const does = (act: Act): Step => ({ act });

export interface Case {
  readonly what: string;
  readonly setting?: Partial<Setting>;
  readonly contacts?: readonly (readonly number[])[];
  readonly rows?: readonly (readonly number[])[];
  readonly steps: readonly Step[];
}

export const worldOf = ({ setting, contacts = [], rows = [], steps }: Omit<Case, 'what'>): World => {
  const world = begin({ setting: { ...plain, ...setting }, contacts, rows, steps });
  play(world, steps);
  return world;
};
