import type { RunDetails } from 'fast-check';
import type { Law } from './properties.ts';

/** The smallest failing trial as a story, and the command that runs it again. */
export function explain({ name }: Law, details: RunDetails<[never]>): string {
  const { seed, counterexamplePath, counterexample, errorInstance } = details;
  return [
    `broken: ${name}`,
    errorInstance instanceof Error ? (errorInstance.stack ?? '').slice(0, 12_000) : String(errorInstance),
    '',
    JSON.stringify(counterexample?.[0]),
    '',
    `Again: npm run properties -- --runs 1 --law '${name}' --seed ${seed} --path ${counterexamplePath}`,
  ].join('\n');
}
