// The changes of a plan that enrol a contact.
import type { Change } from '../../sync/change.ts';

export type Enrol = Extract<Change, { op: 'enrol' }>;
export type CreateEnrolled = Extract<Change, { op: 'create' }> & { readonly enrol: string };
export type Due = Enrol | CreateEnrolled;

export function isDue(change: Change): change is Due {
  return change.op === 'enrol' || (change.op === 'create' && change.enrol !== undefined);
}

export function automationOf(change: Due): string {
  return change.op === 'create' ? change.enrol : change.automation;
}
