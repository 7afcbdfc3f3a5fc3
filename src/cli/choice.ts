// Options that take one of some words.
import { InvalidArgumentError, type Option } from 'commander';
import { didYouMean } from '../lib/nearest.ts';

/** Restricts an option to these words. Another word is refused, and the nearest of them is named. */
export function withChoices(option: Option, words: readonly string[]): Option {
  return option.choices(words).argParser((word: string) => {
    if (words.includes(word)) return word;
    throw new InvalidArgumentError(`It is one of ${words.join(', ')}${didYouMean(word, words)}`);
  });
}
