// Decides what of the process a viewer reaches: the one way from a request to the operator layer, for pages, actions and streams.
import { limitToAccounts } from '../../operator/eyes/eyes.ts';
import { undoDeskOf } from '../../operator/eyes/undo-desk.ts';
import type { Trial } from '../../operator/guide.ts';
import type { Operator } from '../../operator/operator.ts';
import type { TriggerRun } from '../../operator/pause.ts';
import { jobsOf } from '../../operator/select.ts';
import type { UndoDesk } from '../../operator/undo-desk.ts';
import type { LoginDesk } from './access/desk.ts';
import type { Viewer } from './access/viewer.ts';
import type { FeedMessage } from './live/feed.ts';

/** All that pages and actions reach. */
export interface Sight {
  readonly operator: Operator;
  readonly trigger: TriggerRun;
  readonly undos?: UndoDesk;
  /** Logins and sessions; undefined: nobody logs in, or they are of all accounts and the viewer is not. */
  readonly desk?: LoginDesk;
  /** Undefined: this is no trial. */
  readonly trial?: Trial;
}

export function sightOf({ accounts, areDetailsShown }: Viewer, whole: Sight): Sight {
  const { trigger, undos } = whole;
  if (accounts === undefined) return { ...whole, operator: withNames(whole.operator, areDetailsShown) };
  const operator = withNames(limitToAccounts(whole.operator, accounts), areDetailsShown);
  return {
    operator,
    trigger: async (name) => (isJobOf(operator, name) ? trigger(name) : undefined),
    ...(undos && { undos: undoDeskOf(undos, operator) }),
  };
}

function withNames(operator: Operator, areShown: boolean): Operator {
  return areShown ? operator : { ...operator, areNamesHidden: true };
}

/** The part of a message that is for the viewer; undefined: none. */
export function messageFor({ accounts }: Viewer, message: FeedMessage, whole: Operator): FeedMessage | undefined {
  if (accounts === undefined) return message;
  const operator = limitToAccounts(whole, accounts);
  const isFor = (name: string) => name === '' || isJobOf(operator, name);
  const part = <Value>(of: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => isFor(name)));
  const own = { jobs: part(message.jobs), progress: part(message.progress) };
  return Object.keys(own.jobs).length + Object.keys(own.progress).length === 0 ? undefined : own;
}

function isJobOf({ config }: Operator, name: string): boolean {
  return jobsOf(config).some((job) => job.name === name);
}
