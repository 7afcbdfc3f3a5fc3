/**
 * `unknown`: no job, record or conflict has this name. `ambiguous`: several have it. `invalid`: the request itself is wrong.
 * `doubt`: a question that the person has to answer first. `nothing`: there is nothing to decide on now.
 */
export type OperatorErrorCode = 'unknown' | 'ambiguous' | 'invalid' | 'doubt' | 'nothing';

/** A request of a person that cannot be answered or recorded; nothing was recorded. The message says why and what to do. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly code: OperatorErrorCode;

  constructor(code: OperatorErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
