// The wrapper of secrets.
import { inspect } from 'node:util';
import { secretPattern } from './secret-pattern.ts';

/**
 * A text that must not be printed: logs, JSON, templates and the debugger show a mask; only `reveal` returns the text.
 */
export class Secret {
  readonly #text: string;
  #pattern: string | RegExp | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  /** The text with every occurrence of this secret masked, escaped or not: for answers that repeat their request. */
  maskIn(text: string): string {
    if (this.#text === '') return text;
    this.#pattern ??= secretPattern(this.#text);
    return text.replaceAll(this.#pattern, mask);
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
