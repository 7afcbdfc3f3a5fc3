// The error of a question at which a person pressed Ctrl-C.
export class Cancelled extends Error {
  override readonly name = 'Cancelled';

  constructor() {
    super('a person ended the questions');
  }
}
