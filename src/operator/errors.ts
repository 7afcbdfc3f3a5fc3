// The error of the operator layer.
/**
 * `unknown`: no job, record or conflict has this name. `ambiguous`: several have it. `invalid`: the request itself is
 * wrong. `doubt`: the person has to answer a question first. `nothing`: there is nothing to decide on.
 * `paused`: a person paused the job. `differs`: another place holds something else than this one.
 */
export type OperatorErrorCode = 'unknown' | 'ambiguous' | 'invalid' | 'doubt' | 'nothing' | 'paused' | 'differs';

/** A request that cannot be answered or recorded. Nothing was recorded. The message says why and what to do. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly code: OperatorErrorCode;

  constructor(code: OperatorErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
