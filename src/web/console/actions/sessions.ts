// Ends the session of a person.
import { OperatorError } from '../../../operator/errors.ts';
import type { Action } from './action.ts';

export const endSession: Action = async ({ desk, decider, field }) => {
  const id = field('session');
  if (id === undefined || !desk) throw new OperatorError('invalid', 'no session is named');
  const isEnded = await desk.endSession(id, decider.by);
  return {
    kind: 'done',
    to: '/audit/sessions',
    said: isEnded ? 'The session is ended.' : 'The session had ended before.',
  };
};
