// Asks a person at a terminal, through @clack/prompts. Texts of other people are escaped here, once, for every question.
import type { Readable, Writable } from 'node:stream';
import * as clack from '../clack.ts';
import { lineText } from '../../log/printable.ts';
import { Cancelled } from './cancelled.ts';

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

export interface TextQuestion {
  readonly message: string;
  /** In the line already, to be edited. */
  readonly initial?: string;
  /** Shown pale: Enter takes it, and text that is typed or pasted takes its place. */
  readonly proposal?: string;
}

export interface ChoiceQuestion<Value extends string> {
  readonly message: string;
  readonly options: readonly Option<Value>[];
  readonly initial?: Value;
  /** Aborts the question: `undefined` is answered. */
  readonly until?: AbortSignal;
}

/** Each question throws Cancelled at Ctrl-C, and the reason of the stop when the process is asked to end. */
export interface Prompts {
  text(question: TextQuestion): Promise<string>;
  secret(message: string): Promise<string>;
  choose<Value extends string>(question: ChoiceQuestion<Value>): Promise<Value | undefined>;
  /** As `choose`, with a search, for long lists. Undefined: nothing was found, and nothing is chosen. */
  search<Value extends string>(question: ChoiceQuestion<Value>): Promise<Value | undefined>;
  chooseMany<Value extends string>(
    question: Omit<ChoiceQuestion<Value>, 'initial' | 'until'> & { readonly initial: readonly Value[] },
  ): Promise<readonly Value[]>;
  confirm(message: string, initial: boolean): Promise<boolean>;
  say(text: string): void;
  warn(text: string): void;
  /** Lines in a frame. */
  show(title: string, lines: readonly string[]): void;
  end(text: string): void;
}

export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** Lines of a list that are shown at once. */
const itemsMax = 12;

export function createPrompts({ input, output }: Terminal, stop: AbortSignal): Prompts {
  const streams = { input, output };
  clack.intro('leadsheet init', { output });
  return {
    async text({ message, initial, proposal }) {
      const answer = await clack.text({
        ...streams,
        signal: stop,
        message: lineText(message),
        ...(initial !== undefined && { initialValue: initial }),
        ...(proposal !== undefined && { placeholder: proposal, defaultValue: proposal }),
      });
      return checked(answer);
    },
    secret: async (message) => checked(await clack.password({ ...streams, signal: stop, message: lineText(message) })),
    async choose({ message, options, initial, until }) {
      const answer = await clack.select<string>({
        ...streams,
        signal: until ? AbortSignal.any([stop, until]) : stop,
        message: lineText(message),
        options: options.map(printable),
        maxItems: itemsMax,
        ...(initial !== undefined && { initialValue: initial }),
      });
      if (clack.isCancel(answer) && until?.aborted && !stop.aborted) return undefined;
      return options.find(({ value }) => value === checked(answer))?.value;
    },
    async search({ message, options, initial }) {
      const answer = await clack.autocomplete<string>({
        ...streams,
        signal: stop,
        message: lineText(message),
        options: options.map(printable),
        maxItems: itemsMax,
        ...(initial !== undefined && { initialValue: initial }),
      });
      return options.find(({ value }) => value === checked(answer))?.value;
    },
    async chooseMany({ message, options, initial }) {
      const answer = checked(
        await clack.multiselect<string>({
          ...streams,
          signal: stop,
          message: lineText(message),
          options: options.map(printable),
          initialValues: initial,
          required: false,
          maxItems: itemsMax,
        }),
      );
      return options.flatMap(({ value }) => (answer.includes(value) ? [value] : []));
    },
    confirm: async (message, initial) =>
      checked(await clack.confirm({ ...streams, signal: stop, message: lineText(message), initialValue: initial })),
    say: (text) => clack.log.step(lineText(text), { output }),
    warn: (text) => clack.log.warn(lineText(text), { output }),
    show: (title, lines) =>
      clack.note(lines.map(lineText).join('\n'), lineText(title), { output, format: (line) => line }),
    end: (text) => clack.outro(lineText(text), { output }),
  };

  function checked<Answer>(answer: Answer): Exclude<Answer, symbol> {
    if (typeof answer !== 'symbol') return answer as Exclude<Answer, symbol>;
    stop.throwIfAborted();
    throw new Cancelled();
  }
}

function printable({ value, label, hint }: Option<string>) {
  return { value, label: lineText(label), ...(hint !== undefined && { hint: lineText(hint) }) };
}
