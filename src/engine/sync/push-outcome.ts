// What became of a change whose call failed.
import {
  AuthenticationError,
  isRefusal,
  mayHaveArrived,
  NotFoundError,
  refusalText,
  ServiceError,
} from '../../crm/errors.ts';
import type { Failure, Outcome } from '../../sync/outcome.ts';
import { isUnbegun } from '../stop.ts';
import type { RunContext } from './context.ts';

/** Undefined: not begun, because the end was asked for (W8). */
export async function outcomeOf(context: RunContext, push: () => Promise<Outcome>): Promise<Outcome | undefined> {
  try {
    return await push();
  } catch (error) {
    if (isUnbegun(error, context)) return undefined;
    return failureOf(error);
  }
}

/** W6: of a call for whose repeat the token was refused; undefined: it was refused at once, so that nothing came of the call. */
export function arrivedBefore(error: unknown): Failure | undefined {
  const mayBeDone = error instanceof AuthenticationError && mayHaveArrived(error);
  return mayBeDone ? { kind: 'unknown', message: error.message } : undefined;
}

/** Throws what ends the run. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AuthenticationError || !(error instanceof ServiceError)) throw error;
  // L12: what an attempt without an answer did stays done, also where the next one was refused.
  if (mayHaveArrived(error)) return { kind: 'unknown', message: error.message };
  if (error instanceof NotFoundError)
    return { kind: 'moved', message: 'the service has it no more: the next run looks at it again' };
  return isRefusal(error)
    ? { kind: 'refused', message: refusalText(error) }
    : { kind: 'failed', message: error.message };
}
