// The context of the runs of one sync. Created once; all runs share it.
import type { SyncConfig } from '../../config/config.ts';
import type { Automations, Contact, Contacts } from '../../crm/port.ts';
import { RunFailed } from '../errors.ts';
import type { Change, Problem } from '../../sync/change.ts';
import type { Automation } from '../../sync/input.ts';
import type { PlanInput } from '../../sync/input.ts';
import type { JobContext, JobRun, JobSession } from '../job.ts';
import type { SyncShape } from './shape.ts';

export interface SyncContext extends JobContext {
  readonly config: SyncConfig;
  readonly shape: SyncShape;
  /** The contacts of the CRM, as the mapping of the sync reads them. */
  readonly contacts: Contacts;
  readonly session: Session;
}

export interface Session extends JobSession {
  /** The automations of the service, and when they were read, epoch milliseconds on our clock. */
  automations?: { readonly at: number; readonly list: readonly Automation[] };
  /**
   * The uuid of the list, as this process found it by its name. Its token may be one of another workspace: there a search of the
   * list that the state knows answers nothing, as if nothing had changed.
   */
  listFound?: string;
}

/** Chooses which changes of a plan are carried out, in their order. The next run plans the others again. */
export type Choose = (changes: readonly Change[], input: PlanInput) => Choice;

export interface Choice {
  readonly changes: readonly Change[];
  /** The problems about changes that were left out. */
  readonly problems: readonly Problem[];
  /** Of a saved plan: records for which nothing is left to do. Left out: none. */
  readonly alreadyDone?: number;
}

/** The data of one run that its steps share, besides their results. */
export interface RunContext extends SyncContext, JobRun {
  /** Left out: every change of the plan is carried out. */
  readonly choose?: Choose;
  /** The id of the run that this run takes back. Left out: it takes none back. */
  readonly undoes?: string;
  /** Names of lists that this run asked for, by uuid: for people. */
  readonly listNames: Map<string, Promise<string>>;
  /** By uuid: contacts as lookups of this run showed them (`looked-up.ts`). */
  readonly lookedUp: Map<string, Contact>;
}

/**
 * Throws if the CRM has no automations. The configuration is refused then, so that only a program without that check gets
 * here.
 */
export function automationsOf({ crm }: Pick<SyncContext, 'crm'>): Automations {
  if (!crm.automations) throw new RunFailed('this CRM has no automations: remove `automation` from the sync');
  return crm.automations;
}
