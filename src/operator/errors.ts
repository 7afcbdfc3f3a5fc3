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

/** The inputs of a person that are read as text. Commands call them `--since` and so on, pages by the label of the field. */
export type Input = 'since' | 'until' | 'for';

/** An input that cannot be read. Each face puts its own name of the input in front of the message. */
export class InputError extends OperatorError {
  readonly input: Input;

  constructor(input: Input, message: string) {
    super('invalid', message);
    this.input = input;
  }
}
