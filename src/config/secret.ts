import { inspect } from 'node:util';

/** A text that must not be printed: logs, JSON, templates and the debugger show a mask; only `reveal` gives it away. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  /** The text with every occurrence of this secret masked, as for an answer that echoes its request. */
  maskIn(text: string): string {
    return this.#text === '' ? text : text.replaceAll(this.#text, mask);
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}

const mask = '[secret]';
