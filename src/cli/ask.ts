// Asks a person at a terminal. Ctrl-C at a question gives up the command: nothing further is decided.
import type { CANCEL_SYMBOL } from '@clack/prompts';
import { lineText } from '../log/printable.ts';
import type { CliWorld } from './world.ts';

/** The person gave up with Ctrl-C, or a signal came. */
export const gaveUp = Symbol('gave up');

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

export interface Asking {
  /** One of the choices. */
  choose<Value extends string>(message: string, choices: readonly Choice<Value>[]): Promise<Value | typeof gaveUp>;
  /** No is the first answer. */
  confirm(message: string): Promise<boolean | typeof gaveUp>;
  /** `check` says what is wrong with a text; undefined: nothing. */
  type(message: string, check: (text: string) => string | undefined): Promise<string | typeof gaveUp>;
  /** The same; the screen does not show what is typed. */
  secret(message: string, check: (text: string) => string | undefined): Promise<string | typeof gaveUp>;
}

/** Undefined without a terminal: in a pipe, a script or with --json. Texts are escaped here. */
export async function openAsking(
  { terminal, stop }: CliWorld,
  { json }: { readonly json?: true },
): Promise<Asking | undefined> {
  const found = json ? undefined : terminal?.();
  if (!found) return undefined;
  // Loaded only here: no other command waits for it.
  const { confirm, isCancel, password, select, text } = await import('./clack.ts');
  const common = { ...found, signal: stop };
  const answered = <Value>(value: Value | typeof CANCEL_SYMBOL): Value | typeof gaveUp =>
    isCancel(value) ? gaveUp : value;
  const validateBy = (check: (text: string) => string | undefined) => (typed: string | undefined) => {
    const why = check(typed ?? '');
    return why === undefined ? undefined : lineText(why);
  };
  return {
    async choose(message, choices) {
      const options = choices.map(({ value, label }) => ({ value: value as string, label: lineText(label) }));
      const chosen = answered(await select({ ...common, message: screenText(message), options }));
      return chosen === gaveUp ? gaveUp : choices.find(({ value }) => value === chosen)!.value;
    },
    async confirm(message) {
      return answered(await confirm({ ...common, message: screenText(message), initialValue: false }));
    },
    async type(message, check) {
      return answered(await text({ ...common, message: screenText(message), validate: validateBy(check) }));
    },
    async secret(message, check) {
      return answered(
        await password({ ...common, message: screenText(message), validate: validateBy(check), mask: ' ' }),
      );
    },
  };
}

/** Our own line breaks stay. */
function screenText(message: string): string {
  return message.split('\n').map(lineText).join('\n');
}
