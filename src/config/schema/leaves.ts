// The small schemas that options are made of. Each `error` names the allowed values, in the words of an error message.
import * as z from 'zod';
import { Secret } from '../../lib/secret.ts';

/** A mapping with a fixed set of options; any other key is refused. */
export const section = z.strictObject;

/** `candidates`: words that an invalid text may have been intended as. */
export function textThat(allowed: string, test: (text: string) => boolean, candidates?: () => readonly string[]) {
  return z.string({ error: allowed }).refine(test, { error: allowed, params: { candidates } });
}

export function text(allowed = 'text') {
  return textThat(allowed, (value) => value.trim() !== '');
}

export function wholeNumber(min: number, max?: number) {
  const error = `a whole number ${range(min, max)}`;
  const number = z.int({ error }).min(min, { error });
  return max === undefined ? number : number.max(max, { error });
}

/** `none`: the allowed values if there are no words. */
export function oneOf<Word extends string>(words: readonly Word[], none = 'nothing') {
  return z.enum(words, words.length === 0 ? { error: none } : undefined);
}

export function seconds(min: number, max: number) {
  const error = `a number of seconds ${range(min, max)}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
}

function range(min: number, max: number | undefined): string {
  return max === undefined ? `from ${min} up` : `from ${min} to ${max}`;
}

export function flag() {
  return z.boolean({ error: 'true or false' });
}

/** Percentages keep their sign in the file, so that 20 is not read as 0.2 or as twenty records. */
export function percentage() {
  return textThat('a percentage from 0% to 100%', (value) => (textToPercent(value) ?? 101) <= 100);
}

/** '12.5%' -> 12.5; undefined: not a percentage. */
export function textToPercent(written: string): number | undefined {
  const digits = /^(\d{1,6}(?:\.\d{1,3})?)%$/.exec(written)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Wrapped as soon as it is read. `writeOnly` keeps it out of error messages, and informs editors. */
export function secret(
  description: string,
  allowed: string,
  test: (text: string) => boolean = (value) => value !== '',
) {
  return textThat(allowed, test)
    .meta({ description, writeOnly: true })
    .transform((value) => new Secret(value));
}
